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

/// The purpose of opening a database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// To run a command. On PostgreSQL no migration is applied.
    Command,
    /// To serve. On PostgreSQL migrations are applied if the settings say so.
    Serve,
}

/// An open database, with the operations that differ between its kinds.
#[derive(Debug)]
pub(crate) enum OpenDatabase {
    Sqlite(Arc<SqliteStore>),
    Postgres(Arc<PostgresStore>),
}

impl OpenDatabase {
    /// Opens the database of the settings. A SQLite file is created if it is missing, and migrated.
    ///
    /// # Errors
    /// [`Error`] if it cannot be opened, or lacks migrations that the purpose does not allow to apply.
    pub(crate) fn open(settings: &Settings, purpose: Purpose) -> Result<Self, Error> {
        let sealer = settings.encryption.sealer()?;
        let opened = match &settings.database {
            Database::Sqlite(file) => {
                create_file(file, settings)?;
                let options = match purpose {
                    Purpose::Serve => Options { sealer, ..Options::default() },
                    Purpose::Command => Options::beside_a_server(sealer),
                };
                SqliteStore::open(file, options).map(|store| Self::Sqlite(Arc::new(store)))
            }
            Database::Postgres(options) => {
                let options = PostgresOptions {
                    listens: purpose == Purpose::Serve,
                    migrates: purpose == Purpose::Serve && settings.values.migrate,
                    sealer,
                    ..(**options).clone()
                };
                PostgresStore::open(&options).map(|store| Self::Postgres(Arc::new(store)))
            }
        };
        opened.map_err(|error| open_error(&settings.database, &error))
    }

    pub(crate) fn store(&self) -> Arc<dyn Store> {
        match self {
            Self::Sqlite(store) => store.clone(),
            Self::Postgres(store) => store.clone(),
        }
    }

    /// Counts encrypted and unencrypted values by table and key.
    ///
    /// # Errors
    /// [`StoreError`] if they cannot be read.
    pub(crate) fn seals(&self) -> Result<Vec<Seals>, StoreError> {
        match self {
            Self::Sqlite(store) => store.seals(),
            Self::Postgres(store) => store.seals(),
        }
    }

    /// The names of the encryption keys of this process. The first one encrypts.
    pub(crate) fn encryption_keys(&self) -> Vec<String> {
        match self {
            Self::Sqlite(store) => store.encryption_keys(),
            Self::Postgres(store) => store.encryption_keys(),
        }
    }

    /// The clock for timestamps of its rows.
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

/// The clock of the database, which all its nodes share.
struct DatabaseClock(Arc<PostgresStore>);

impl Clock for DatabaseClock {
    fn now(&self) -> DateTime<Utc> {
        self.0.now()
    }
}

/// Describes in one line why a database could not be opened.
pub(crate) fn open_error(database: &Database, error: &OpenError) -> Error {
    let cause = match error {
        OpenError::Pending(_) => {
            return Error::refused(format!("{error}: run `cutover migrate`, or start with --migrate"));
        }
        OpenError::Rights { role, .. } => {
            return Error::refused(format!(
                "{error}: run `cutover migrate --running-role {role}` as the owner of the tables"
            ));
        }
        OpenError::Connect(cause) | OpenError::Unavailable(cause) => cause.clone(),
        _ => error.to_string(),
    };
    // The answer of poolers to session settings.
    let is_proxy = cause.contains("unsupported startup parameter");
    let hint = if is_proxy { "; behind a proxy, name PostgreSQL itself in database-direct-url" } else { "" };
    // libpq reports a line for each address it tried.
    let text = format!("the database {database} cannot be opened: {}{hint}", one_line(&cause));
    match error {
        OpenError::Unavailable(_) => Error::DatabaseUnavailable(text),
        _ => Error::Refused(text),
    }
}

fn one_line(text: &str) -> String {
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    lines.join("; ")
}

/// Creates the file of a database if it is missing, and the data folder if the file is in it. Only their owner may read
/// them: they hold personal data.
///
/// # Errors
/// [`Error`] if they cannot be created.
pub(crate) fn create_file(file: &Path, settings: &Settings) -> Result<(), Error> {
    if file.starts_with(&settings.values.data_dir) {
        create_folder(&settings.values.data_dir)?;
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

fn create_folder(folder: &Path) -> Result<(), Error> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder).map_err(|error| {
        Error::refused(format!("the folder {} (data-dir) cannot be created: {error}", folder.display()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_open_error_is_one_line() {
        let text = "connection to server at \"h\", port 1 failed: refused\n\tIs the server running?\n\n";
        let database = Database::Postgres(Box::new(PostgresOptions::new("postgres://u:s3cret@h:1/db")));
        for (error, is_outage) in
            [(OpenError::Connect(text.into()), false), (OpenError::Unavailable(text.into()), true)]
        {
            let refused = open_error(&database, &error);
            assert_eq!(
                refused.to_string(),
                "the database postgres://u@h:1/db cannot be opened: connection to server at \"h\", port 1 failed: \
                 refused; Is the server running?"
            );
            assert_eq!(refused.is_outage_of_database(), is_outage);
        }
    }

    #[cfg(unix)]
    #[test]
    fn only_the_owner_can_read_database_and_data_folder() {
        use crate::settings::{Environment, Flags};
        use std::os::unix::fs::PermissionsExt;
        let home = tempfile::tempdir().unwrap();
        let data = home.path().join("a/data");
        let flags: Flags = [("data-dir", vec![data.to_str().unwrap().to_owned()])].into();
        let settings = Settings::load(&flags, &Environment::new()).unwrap();
        let file = data.join("cutover.db");
        create_file(&file, &settings).unwrap();
        let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&data), mode(&file)), (0o700, 0o600));
    }
}
