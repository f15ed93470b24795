use cutover_app::auth::{Caller, Session};

/// A signed-in person.
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
}
