//! The parsers of settings. A problem completes the sentence "the setting NAME …".

use super::types::{DatabaseUrl, LogFormat, Role, ServerUrl};
use cutover_http::AnswerName;
use cutover_outbound::Location;
use cutover_store::{EncryptionKeys, check_url};
use std::net::{IpAddr, SocketAddr};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tracing::level_filters::LevelFilter;

pub(super) const HOUR: Duration = Duration::from_secs(3_600);
pub(super) const DAY: Duration = Duration::from_secs(86_400);
/// Limit of [`body_limit`]: a staged payload unpacks to no more than this.
const MAX_BODY: usize = 64 << 20;
/// Limit of [`document_limit`]: a request holds a piece of a document only, but it takes its time.
const MAX_DOCUMENT: usize = 1 << 30;
/// Least limit of [`memory`]: an idle server takes half of it.
const LEAST_MEMORY: usize = 64 << 20;

/// Parses a whole number of `ms`, `s`, `m`, `h` or `d`. A number without a unit is refused: it could mean any of them.
fn duration(text: &str) -> Result<Duration, String> {
    let wrong = || format!("is {text:?}, not a time such as 500ms, 60s, 5m, 1h or 7d");
    let (number, unit) = split_unit(text).ok_or_else(wrong)?;
    let millis = match unit {
        "" => {
            return Err(format!(
                "is {text:?}, a time without a unit: write {number}s, or for example 60s or 5m"
            ));
        }
        "ms" => 1,
        "s" => 1_000,
        "m" => 60_000,
        "h" => 3_600_000,
        "d" => 86_400_000,
        _ => return Err(wrong()),
    };
    number.checked_mul(millis).map(Duration::from_millis).ok_or_else(wrong)
}

/// Parses a duration of more than zero and at most `most`.
pub(super) fn time(text: &str, most: Duration) -> Result<Duration, String> {
    match delay(text, most)? {
        Duration::ZERO => Err("is zero".to_owned()),
        time => Ok(time),
    }
}

/// Parses a duration of at most `most`.
pub(super) fn delay(text: &str, most: Duration) -> Result<Duration, String> {
    match duration(text)? {
        time if time > most => Err(format!("is {text:?}, more than {} s", most.as_secs())),
        time => Ok(time),
    }
}

/// Parses a whole number of bytes, `KiB`, `MiB` or `GiB`.
fn size(text: &str) -> Result<usize, String> {
    let wrong = || format!("is {text:?}, not a size such as 8388608, 512KiB or 8MiB");
    let (number, unit) = split_unit(text).ok_or_else(wrong)?;
    let bytes = match unit {
        "" | "B" => 1,
        "KiB" => 1 << 10,
        "MiB" => 1 << 20,
        "GiB" => 1 << 30,
        _ => return Err(wrong()),
    };
    number.checked_mul(bytes).and_then(|bytes: u64| usize::try_from(bytes).ok()).ok_or_else(wrong)
}

fn split_unit(text: &str) -> Option<(u64, &str)> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    Some((text[..end].parse().ok()?, text[end..].trim_start()))
}

pub(super) fn body_limit(text: &str) -> Result<usize, String> {
    let size = size(text)?;
    let legal = (1 << 10..=MAX_BODY).contains(&size);
    if legal { Ok(size) } else { Err(format!("is {text:?}, not from 1KiB to 64MiB")) }
}

pub(super) fn document_limit(text: &str) -> Result<usize, String> {
    if text == "0" {
        return Ok(0);
    }
    let size = size(text)?;
    let legal = (1 << 10..=MAX_DOCUMENT).contains(&size);
    if legal { Ok(size) } else { Err(format!("is {text:?}, neither 0 nor from 1KiB to 1GiB")) }
}

pub(super) fn memory(text: &str) -> Result<usize, String> {
    let size = size(text)?;
    if size >= LEAST_MEMORY { Ok(size) } else { Err(format!("is {text:?}, less than 64MiB")) }
}

/// Parses a whole number from `least` to `most`.
pub(super) fn number<T: TryFrom<u32>>(text: &str, least: u32, most: u32) -> Result<T, String> {
    let number = text.parse().ok().filter(|n| (least..=most).contains(n));
    let number = number.and_then(|n| T::try_from(n).ok());
    number.ok_or_else(|| format!("is {text:?}, not a whole number from {least} to {most}"))
}

/// The number of cores of this machine.
pub(super) fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, NonZeroUsize::get)
}

/// Parses an IP address and a port.
pub(super) fn address(text: &str) -> Result<SocketAddr, String> {
    let named = text.strip_prefix("localhost:").map(|port| format!("127.0.0.1:{port}"));
    let wrong = || format!("is {text:?}, not an IP address and a port such as 127.0.0.1:8080 or [::1]:8080");
    named.as_deref().unwrap_or(text).parse().map_err(|_| wrong())
}

/// Parses the IP address of a proxy.
pub(super) fn proxy(text: &str) -> Result<IpAddr, String> {
    let address: IpAddr =
        text.parse().map_err(|_| format!("is {text:?}, not the IP address of a proxy such as 10.0.0.5"))?;
    // No peer has this address: it would be meant as a wildcard.
    if address.is_unspecified() {
        return Err(format!("is {text:?}: trusting every peer lets any client forge its address"));
    }
    Ok(address.to_canonical())
}

/// Parses a further name of a member in answers.
pub(super) fn answer_name(text: &str) -> Result<AnswerName, String> {
    cutover_http::answer_name(text).map_err(|error| format!("is {text:?}: {error}"))
}

