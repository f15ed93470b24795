//! Opens the database, the document storage, the payment vendors and the sender of webhooks.

mod closed;
mod database;

pub(crate) use database::{OpenDatabase, Purpose, create_file, open_error};

use crate::error::Error;
use crate::settings::Settings;
use crate::system::{SystemClock, SystemRandom, user};
use closed::{Awaited, Closed};
use cutover_app::port::{Clock, Documents, PaymentVendors, ServerCertificate, Store, WebhookSender};
use cutover_app::{App, Ports};
use cutover_model::Limits;
use cutover_outbound::{HttpVendors, HttpWebhooks, ObjectDocuments, OutboundRuntime, VendorLimits};
use std::sync::Arc;

/// The services besides the database: documents, payment vendors and receivers of webhooks.
#[derive(Clone)]
pub(crate) struct ExternalServices {
    documents: Arc<dyn Documents>,
    vendors: Arc<dyn PaymentVendors>,
    webhooks: Arc<dyn WebhookSender>,
}

impl ExternalServices {
    /// Opens nothing, for commands that use the database alone.
    pub(crate) fn closed() -> Self {
        Self { documents: Arc::new(Closed), vendors: Arc::new(Closed), webhooks: Arc::new(Closed) }
    }

    /// Opens the document storage alone.
    ///
    /// # Errors
    /// [`Error`] if it cannot be opened.
    pub(crate) fn with_documents(settings: &Settings) -> Result<Self, Error> {
        Ok(Self { documents: open_documents(settings, &OutboundRuntime::start()?)?, ..Self::closed() })
    }

    /// Opens the payment vendors alone.
    ///
    /// # Errors
    /// [`Error`] if this machine cannot call them.
    pub(crate) fn with_vendors() -> Result<Self, Error> {
        Ok(Self { vendors: open_vendors(&OutboundRuntime::start()?)?, ..Self::closed() })
    }

    /// Opens the sender of webhooks alone.
    ///
    /// # Errors
    /// [`Error`] if this machine cannot call them.
    pub(crate) fn with_webhooks() -> Result<Self, Error> {
        Ok(Self { webhooks: open_webhooks(&OutboundRuntime::start()?)?, ..Self::closed() })
    }

    /// Opens documents and vendors, for commands that check if they answer.
    ///
    /// # Errors
    /// [`Error`] if something cannot be opened.
    pub(crate) fn to_probe(settings: &Settings) -> Result<Self, Error> {
        let runtime = OutboundRuntime::start()?;
        let documents = open_documents(settings, &runtime).unwrap_or_else(|_| Arc::new(Closed));
        Ok(Self { documents, vendors: open_vendors(&runtime)?, ..Self::closed() })
    }

    /// Opens documents, vendors and webhooks, for servers.
    ///
    /// # Errors
    /// [`Error`] if something cannot be opened.
    pub(crate) fn open(settings: &Settings) -> Result<Self, Error> {
        let runtime = OutboundRuntime::start()?;
        Ok(Self {
            documents: open_documents(settings, &runtime)?,
            vendors: open_vendors(&runtime)?,
            webhooks: open_webhooks(&runtime)?,
        })
    }
}

/// Opens the use cases over the database of the settings, for commands.
///
/// # Errors
/// [`Error`] if it cannot be opened.
pub(crate) fn open_app(settings: &Settings, services: ExternalServices) -> Result<App, Error> {
    Ok(build_app(&OpenDatabase::open(settings, Purpose::Command)?, settings, services))
}

/// Builds the use cases over an open database.
pub(crate) fn build_app(database: &OpenDatabase, settings: &Settings, services: ExternalServices) -> App {
    app_over(database.store(), database.clock(), settings, services)
}

/// Builds the use cases over a database that is not open yet: what needs it is unavailable.
pub(crate) fn build_waiting_app(settings: &Settings, services: ExternalServices) -> App {
    app_over(Arc::new(Awaited), Arc::new(SystemClock), settings, services)
}

fn app_over(
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    settings: &Settings,
    services: ExternalServices,
) -> App {
    let ExternalServices { documents, vendors, webhooks } = services;
    let random = Arc::new(SystemRandom);
    let (values, memory) = (&settings.values, settings.memory.requests.of_items());
    let certificate = settings.tls.clone().map(|files| Arc::new(files) as Arc<dyn ServerCertificate>);
    let settings = cutover_app::Settings {
        access_token_lifetime: lifetime(values.access_token_lifetime),
        refresh_token_lifetime: lifetime(values.refresh_token_lifetime),
        event_retention: lifetime(values.event_retention),
        import_retry_time: lifetime(values.import_retry_time),
        import_batch: settings.memory.import_batch,
        limits: Limits { batch_items: values.batch_limit, items: values.list_limit, memory },
    };
    App::new(Ports { store, clock, random, documents, vendors, webhooks }, settings)
        .commanded_by(user())
        .served_with(certificate)
}

fn lifetime(time: std::time::Duration) -> chrono::Duration {
    // The settings limit it to a year.
    chrono::Duration::from_std(time).unwrap_or(chrono::Duration::MAX)
}

/// Opens the document storage; creates the default folder.
///
/// # Errors
/// [`Error`] if they cannot be reached.
pub(crate) fn open_documents(
    settings: &Settings,
    runtime: &OutboundRuntime,
) -> Result<Arc<dyn Documents>, Error> {
    let documents = &settings.documents;
    let opened = if documents.is_default {
        ObjectDocuments::create(&documents.location, runtime)?
    } else {
        let opened = ObjectDocuments::open(&documents.location, runtime);
        opened
            .map_err(|error| Error::refused(format!("the setting documents-url cannot be used: {error}")))?
    };
    Ok(Arc::new(opened))
}

fn open_vendors(runtime: &OutboundRuntime) -> Result<Arc<dyn PaymentVendors>, Error> {
    let opened = HttpVendors::new(runtime.clone(), VendorLimits::default());
    Ok(Arc::new(opened.map_err(|error| Error::refused(error.to_string()))?))
}

fn open_webhooks(runtime: &OutboundRuntime) -> Result<Arc<dyn WebhookSender>, Error> {
    let opened = HttpWebhooks::new(runtime.clone());
    Ok(Arc::new(opened.map_err(|error| Error::refused(error.to_string()))?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::{Environment, Flags};
    use std::path::Path;

    fn settings(data: &Path) -> Settings {
        let flags: Flags = [("data-dir", vec![data.to_str().unwrap().to_owned()])].into();
        Settings::load(&flags, &Environment::new()).unwrap()
    }

    #[test]
    fn only_servers_open_documents() {
        let home = tempfile::tempdir().unwrap();
        let settings = settings(home.path());
        open_app(&settings, ExternalServices::closed()).unwrap();
        open_app(&settings, ExternalServices::with_vendors().unwrap()).unwrap();
        let folder = home.path().join("documents");
        assert!(!folder.exists());
        open_app(&settings, ExternalServices::open(&settings).unwrap()).unwrap();
        assert!(folder.is_dir());
    }
}
