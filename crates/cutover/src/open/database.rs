use crate::error::Error;
use crate::settings::{Database, Settings};
use crate::system::SystemClock;
use chrono::{DateTime, Utc};
use cutover_app::port::{Clock, Store, StoreError};
use cutover_store::{
    MigrationStatus, OpenError, Options, PostgresOptions, PostgresStore, Seals, SqliteStore,
};
use std::fs::{DirBuilder, OpenOptions};
use std::path::Path;
use std::sync::Arc;

/// What a database is opened for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// To do something and end. On PostgreSQL no migration is applied.
    Command,
    /// To serve. On PostgreSQL migrations are applied if the settings say so.
    Serve,
    /// To apply migrations.
    Migrate,
}

/// The database of the settings, open, with what differs from one kind to the other.
#[derive(Debug)]
pub(crate) enum OpenDatabase {
    Sqlite(Arc<SqliteStore>),
    Postgres(Arc<PostgresStore>),
}

impl OpenDatabase {
    /// Opens it; a file is made if there is none, and its migrations are applied.
    ///
    /// # Errors
    /// [`Error`] if it cannot be opened, or lacks migrations that are not to be applied now.
    pub(crate) fn open(settings: &Settings, purpose: Purpose) -> Result<Self, Error> {
        let sealer = settings.encryption.sealer()?;
        let opened = match &settings.database {
            Database::Sqlite(file) => {
                make_file(file, settings)?;
                let options = Options { sealer, ..Options::default() };
                SqliteStore::open(file, options).map(|store| Self::Sqlite(Arc::new(store)))
            }
            Database::Postgres(options) => {
                let options = PostgresOptions {
                    listens: purpose == Purpose::Serve,
                    migrates: match purpose {
                        Purpose::Command => false,
                        Purpose::Serve => settings.serve.migrate,
                        Purpose::Migrate => true,
                    },
                    sealer,
                    ..(**options).clone()
                };
                PostgresStore::open(&options).map(|store| Self::Postgres(Arc::new(store)))
            }
        };
        opened.map_err(|error| refused(&settings.database, &error))
    }

    pub(crate) fn store(&self) -> Arc<dyn Store> {
        match self {
            Self::Sqlite(store) => store.clone(),
            Self::Postgres(store) => store.clone(),
        }
    }

    /// How what is to be sealed at rest lies in it.
    ///
    /// # Errors
    /// [`StoreError`] if it cannot be asked.
    pub(crate) fn seals(&self) -> Result<Vec<Seals>, StoreError> {
        match self {
            Self::Sqlite(store) => store.seals(),
            Self::Postgres(store) => store.seals(),
        }
    }

    /// The names of the encryption keys that values are opened with here. The first one seals.
    pub(crate) fn encryption_keys(&self) -> Vec<String> {
        match self {
            Self::Sqlite(store) => store.encryption_keys(),
            Self::Postgres(store) => store.encryption_keys(),
        }
    }

    /// The clock that its rows are written by.
    pub(crate) fn clock(&self) -> Arc<dyn Clock> {
        match self {
            Self::Sqlite(_) => Arc::new(SystemClock),
            Self::Postgres(store) => Arc::new(DatabaseClock(store.clone())),
        }
    }

    /// Its migrations, oldest first; none is pending.
    pub(crate) fn migrations(&self) -> &[MigrationStatus] {
        match self {
            Self::Sqlite(store) => store.migrations(),
            Self::Postgres(store) => store.migrations(),
        }
    }
}

/// The clock of the database: every machine that shares one goes by it.
struct DatabaseClock(Arc<PostgresStore>);

impl Clock for DatabaseClock {
    fn now(&self) -> DateTime<Utc> {
        self.0.now()
    }
}

/// Why a database is not opened, in one line.
pub(crate) fn refused(database: &Database, error: &OpenError) -> Error {
    let cause = match error {
        OpenError::Pending(_) => {
            return Error::refused(format!("{error}: run `cutover migrate`, or start with --migrate"));
        }
        OpenError::Connect(cause) => cause.clone(),
        _ => error.to_string(),
    };
    // What poolers say to settings of a connection that is not one's own.
    let is_proxy = cause.contains("unsupported startup parameter");
    let hint = if is_proxy { "; behind a proxy, name PostgreSQL itself in database-direct-url" } else { "" };
    // libpq says a line for each address it tried.
    Error::refused(format!("the database {database} cannot be opened: {}{hint}", one_line(&cause)))
}

fn one_line(text: &str) -> String {
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    lines.join("; ")
}

/// Makes the file of a database, and the data folder if it lies there, for nobody but their owner: they hold
/// personal data.
///
/// # Errors
/// [`Error`] if they cannot be made.
pub(crate) fn make_file(file: &Path, settings: &Settings) -> Result<(), Error> {
    if file.starts_with(&settings.data_dir) {
        make_folder(&settings.data_dir)?;
    }
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
        .open(file)
        .map(drop)
        .map_err(|error| Error::refused(format!("the database {} cannot be opened: {error}", file.display())))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_is_one_line() {
        let text = "connection to server at \"h\", port 1 failed: refused\n\tIs the server running?\n\n";
        let refused = refused(
            &Database::Postgres(Box::new(PostgresOptions::new("postgres://u:s3cret@h:1/db"))),
            &OpenError::Connect(text.into()),
        );
        assert_eq!(
            refused.to_string(),
            "the database postgres://u@h:1/db cannot be opened: connection to server at \"h\", port 1 failed: \
             refused; Is the server running?"
        );
    }

    #[cfg(unix)]
    #[test]
    fn what_holds_personal_data_is_for_its_owner_alone() {
        use crate::settings::{Environment, Flags};
        use std::os::unix::fs::PermissionsExt;
        let home = tempfile::tempdir().unwrap();
        let data = home.path().join("a/data");
        let flags: Flags = [("data-dir", vec![data.to_str().unwrap().to_owned()])].into();
        let settings = Settings::load(&flags, &Environment::new()).unwrap();
        let file = data.join("cutover.db");
        make_file(&file, &settings).unwrap();
        let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&data), mode(&file)), (0o700, 0o600));
    }
}
