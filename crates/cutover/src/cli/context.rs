use crate::error::Error;
use crate::open::{Outside, open_app};
use crate::output::Output;
use crate::settings::Settings;
use cutover_app::App;

/// What every command is given.
pub(crate) struct Context {
    pub(crate) settings: Settings,
    pub(crate) output: Output,
}

impl Context {
    /// The use cases over the database of the settings, for commands that need nothing else.
    pub(crate) fn app(&self) -> Result<App, Error> {
        open_app(&self.settings, Outside::closed())
    }

    /// The same, for commands that judge the address of a payment vendor.
    pub(crate) fn app_with_vendors(&self) -> Result<App, Error> {
        open_app(&self.settings, Outside::with_vendors()?)
    }
}
