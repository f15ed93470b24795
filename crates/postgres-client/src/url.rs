//! Parser for URLs of databases in libpq's form.

use super::error::UrlError;

/// The parts of a URL, percent-encoded as they were written.
pub(super) struct Url<'u> {
    scheme: &'u str,
    /// User and password.
    login: Option<&'u str>,
    /// Hosts with their ports, and the database.
    address: &'u str,
    parameters: Vec<(&'u str, &'u str)>,
}

impl<'u> Url<'u> {
    /// Parses a URL. Errors show no part of it, because the faulty part may belong to a password.
    pub(super) fn parse(url: &'u str) -> Result<Self, UrlError> {
        Self::parts(url).map_err(|fault| UrlError(fault.to_owned()))
    }

    /// Refuses all that libpq refuses, because libpq's errors show the faulty part.
    fn parts(url: &'u str) -> Result<Self, &'static str> {
        let known = |(scheme, _): &(&str, &str)| ["postgres", "postgresql"].contains(scheme);
        let (scheme, rest) = url.split_once("://").filter(known).ok_or(NO_URL)?;
        // As in libpq, the login ends at the first @ before any path.
        let (login, rest) = match rest.find(['@', '/']).map(|at| (at, &rest[at..])) {
            Some((at, tail)) if tail.starts_with('@') => (Some(&rest[..at]), &rest[at + 1..]),
            _ => (None, rest),
        };
        let (address, query) = rest.split_once('?').unwrap_or((rest, ""));
        let hosts = address.split_once('/').map_or(address, |(hosts, _)| hosts);
        let pairs = query.split('&').filter(|pair| !pair.is_empty());
        let parameters: Option<Vec<_>> = pairs.map(parameter).collect();
        match parameters {
            _ if url.contains(|c: char| c.is_whitespace() || c.is_control()) => Err(BLANK),
            _ if !is_encoded(url) => Err(PERCENT),
            // Another @ belongs to a password that was not encoded.
            _ if rest.contains('@') => Err(LOGIN),
            _ if !hosts.split(',').all(is_host) => Err(HOST),
            None => Err(PARAMETER),
            Some(parameters) => Ok(Self { scheme, login, address, parameters }),
        }
    }

    /// Returns the user and the password.
    pub(super) fn login(&self) -> (Option<&'u str>, Option<&'u str>) {
        match self.login.map(|login| login.split_once(':').unwrap_or((login, ""))) {
            Some((user, password)) => (given(user), given(password)),
            None => (None, None),
        }
    }

    /// Returns the hosts with their ports, and the database.
    pub(super) fn place(&self) -> (&'u str, Option<&'u str>) {
        let (hosts, database) = self.address.split_once('/').unwrap_or((self.address, ""));
        (hosts, given(database))
    }

    /// Returns the parameters in their order.
    pub(super) fn parameters(&self) -> impl Iterator<Item = (&'u str, &'u str)> + '_ {
        self.parameters.iter().copied()
    }
}

fn given(text: &str) -> Option<&str> {
    Some(text).filter(|text| !text.is_empty())
}

const NO_URL: &str = "is not a URL of PostgreSQL: use postgres://USER:PASSWORD@HOST:PORT/NAME";
const BLANK: &str = "has a blank: write it as %20";
const PERCENT: &str = "has a % without two hexadecimal digits after it: write % as %25";
const LOGIN: &str = "has an @ or / in its user or password: write them as %40 and %2F";
const HOST: &str = "has a host that is not in a form like db.example.com:5432 or [::1]:5432";
const PARAMETER: &str = "has a parameter that is not name=value";

fn parameter(pair: &str) -> Option<(&str, &str)> {
    pair.split_once('=').filter(|(name, value)| !name.is_empty() && !value.contains('='))
}

/// Returns true if each `%` is followed by the two digits of a byte.
fn is_encoded(url: &str) -> bool {
    url.split('%').skip(1).all(|tail| {
        let digits = tail.get(..2);
        digits.is_some_and(|digits| digits != "00" && digits.bytes().all(|b| b.is_ascii_hexdigit()))
    })
}

/// Returns true for a host with or without a port. An empty text means a socket.
fn is_host(text: &str) -> bool {
    let (host, port) = match text.strip_prefix('[').map(|text| text.split_once(']')) {
        Some(Some((host, port))) if !host.is_empty() => ("", port),
        Some(_) => return false,
        None => text.split_at(text.find(':').unwrap_or(text.len())),
    };
    let is_port = |text: &str| text.is_empty() || text.parse::<u16>().is_ok_and(|port| port != 0);
    !host.contains(['[', ']']) && (port.is_empty() || port.strip_prefix(':').is_some_and(is_port))
}

/// Checks that a text is the URL of a database in libpq's form.
///
/// # Errors
/// Describes the fault without showing any part of the text, which may belong to a password.
pub fn check_url(url: &str) -> Result<(), &'static str> {
    Url::parts(url).map(drop)
}

/// Returns the URL of a database without its secrets. Shows nothing of an invalid URL, because any part of it
/// may belong to a password.
pub fn shown(url: &str) -> String {
    let Ok(Url { scheme, login, address, .. }) = Url::parts(url) else { return "postgres://…".into() };
    match login.and_then(|login| login.split(':').next()) {
        Some(user) => format!("{scheme}://{user}@{address}"),
        None => format!("{scheme}://{address}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_not_shown() {
        for (url, expected) in [
            ("postgres://u:p%40ss@h:5432/db?sslpassword=x", "postgres://u@h:5432/db"),
            ("postgresql://u@h1:1,h2:2/db", "postgresql://u@h1:1,h2:2/db"),
            ("postgres:///db?host=/run&password=x", "postgres:///db"),
            // libpq accepts these.
            ("postgres://u:pa?ss@h/db", "postgres://u@h/db"),
            ("postgres://u:pa:s&s=@[::1]:5432/db?a=b", "postgres://u@[::1]:5432/db"),
            ("postgres://:secret@h/db", "postgres://@h/db"),
        ] {
            assert_eq!(shown(url), expected, "{url}");
        }
    }

    #[test]
    fn no_part_of_an_invalid_url_is_shown() {
        for url in [
            "postgres://u:se@cret@h/db",
            "postgres://u:se/cret@h/db",
            "postgres://u:se@cr?et@h/db",
            "postgres://u:se?cr/et@h/db",
            "postgres://u:se/cr?e=t@h/db",
            "postgres://u:se%cret@h/db",
            "postgres://u:secret%2@h/db",
            "postgres://h/db?password=se@cret",
            "postgres://h/db?secret",
            "postgres://h/db?password=s=ecret",
            "postgres://u:se cret@h/db",
            "postgres://u:secret%00@h/db",
            "postgres://u:secret%+1@h/db",
            "postgres://u:secret%é@h/db",
            "postgres://u:secret@[::1/db",
            "postgres://u:secret@[::1]x/db",
            "postgres://u:secret@h:x/db",
            "postgres://u:secret@h:0/db",
            "mysql://u:secret@h/db",
            "host=h password=secret",
            "secret",
        ] {
            assert_eq!(shown(url), "postgres://…", "{url}");
            let error = Url::parse(url).err().unwrap().to_string();
            assert!(!error.contains("cret"), "{error}");
        }
    }
}
