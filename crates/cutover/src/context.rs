use crate::error::Error;
use crate::open::{ExternalServices, open_app};
use crate::output::Output;
use crate::settings::Settings;
use cutover_app::App;

/// The settings and the output of a command.
pub(crate) struct Context {
    pub(crate) settings: Settings,
    pub(crate) output: Output,
}

impl Context {
    /// Opens the use cases over the database alone.
    pub(crate) fn app(&self) -> Result<App, Error> {
        open_app(&self.settings, ExternalServices::closed())
    }

    /// Opens the use cases over the database and the document storage.
    pub(crate) fn app_with_documents(&self) -> Result<App, Error> {
        open_app(&self.settings, ExternalServices::with_documents(&self.settings)?)
    }

    /// Opens the use cases over the database and the sender of webhooks.
    pub(crate) fn app_with_webhooks(&self) -> Result<App, Error> {
        open_app(&self.settings, ExternalServices::with_webhooks()?)
    }

    /// Opens the use cases over the database and the payment vendors.
    pub(crate) fn app_with_vendors(&self) -> Result<App, Error> {
        open_app(&self.settings, ExternalServices::with_vendors()?)
    }
}