pub(super) fn switch(text: &str) -> Result<bool, String> {
    text.parse().map_err(|_| format!("is {text:?}, not true or false"))
}

pub(super) fn folder(text: &str) -> Result<PathBuf, String> {
    if text.is_empty() { Err("is empty: name a folder".into()) } else { Ok(text.into()) }
}

const DATABASE_URLS: &str = "use sqlite:PATH or postgres://USER:PASSWORD@HOST:PORT/NAME";

pub(super) fn database_url(text: &str) -> Result<DatabaseUrl, String> {
    // The URL is not shown: it may hold a password.
    let (scheme, rest) = text.split_once(':').unwrap_or((text, ""));
    match scheme {
        "sqlite" => sqlite_path(rest).map(DatabaseUrl::File),
        "postgres" | "postgresql" => server_url(text).map(DatabaseUrl::Server),
        _ => Err(format!("is not a database URL: {DATABASE_URLS}")),
    }
}

fn sqlite_path(rest: &str) -> Result<PathBuf, String> {
    let path = rest.strip_prefix("//").unwrap_or(rest);
    match path {
        "" => Err("names no file: use sqlite:PATH".into()),
        ":memory:" => Err("names a database in memory, which would be lost: use sqlite:PATH".into()),
        path if path.contains('?') => Err("has parameters, which are not supported: use sqlite:PATH".into()),
        path => Ok(path.into()),
    }
}

/// Parses the URL of a PostgreSQL database.
pub(super) fn server_url(text: &str) -> Result<ServerUrl, String> {
    check_url(text).map(|()| ServerUrl(text.to_owned())).map_err(str::to_owned)
}

pub(super) fn location(text: &str) -> Result<Location, String> {
    text.parse().map_err(|error: cutover_outbound::InvalidLocation| format!("cannot be used: {error}"))
}

/// Parses `NAME:KEY` texts; none if there are none.
pub(super) fn encryption_keys(texts: &[String]) -> Result<Option<Arc<EncryptionKeys>>, String> {
    if texts.is_empty() {
        return Ok(None);
    }
    let keys = EncryptionKeys::parse(&texts.join("\n"));
    keys.map(|keys| Some(Arc::new(keys))).map_err(|error| format!("cannot be used: {error}"))
}

pub(super) fn role(text: &str) -> Result<Role, String> {
    match text {
        "all" => Ok(Role::All),
        "api" => Ok(Role::Api),
        "worker" => Ok(Role::Worker),
        _ => Err(format!("is {text:?}, not all, api or worker")),
    }
}

pub(super) fn log_format(text: &str) -> Result<LogFormat, String> {
    match text {
        "text" => Ok(LogFormat::Text),
        "json" => Ok(LogFormat::Json),
        _ => Err(format!("is {text:?}, not text or json")),
    }
}

pub(super) fn log_level(text: &str) -> Result<LevelFilter, String> {
    let known = ["error", "warn", "info", "debug", "trace"].contains(&text);
    let level = if known { text.parse().ok() } else { None };
    level.ok_or_else(|| format!("is {text:?}, not error, warn, info, debug or trace"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_sizes_have_units() {
        assert_eq!(duration("90s"), Ok(Duration::from_secs(90)));
        assert_eq!(duration("500ms"), Ok(Duration::from_millis(500)));
        assert_eq!(duration("7d"), Ok(Duration::from_secs(604_800)));
        assert_eq!(size("8MiB"), Ok(8 << 20));
        assert_eq!(size("1024"), Ok(1024));
        for bad in ["", "-1", "1.5s", "s", "1w", "99999999999999999999", "18446744073709551615d"] {
            assert!(duration(bad).is_err(), "{bad}");
        }
        for unitless in ["0", "60", "86400"] {
            let refused = duration(unitless).unwrap_err();
            assert!(refused.contains(&format!("write {unitless}s, or for example")), "{refused}");
        }
        for bad in ["", "-1", "8MB", "1.5MiB", "99999999999GiB"] {
            assert!(size(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn addresses_have_a_port() {
        assert_eq!(address("localhost:0").unwrap().to_string(), "127.0.0.1:0");
        assert_eq!(address("[::1]:8080").unwrap().to_string(), "[::1]:8080");
        for bad in ["", "8080", "127.0.0.1", "127.0.0.1:99999", "host:80"] {
            assert!(address(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn sqlite_databases_are_named_by_their_path() {
        assert_eq!(database_url("sqlite:a/b.db"), Ok(DatabaseUrl::File("a/b.db".into())));
        assert_eq!(database_url("sqlite:///srv/b.db"), Ok(DatabaseUrl::File("/srv/b.db".into())));
        for bad in ["", "b.db", "sqlite:", "sqlite::memory:", "sqlite:a?mode=ro", "mysql://x", "postgres:x"] {
            assert!(database_url(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn servers_are_named_by_a_libpq_url() {
        let url = "postgresql://u:p%40@h1:5432,h2/db?target_session_attrs=read-write";
        assert_eq!(database_url(url), Ok(DatabaseUrl::Server(ServerUrl(url.into()))));
        let refused = database_url("postgres://u:s3/cret@h/db").unwrap_err();
        assert!(!refused.contains("s3") && !refused.contains("cret"), "{refused}");
    }

    #[test]
    fn a_proxy_has_a_specified_address() {
        assert_eq!(proxy("::ffff:10.0.0.5"), Ok("10.0.0.5".parse().unwrap()));
        for bad in ["0.0.0.0", "::", "10.0.0.0/8", "proxy", ""] {
            assert!(proxy(bad).is_err(), "{bad}");
        }
    }
}
