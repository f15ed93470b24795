use super::error::SettingsError;
use super::read;
use super::serve::time;
use super::sources::Given;
use cutover_store::{PostgresOptions, shown};
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
#[derive(Debug, PartialEq, Eq)]
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

/// The URL of a PostgreSQL database, in libpq's form. What libpq would stumble over is refused here: its errors
/// show what that is, and it may be of the password.
fn postgres(text: &str) -> Result<String, String> {
    let rest = text.strip_prefix("postgres://").or_else(|| text.strip_prefix("postgresql://"));
    let rest = rest.ok_or("is no URL of PostgreSQL: use postgres://USER:PASSWORD@HOST:PORT/NAME")?;
    let (front, parameters) = rest.split_once('?').unwrap_or((rest, ""));
    let authority = front.split_once('/').map_or(front, |(authority, _)| authority);
    let hosts = authority.split_once('@').map_or(authority, |(_, hosts)| hosts);
    match () {
        () if rest.chars().any(|c| c.is_whitespace() || c.is_control()) => {
            Err("has a blank: write it as %20".into())
        }
        () if !is_encoded(rest) => {
            Err("has a % that is followed by no two hexadecimal digits: write % as %25".into())
        }
        () if rest.matches('@').count() > usize::from(authority.contains('@')) => {
            Err("has an @, / or ? in its user or password: write them as %40, %2F and %3F".into())
        }
        () if !hosts.split(',').all(is_host) => {
            Err("names no host such as db.example.com:5432 or [::1]:5432".into())
        }
        () if !parameters.is_empty() && !parameters.split('&').all(is_parameter) => {
            Err("has a parameter that is not name=value".into())
        }
        () => Ok(text.to_owned()),
    }
}

fn is_encoded(text: &str) -> bool {
    let byte = |digits: &str| u8::from_str_radix(digits, 16).is_ok_and(|byte| byte != 0);
    let is_digits = |code: &str| code.bytes().all(|b| b.is_ascii_hexdigit()) && byte(code);
    text.split('%').skip(1).all(|part| part.get(..2).is_some_and(is_digits))
}

fn is_host(text: &str) -> bool {
    let (host, port) = match text.strip_prefix('[').map(|text| text.split_once(']')) {
        Some(Some((host, port))) if !host.is_empty() => ("", port),
        Some(_) => return false,
        None => text.split_at(text.find(':').unwrap_or(text.len())),
    };
    let is_port = |text: &str| text.is_empty() || text.parse::<u16>().is_ok_and(|port| port != 0);
    !host.contains(['[', ']']) && (port.is_empty() || port.strip_prefix(':').is_some_and(is_port))
}

fn is_parameter(text: &str) -> bool {
    matches!(text.split('=').collect::<Vec<_>>()[..], [name, _] if !name.is_empty())
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
        for good in [
            "postgres://u:p%40%2F%25@db.example.com:5432/cutover?sslmode=verify-full&sslrootcert=/ca.pem",
            "postgresql://u@h1:5432,[::1]:5433,h3/db?target_session_attrs=read-write",
            "postgres:///db?host=/run/postgresql",
            "postgres://%2Frun%2Fpostgresql/db",
            "postgres://",
        ] {
            assert_eq!(place(good), Ok(Place::Server(good.into())), "{good}");
        }
    }

    #[test]
    fn what_libpq_would_show_is_refused_unshown() {
        for bad in [
            "postgres://u:s3/cret@h/db",
            "postgres://u:s3?cret@h/db",
            "postgres://u:s3@cret@h/db",
            "postgres://u:s3%zzcret@h/db",
            "postgres://u:s3%00cret@h/db",
            "postgres://u:s3%+1cret@h/db",
            "postgres://u:s3cret%4@h/db",
            "postgres://u:s3cret%é@h/db",
            "postgres://u:s3 cret@h/db",
            "postgres://u:s3cret@[::1/db",
            "postgres://u:s3cret@[::1]x/db",
            "postgres://u:s3cret@h:x/db",
            "postgres://u:s3cret@h:0/db",
            "postgres://h/db?password=s3=cret",
            "postgres://h/db?s3cret",
        ] {
            let refused = postgres(bad).expect_err(bad);
            assert!(!refused.contains("s3") && !refused.contains("cret"), "{bad}: {refused}");
        }
    }
}
