//! URLs of libpq, as far as they are to be understood here. Hosts, of which there may be several, sockets and
//! ports stay as they were written.

use crate::error::OpenError;

/// A URL in its parts, percent-encoded as it was written.
pub(super) struct Url<'u> {
    scheme: &'u str,
    /// User and password.
    login: Option<&'u str>,
    /// Hosts with their ports, and the database.
    place: &'u str,
    parameters: Vec<(&'u str, String)>,
}

impl<'u> Url<'u> {
    /// Errors show nothing of it: what is faulty may be part of a password.
    pub(super) fn parse(url: &'u str) -> Result<Self, OpenError> {
        Self::parts(url).map_err(|fault| OpenError::Connect(format!("its URL {fault}")))
    }

    /// What libpq would stumble over is a fault here: its errors show what that is.
    fn parts(url: &'u str) -> Result<Self, &'static str> {
        let known = |(scheme, _): &(&str, &str)| ["postgres", "postgresql"].contains(scheme);
        let (scheme, rest) = url.split_once("://").filter(known).ok_or(NO_URL)?;
        // As libpq has it: a login ends at the first @, whatever else is in it, and before any path.
        let (login, rest) = match rest.find(['@', '/']).map(|at| (at, &rest[at..])) {
            Some((at, tail)) if tail.starts_with('@') => (Some(&rest[..at]), &rest[at + 1..]),
            _ => (None, rest),
        };
        let (place, query) = rest.split_once('?').unwrap_or((rest, ""));
        let hosts = place.split_once('/').map_or(place, |(hosts, _)| hosts);
        let pairs = query.split('&').filter(|pair| !pair.is_empty());
        let parameters: Option<Vec<_>> = pairs.map(parameter).collect();
        match parameters {
            _ if url.contains(|c: char| c.is_whitespace() || c.is_control()) => Err(BLANK),
            _ if !is_encoded(url) => Err(PERCENT),
            // One more @ is of a password that was not encoded.
            _ if rest.contains('@') => Err(LOGIN),
            _ if !hosts.split(',').all(is_host) => Err(HOST),
            None => Err(PARAMETER),
            Some(parameters) => Ok(Self { scheme, login, place, parameters }),
        }
    }

    /// The value of a parameter; of one given again, the last.
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        let mut found = self.parameters.iter().rev().filter(|(given, _)| *given == name);
        found.next().map(|(_, value)| value.as_str())
    }

    /// Gives a parameter a value, unless it has one.
    pub(super) fn set_default(&mut self, name: &'u str, value: &str) {
        if self.get(name).is_none() {
            self.parameters.push((name, value.to_owned()));
        }
    }

    /// Adds options of the server behind those there are.
    pub(super) fn add_options(&mut self, options: &str) {
        let all = self.get("options").map(|given| format!("{given}%20{options}"));
        self.parameters.push(("options", all.unwrap_or_else(|| options.to_owned())));
    }
}

impl std::fmt::Display for Url<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}://", self.scheme)?;
        if let Some(login) = self.login {
            write!(f, "{login}@")?;
        }
        f.write_str(self.place)?;
        let separators = std::iter::once('?').chain(std::iter::repeat('&'));
        separators
            .zip(&self.parameters)
            .try_for_each(|(separator, (name, value))| write!(f, "{separator}{name}={value}"))
    }
}

const NO_URL: &str = "is none of PostgreSQL: use postgres://USER:PASSWORD@HOST:PORT/NAME";
const BLANK: &str = "has a blank: write it as %20";
const PERCENT: &str = "has a % that is followed by no two hexadecimal digits: write % as %25";
const LOGIN: &str = "has an @ or / in its user or password: write them as %40 and %2F";
const HOST: &str = "names no host such as db.example.com:5432 or [::1]:5432";
const PARAMETER: &str = "has a parameter that is not name=value";

fn parameter(pair: &str) -> Option<(&str, String)> {
    let (name, value) = pair.split_once('=')?;
    (!name.is_empty() && !value.contains('=')).then(|| (name, value.to_owned()))
}

/// Whether each `%` stands before two digits of a byte.
fn is_encoded(url: &str) -> bool {
    url.split('%').skip(1).all(|tail| {
        let digits = tail.get(..2);
        digits.is_some_and(|digits| digits != "00" && digits.bytes().all(|b| b.is_ascii_hexdigit()))
    })
}

/// A host with or without a port; nothing stands for a socket.
fn is_host(text: &str) -> bool {
    let (host, port) = match text.strip_prefix('[').map(|text| text.split_once(']')) {
        Some(Some((host, port))) if !host.is_empty() => ("", port),
        Some(_) => return false,
        None => text.split_at(text.find(':').unwrap_or(text.len())),
    };
    let is_port = |text: &str| text.is_empty() || text.parse::<u16>().is_ok_and(|port| port != 0);
    !host.contains(['[', ']']) && (port.is_empty() || port.strip_prefix(':').is_some_and(is_port))
}

/// Whether a text is the URL of a database, in libpq's form.
///
/// # Errors
/// What is wrong with it, without a word of it: it may be part of a password.
pub fn check_url(url: &str) -> Result<(), &'static str> {
    Url::parts(url).map(drop)
}

/// The URL of a database without what is secret in it. Of one that is none, nothing: no part of it is known
/// not to be of a password.
pub fn shown(url: &str) -> String {
    let Ok(Url { scheme, login, place, .. }) = Url::parts(url) else { return "postgres://…".into() };
    match login.and_then(|login| login.split(':').next()) {
        Some(user) => format!("{scheme}://{user}@{place}"),
        None => format!("{scheme}://{place}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_secret_is_not_shown() {
        for (url, expected) in [
            ("postgres://u:p%40ss@h:5432/db?sslpassword=x", "postgres://u@h:5432/db"),
            ("postgresql://u@h1:1,h2:2/db", "postgresql://u@h1:1,h2:2/db"),
            ("postgres:///db?host=/run&password=x", "postgres:///db"),
            // libpq takes these.
            ("postgres://u:pa?ss@h/db", "postgres://u@h/db"),
            ("postgres://u:pa:s&s=@[::1]:5432/db?a=b", "postgres://u@[::1]:5432/db"),
            ("postgres://:secret@h/db", "postgres://@h/db"),
        ] {
            assert_eq!(shown(url), expected, "{url}");
        }
    }

    #[test]
    fn of_what_is_faulty_nothing_is_shown() {
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
            assert!(!error.contains("cret") && error.starts_with("the database cannot be opened: its URL "));
        }
    }

    #[test]
    fn it_stays_as_it_was_written() {
        for url in [
            "postgres://h/db",
            "postgresql://u:p%40@h1:1,[::1]:2,/db?target_session_attrs=read-write&sslmode=require",
            "postgres://",
            "postgres:///?host=%2Frun",
        ] {
            assert_eq!(Url::parse(url).unwrap().to_string(), url);
        }
    }

    #[test]
    fn a_parameter_is_known_by_its_whole_name() {
        let mut url = Url::parse("postgres://u:sslmode=x@h/db?sslmode_=1&a=b&a=c").ok().unwrap();
        assert_eq!((url.get("sslmode"), url.get("a")), (None, Some("c")));
        url.set_default("a", "d");
        url.set_default("sslmode", "require");
        assert_eq!(url.to_string(), "postgres://u:sslmode=x@h/db?sslmode_=1&a=b&a=c&sslmode=require");
    }
}
