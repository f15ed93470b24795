//! Opens what commands work on: the database, the documents, the payment vendors.

mod closed;

use crate::error::Error;
use crate::settings::Settings;
use crate::system::{SystemClock, SystemRandom};
use closed::Closed;
use cutover_app::port::{Documents, PaymentVendors, Store};
use cutover_app::{App, Ports};
use cutover_model::Limits;
use cutover_outbound::{HttpVendors, ObjectDocuments, OutboundRuntime, VendorLimits};
use cutover_store::{Options, SqliteStore};
use std::fs::{DirBuilder, OpenOptions};
use std::path::Path;
use std::sync::Arc;

/// What lies outside of the database.
pub(crate) struct Outside {
    documents: Arc<dyn Documents>,
    vendors: Arc<dyn PaymentVendors>,
}

impl Outside {
    /// For commands that look at neither documents nor vendors: they need neither.
    pub(crate) fn closed() -> Self {
        Self { documents: Arc::new(Closed), vendors: Arc::new(Closed) }
    }

    /// With vendors alone.
    ///
    /// # Errors
    /// [`Error`] if they cannot be asked from this machine.
    pub(crate) fn with_vendors() -> Result<Self, Error> {
        Ok(Self { vendors: open_vendors(&OutboundRuntime::start()?)?, ..Self::closed() })
    }

    /// All of it, for what serves.
    ///
    /// # Errors
    /// [`Error`] if something cannot be opened.
    pub(crate) fn open(settings: &Settings) -> Result<Self, Error> {
        let runtime = OutboundRuntime::start()?;
        Ok(Self { documents: open_documents(settings, &runtime)?, vendors: open_vendors(&runtime)? })
    }
}

/// The use cases over the database of the settings; pending migrations are applied first.
///
/// # Errors
/// [`Error`] if it cannot be opened.
pub(crate) fn open_app(settings: &Settings, outside: Outside) -> Result<App, Error> {
    Ok(app_over(Arc::new(open_store(settings)?), settings, outside))
}

/// The use cases over an open database.
pub(crate) fn app_over(store: Arc<dyn Store>, settings: &Settings, outside: Outside) -> App {
    let Outside { documents, vendors } = outside;
    let (clock, random) = (Arc::new(SystemClock), Arc::new(SystemRandom));
    let serve = &settings.serve;
    let settings = cutover_app::Settings {
        access_token_lifetime: lifetime(serve.access_token_lifetime),
        refresh_token_lifetime: lifetime(serve.refresh_token_lifetime),
        limits: Limits { batch_items: serve.batch_limit, items: serve.list_limit, ..Limits::default() },
    };
    App::new(Ports { store, clock, random, documents, vendors }, settings)
}

fn lifetime(time: std::time::Duration) -> chrono::Duration {
    // The settings bound it to a year.
    chrono::Duration::from_std(time).unwrap_or(chrono::Duration::MAX)
}

/// The database of the settings, made if it is not there.
///
/// # Errors
/// [`Error`] if it cannot be opened.
pub(crate) fn open_store(settings: &Settings) -> Result<SqliteStore, Error> {
    make_database(settings)?;
    SqliteStore::open(&settings.database, Options::default()).map_err(|error| {
        Error::refused(format!("the database {} cannot be opened: {error}", settings.database.display()))
    })
}

/// Makes the file of the database, and the data folder if it lies there, for nobody but their owner:
/// they hold personal data.
///
/// # Errors
/// [`Error`] if they cannot be made.
pub(crate) fn make_database(settings: &Settings) -> Result<(), Error> {
    let database = &settings.database;
    if database.starts_with(&settings.data_dir) {
        make_folder(&settings.data_dir)?;
    }
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let opened = options.open(database);
    opened.map(drop).map_err(|error| {
        Error::refused(format!("the database {} cannot be opened: {error}", database.display()))
    })
}

fn make_folder(folder: &Path) -> Result<(), Error> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder).map_err(|error| {
        Error::refused(format!("the folder {} (data-dir) cannot be made: {error}", folder.display()))
    })
}

/// The documents of the settings; the folder of the embedded default is made.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::{Environment, Flags};

    fn settings(data: &Path) -> Settings {
        let flags: Flags = [("data-dir", vec![data.to_str().unwrap().to_owned()])].into();
        Settings::load(&flags, &Environment::new()).unwrap()
    }

    #[test]
    fn only_what_serves_opens_documents() {
        let home = tempfile::tempdir().unwrap();
        let settings = settings(home.path());
        open_app(&settings, Outside::closed()).unwrap();
        open_app(&settings, Outside::with_vendors().unwrap()).unwrap();
        let folder = home.path().join("documents");
        assert!(!folder.exists());
        open_app(&settings, Outside::open(&settings).unwrap()).unwrap();
        assert!(folder.is_dir());
    }

    #[cfg(unix)]
    #[test]
    fn what_holds_personal_data_is_for_its_owner_alone() {
        use std::os::unix::fs::PermissionsExt;
        let home = tempfile::tempdir().unwrap();
        let data = home.path().join("a/data");
        let settings = settings(&data);
        make_database(&settings).unwrap();
        let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&data), mode(&settings.database)), (0o700, 0o600));
    }
}
