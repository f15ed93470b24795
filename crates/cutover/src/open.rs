//! Opens what commands work on: the database and the documents.

use crate::error::Error;
use crate::settings::Settings;
use crate::system::{SystemClock, SystemRandom};
use cutover_app::App;
use cutover_app::port::Documents;
use cutover_outbound::ObjectDocuments;
use cutover_store::{Options, SqliteStore};
use std::fs::{DirBuilder, OpenOptions};
use std::path::Path;
use std::sync::Arc;

/// The use cases over the database of the settings; pending migrations are applied first.
///
/// # Errors
/// [`Error`] if it cannot be opened.
pub(crate) fn open_app(settings: &Settings) -> Result<App, Error> {
    let store = Arc::new(open_store(settings)?);
    let lifetimes = cutover_app::Settings {
        access_token_lifetime: lifetime(settings.serve.access_token_lifetime),
        refresh_token_lifetime: lifetime(settings.serve.refresh_token_lifetime),
    };
    Ok(App::new(store, Arc::new(SystemClock), Arc::new(SystemRandom), lifetimes))
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
pub(crate) fn open_documents(settings: &Settings) -> Result<Arc<dyn Documents>, Error> {
    let documents = &settings.documents;
    let opened = if documents.is_default {
        ObjectDocuments::create(&documents.location)?
    } else {
        let opened = ObjectDocuments::open(&documents.location);
        opened
            .map_err(|error| Error::refused(format!("the setting documents-url cannot be used: {error}")))?
    };
    Ok(Arc::new(opened))
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::settings::{Environment, Flags};
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn what_holds_personal_data_is_for_its_owner_alone() {
        let home = tempfile::tempdir().unwrap();
        let data = home.path().join("a/data");
        let flags: Flags = [("data-dir", vec![data.to_str().unwrap().to_owned()])].into();
        let settings = Settings::load(&flags, &Environment::new()).unwrap();
        make_database(&settings).unwrap();
        let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&data), mode(&settings.database)), (0o700, 0o600));
    }
}
