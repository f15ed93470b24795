use cutover_app::auth::{Caller, Session};
use cutover_app::port::ApiKeyRole;

/// A signed-in person, or a display.
#[derive(Debug, Clone)]
pub(super) struct Visitor {
    pub(super) session: Session,
    /// True if this process lately failed to read something because an encryption key is missing.
    pub(super) lacks_key: bool,
}

impl Visitor {
    /// Returns the caller of use cases.
    pub(super) fn caller(&self) -> &Caller {
        &self.session.caller
    }

    /// Returns true for a display: a screen on a wall, at which nobody is.
    pub(super) fn is_display(&self) -> bool {
        self.caller().role == ApiKeyRole::Display
    }
}
