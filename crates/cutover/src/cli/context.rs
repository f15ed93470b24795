use crate::error::Error;
use crate::open::open_app;
use crate::output::Output;
use crate::settings::Settings;
use cutover_app::App;

/// What every command is given.
pub(crate) struct Context {
    pub(crate) settings: Settings,
    pub(crate) output: Output,
}

impl Context {
    /// The use cases over the database of the settings.
    pub(crate) fn app(&self) -> Result<App, Error> {
        open_app(&self.settings)
    }
}
