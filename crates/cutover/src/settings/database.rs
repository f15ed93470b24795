use super::error::SettingsError;
use super::read;
use super::serve::time;
use super::sources::Given;
use cutover_store::{PostgresOptions, check_url, shown};
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The database.
#[derive(Debug, Clone)]
pub(crate) enum Database {
    /// A file, which one process serves.
    Sqlite(PathBuf),
    /// A server, which any number of processes use.
    Postgres(Box<PostgresOptions>),
}

/// It never shows what is secret.
impl fmt::Display for Database {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sqlite(file) => write!(f, "{}", file.display()),
            Self::Postgres(options) => f.write_str(&shown(&options.url)),
        }
    }
}

/// What a URL leads to.
#[cfg_attr(test, derive(Debug))]
#[derive(PartialEq, Eq)]
enum Place {
    File(PathBuf),
    Server(String),
}

impl Database {
    pub(super) fn read(given: &Given, data_dir: &Path) -> Result<Self, SettingsError> {
        let place = given.get("database-url", place)?;
        let direct_url = given.get("database-direct-url", postgres)?;
        let replica_url = given.get("database-replica-url", postgres)?;
        let url = match place.unwrap_or_else(|| Place::File(data_dir.join("cutover.db"))) {
            Place::Server(url) => url,
            Place::File(file) => {
                let lonely = direct_url.map(|_| "database-direct-url");
                return match lonely.or(replica_url.map(|_| "database-replica-url")) {
                    Some(name) => Err(given.refuse(name, "needs a database-url of PostgreSQL beside it")),
                    None => Ok(Self::Sqlite(file)),
                };
            }
        };
        let usual = PostgresOptions::new(url);
        let connections = given.get("database-connections", |text| read::number(text, 1, 1_000))?;
        let limit = |name, default| time(given, name, Duration::from_secs(3_600), default);
        Ok(Self::Postgres(Box::new(PostgresOptions {
            direct_url,
            replica_url,
            connections: connections.and_then(|n| n.try_into().ok()).unwrap_or(usual.connections),
            pool_timeout: limit("database-pool-timeout", usual.pool_timeout)?,
            statement_timeout: limit("database-statement-timeout", usual.statement_timeout)?,
            ..usual
        })))
    }
}

const FORMS: &str = "use sqlite:PATH or postgres://USER:PASSWORD@HOST:PORT/NAME";

fn place(text: &str) -> Result<Place, String> {
    // The URL is not shown: it may hold a password.
    let (scheme, rest) = text.split_once(':').unwrap_or((text, ""));
    match scheme {
        "sqlite" => sqlite(rest).map(Place::File),
        "postgres" | "postgresql" => postgres(text).map(Place::Server),
        _ => Err(format!("is no database URL: {FORMS}")),
    }
}

/// The path of a SQLite database.
fn sqlite(rest: &str) -> Result<PathBuf, String> {
    let path = rest.strip_prefix("//").unwrap_or(rest);
    match path {
        "" => Err("names no file: use sqlite:PATH".into()),
        ":memory:" => Err("names a database in memory, which would be lost: use sqlite:PATH".into()),
        path if path.contains('?') => Err("has parameters, which are not taken: use sqlite:PATH".into()),
        path => Ok(path.into()),
    }
}

/// The URL of a PostgreSQL database.
fn postgres(text: &str) -> Result<String, String> {
    check_url(text).map(|()| text.to_owned()).map_err(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_named_by_their_path() {
        assert_eq!(place("sqlite:a/b.db"), Ok(Place::File("a/b.db".into())));
        assert_eq!(place("sqlite:///srv/b.db"), Ok(Place::File("/srv/b.db".into())));
        for bad in ["", "b.db", "sqlite:", "sqlite::memory:", "sqlite:a?mode=ro", "mysql://x", "postgres:x"] {
            assert!(place(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn servers_are_named_as_libpq_has_it() {
        let url = "postgresql://u:p%40@h1:5432,h2/db?target_session_attrs=read-write";
        assert_eq!(place(url), Ok(Place::Server(url.into())));
        let refused = place("postgres://u:s3/cret@h/db").unwrap_err();
        assert!(!refused.contains("s3") && !refused.contains("cret"), "{refused}");
    }
}
