use super::error::UrlError;
use super::url::Url;
use percent_encoding::percent_decode_str;
use std::path::PathBuf;
use std::time::Duration;
use zeroize::Zeroizing;

/// A server and how to connect to it, from a URL in libpq's form.
pub struct Config {
    /// Servers, tried in this order.
    pub(super) hosts: Vec<Host>,
    pub(super) user: String,
    pub(super) password: Option<Zeroizing<String>>,
    /// File with passwords, used without a password in the URL.
    pub(super) password_file: Option<PathBuf>,
    pub(super) database: String,
    pub(super) encryption: Encryption,
    /// File of the authorities that may sign the server's certificate; `None` means those of the system.
    pub(super) root_certificates: Option<PathBuf>,
    /// Files of the client's certificate and of its key.
    pub(super) identity: Option<(PathBuf, PathBuf)>,
    pub(super) channel_binding: ChannelBinding,
    pub(super) connect_timeout: Duration,
    pub(super) keepalive: Option<Keepalive>,
    /// Time after which sent data that is not acknowledged breaks the connection.
    pub(super) user_timeout: Option<Duration>,
    pub(super) server_kind: ServerKind,
    /// Parameters of the session.
    pub(super) session: Vec<(String, String)>,
    /// If false, every statement is parsed for each use and has no name: behind a proxy the next one may run
    /// on another connection.
    pub prepares: bool,
    /// Time without an answer after which the connection counts as lost; `None` waits for ever.
    pub answer_timeout: Option<Duration>,
}

/// A host or the folder of a socket.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Host {
    /// The name that a certificate must have, or the folder.
    pub(super) name: String,
    /// The address, if it is not to be looked up by the name.
    pub(super) address: Option<String>,
    pub(super) port: u16,
}

impl Host {
    pub(super) fn is_socket(&self) -> bool {
        self.name.starts_with('/')
    }
}

/// Parameter `sslmode`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd)]
pub(super) enum Encryption {
    Disable,
    Prefer,
    Require,
    VerifyCa,
    VerifyFull,
}

/// Parameter `channel_binding`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ChannelBinding {
    Disable,
    Prefer,
    Require,
}

/// Parameter `target_session_attrs`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ServerKind {
    Any,
    ReadWrite,
    ReadOnly,
    Primary,
    Standby,
    PreferStandby,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Keepalive {
    pub(super) idle: Duration,
    pub(super) interval: Duration,
    pub(super) count: u32,
}

/// Defaults of parameters: timeouts to connect, and to notice that the server is gone.
const DEFAULTS: [(&str, &str); 6] = [
    ("application_name", "cutover"),
    ("connect_timeout", "5"),
    ("keepalives_idle", "15"),
    ("keepalives_interval", "5"),
    ("keepalives_count", "3"),
    ("tcp_user_timeout", "5000"),
];

/// Parameters that other clients know and that change nothing here.
const IGNORED: [&str; 7] = [
    "client_encoding",
    "fallback_application_name",
    "gssencmode",
    "sslcompression",
    "sslsni",
    "ssl_min_protocol_version",
    "ssl_max_protocol_version",
];

/// The value of `sslrootcert` for the authorities of the system.
const SYSTEM: &str = "system";

const MODES: &[(&str, Encryption)] = &[
    ("disable", Encryption::Disable),
    ("allow", Encryption::Prefer),
    ("prefer", Encryption::Prefer),
    ("require", Encryption::Require),
    ("verify-ca", Encryption::VerifyCa),
    ("verify-full", Encryption::VerifyFull),
];

const BINDINGS: &[(&str, ChannelBinding)] = &[
    ("disable", ChannelBinding::Disable),
    ("prefer", ChannelBinding::Prefer),
    ("require", ChannelBinding::Require),
];

const SERVER_KINDS: &[(&str, ServerKind)] = &[
    ("any", ServerKind::Any),
    ("read-write", ServerKind::ReadWrite),
    ("read-only", ServerKind::ReadOnly),
    ("primary", ServerKind::Primary),
    ("standby", ServerKind::Standby),
    ("prefer-standby", ServerKind::PreferStandby),
];

impl Config {
    /// Reads a URL.
    ///
    /// # Errors
    /// [`UrlError`] names the faulty parameter, but not its value.
    pub fn parse(url: &str) -> Result<Self, UrlError> {
        Self::of(&Url::parse(url)?).map_err(UrlError)
    }

    fn of(url: &Url<'_>) -> Result<Self, String> {
        let (user, password) = url.login();
        let mut parameters = Parameters::default();
        for (name, value) in DEFAULTS {
            parameters.set(name, value.to_owned());
        }
        user.into_iter().for_each(|user| parameters.set("user", decoded(user)));
        password.into_iter().for_each(|password| parameters.set("password", decoded(password)));
        let (hosts, database) = url.place();
        if !hosts.is_empty() {
            let (names, ports): (Vec<_>, Vec<_>) = hosts.split(',').map(name_and_port).unzip();
            parameters.set("host", names.iter().map(|name| decoded(name)).collect::<Vec<_>>().join(","));
            parameters.set("port", ports.join(","));
        }
        database.into_iter().for_each(|database| parameters.set("dbname", decoded(database)));
        for (name, value) in url.parameters() {
            parameters.set(name, decoded(value));
        }
        parameters.config()
    }

    /// Returns true if the server's certificate is checked.
    pub fn is_verified(&self) -> bool {
        self.encryption >= Encryption::VerifyCa
    }

    /// Returns true if a parameter of the session is set.
    pub fn has_session_setting(&self, name: &str) -> bool {
        self.session.iter().any(|(given, _)| given == name)
    }

    /// Sets a parameter of the session, which overrides those of the URL.
    pub fn set(&mut self, name: &str, value: impl Into<String>) {
        self.session.push((name.to_owned(), value.into()));
    }
}

fn decoded(text: &str) -> String {
    percent_decode_str(text).decode_utf8_lossy().into_owned()
}

/// Splits the host of an authority; an empty port is the default one.
fn name_and_port(host: &str) -> (&str, &str) {
    let (name, port) = match host.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((name, rest)) => (name, rest.strip_prefix(':').unwrap_or_default()),
        None => host.split_once(':').unwrap_or((host, "")),
    };
    (name, port)
}

/// Parameters by their names; later ones replace earlier ones.
#[derive(Default)]
struct Parameters(Vec<(String, String)>);

impl Parameters {
    fn set(&mut self, name: &str, value: String) {
        self.0.retain(|(given, _)| given != name);
        self.0.push((name.to_owned(), value));
    }

    /// Takes a value; an empty one counts as absent.
    fn take(&mut self, name: &str) -> Option<String> {
        let at = self.0.iter().position(|(given, _)| given == name)?;
        Some(self.0.swap_remove(at).1).filter(|value| !value.is_empty())
    }

    fn take_number(&mut self, name: &'static str) -> Result<Option<u32>, String> {
        self.take(name).map(|value| value.parse().map_err(|_| format!("has no number in {name}"))).transpose()
    }

    fn take_word<T: Copy>(&mut self, name: &'static str, words: &[(&str, T)]) -> Result<Option<T>, String> {
        let Some(value) = self.take(name) else { return Ok(None) };
        let known = words.iter().find(|(word, _)| *word == value);
        let all = || words.iter().map(|(word, _)| *word).collect::<Vec<_>>().join(", ");
        known
            .map(|(_, word)| Some(*word))
            .ok_or_else(|| format!("has an unknown {name}: use one of {}", all()))
    }

    fn config(mut self) -> Result<Config, String> {
        let hosts = self.hosts()?;
        let user = self.take("user").or_else(system_user).ok_or("names no user")?;
        let database = self.take("dbname").unwrap_or_else(|| user.clone());
        let root = self.take("sslrootcert");
        let mut config = Config {
            hosts,
            user,
            database,
            encryption: self.encryption(root.as_deref())?,
            root_certificates: root.filter(|root| root != SYSTEM).map(PathBuf::from),
            identity: self.identity()?,
            keepalive: self.keepalive()?,
            password: self.take("password").map(Zeroizing::new),
            password_file: self.take("passfile").map(PathBuf::from),
            channel_binding: self.take_word("channel_binding", BINDINGS)?.unwrap_or(ChannelBinding::Prefer),
            connect_timeout: seconds(self.take_number("connect_timeout")?),
            user_timeout: self.user_timeout()?,
            server_kind: self.take_word("target_session_attrs", SERVER_KINDS)?.unwrap_or(ServerKind::Any),
            session: Vec::new(),
            prepares: true,
            answer_timeout: None,
        };
        for name in ["application_name", "options"] {
            self.take(name).into_iter().for_each(|value| config.set(name, value));
        }
        IGNORED.iter().for_each(|name| drop(self.take(name)));
        match self.0.first() {
            None => Ok(config),
            Some((name, _)) => Err(format!("has a parameter that is not supported: {name}")),
        }
    }

    /// `root` is the file of the authorities.
    fn encryption(&mut self, root: Option<&str>) -> Result<Encryption, String> {
        Ok(match self.take_word("sslmode", MODES)? {
            // As in libpq: authorities that are named are meant to be used.
            Some(Encryption::Require) if root.is_some() => Encryption::VerifyCa,
            Some(mode) => mode,
            None if root == Some(SYSTEM) => Encryption::VerifyFull,
            None => Encryption::Prefer,
        })
    }

    fn identity(&mut self) -> Result<Option<(PathBuf, PathBuf)>, String> {
        match (self.take("sslcert"), self.take("sslkey")) {
            (Some(certificate), Some(key)) => Ok(Some((certificate.into(), key.into()))),
            (None, None) => Ok(None),
            _ => Err("has only one of sslcert and sslkey".to_owned()),
        }
    }

    fn keepalive(&mut self) -> Result<Option<Keepalive>, String> {
        let keepalive = Keepalive {
            idle: seconds(self.take_number("keepalives_idle")?),
            interval: seconds(self.take_number("keepalives_interval")?),
            count: self.take_number("keepalives_count")?.unwrap_or(3),
        };
        Ok((self.take_number("keepalives")? != Some(0)).then_some(keepalive))
    }

    /// In milliseconds; 0 is none.
    fn user_timeout(&mut self) -> Result<Option<Duration>, String> {
        let milliseconds = self.take_number("tcp_user_timeout")?.filter(|milliseconds| *milliseconds > 0);
        Ok(milliseconds.map(|milliseconds| Duration::from_millis(milliseconds.into())))
    }

    fn hosts(&mut self) -> Result<Vec<Host>, String> {
        let listed = |value: Option<String>| -> Vec<String> {
            value.map(|value| value.split(',').map(str::to_owned).collect()).unwrap_or_default()
        };
        let (names, addresses) = (listed(self.take("host")), listed(self.take("hostaddr")));
        let ports = listed(self.take("port"));
        let count = names.len().max(addresses.len()).max(1);
        let has_other_length = |list: &[String]| !list.is_empty() && list.len() != count;
        if has_other_length(&names) || has_other_length(&addresses) {
            return Err("has different numbers of hosts and addresses".to_owned());
        }
        if has_other_length(&ports) && ports.len() != 1 {
            return Err("has different numbers of hosts and ports".to_owned());
        }
        let at = |list: &[String], i: usize| list.get(i).filter(|text| !text.is_empty()).cloned();
        let port = |i: usize| match at(&ports, if ports.len() == 1 { 0 } else { i }) {
            None => Ok(5432),
            Some(port) => port.parse().map_err(|_| "has a port that is no number".to_owned()),
        };
        let host = |i: usize| {
            let address = at(&addresses, i);
            let name = at(&names, i).or_else(|| address.clone()).unwrap_or_else(default_host);
            Ok(Host { name, address, port: port(i)? })
        };
        (0..count).map(host).collect()
    }
}

fn seconds(number: Option<u32>) -> Duration {
    Duration::from_secs(number.unwrap_or_default().into())
}

/// The folder of the server's socket on this machine, or this machine.
fn default_host() -> String {
    let folders = ["/var/run/postgresql", "/run/postgresql", "/tmp"];
    let has_socket = |folder: &&str| std::path::Path::new(folder).join(".s.PGSQL.5432").exists();
    folders.into_iter().find(has_socket).unwrap_or("localhost").to_owned()
}

fn system_user() -> Option<String> {
    ["USER", "LOGNAME"].into_iter().find_map(|name| std::env::var(name).ok()).filter(|user| !user.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(url: &str) -> Config {
        Config::parse(url).unwrap()
    }

    fn fault(url: &str) -> String {
        Config::parse(url).err().unwrap().to_string()
    }

    fn hosts(url: &str) -> Vec<(String, Option<String>, u16)> {
        config(url).hosts.into_iter().map(|host| (host.name, host.address, host.port)).collect()
    }

    #[test]
    fn hosts_are_read_from_every_place() {
        let host = |name: &str, port| (name.to_owned(), None, port);
        assert_eq!(hosts("postgres://u@h/db"), [host("h", 5432)]);
        assert_eq!(
            hosts("postgres://u@h1:1,[::1]:2,h3/db"),
            [host("h1", 1), host("::1", 2), host("h3", 5432)]
        );
        assert_eq!(hosts("postgres://u@/db?host=%2Frun&port=7"), [host("/run", 7)]);
        assert_eq!(hosts("postgres://u@%2Frun/db"), [host("/run", 5432)]);
        assert_eq!(hosts("postgres://u@/db?host=a,b&port=7"), [host("a", 7), host("b", 7)]);
        let named = ("h".to_owned(), Some("10.0.0.1".to_owned()), 5432);
        assert_eq!(hosts("postgres://u@h/db?hostaddr=10.0.0.1"), [named]);
        assert!(fault("postgres://u@h1,h2/db?hostaddr=10.0.0.1").ends_with("numbers of hosts and addresses"));
    }

    #[test]
    fn logins_are_decoded() {
        let config = config("postgres://u%40x:p%3As@h/db%20x?application_name=a%20b");
        assert_eq!((config.user.as_str(), config.database.as_str()), ("u@x", "db x"));
        assert_eq!(config.password.as_ref().unwrap().as_str(), "p:s");
        assert_eq!(config.session, [("application_name".to_owned(), "a b".to_owned())]);
        assert_eq!(super::Config::parse("postgres://u@h").unwrap().database, "u");
    }

    #[test]
    fn parameters_override_the_defaults() {
        let plain = config("postgres://u@h/db");
        assert_eq!(plain.session, [("application_name".to_owned(), "cutover".to_owned())]);
        assert_eq!(plain.connect_timeout, Duration::from_secs(5));
        assert_eq!(plain.user_timeout, Some(Duration::from_secs(5)));
        assert_eq!(plain.keepalive.unwrap().idle, Duration::from_secs(15));
        let set =
            config("postgres://u@h/db?connect_timeout=1&tcp_user_timeout=0&keepalives=0&keepalives_idle=9");
        assert_eq!(
            (set.connect_timeout, set.user_timeout, set.keepalive),
            (Duration::from_secs(1), None, None)
        );
    }

    #[test]
    fn encryption_follows_the_mode_and_the_authorities() {
        let encryption = |query: &str| config(&format!("postgres://u@h/db?{query}")).encryption;
        assert_eq!(encryption(""), Encryption::Prefer);
        assert_eq!(encryption("sslmode=require"), Encryption::Require);
        assert_eq!(encryption("sslmode=require&sslrootcert=ca.pem"), Encryption::VerifyCa);
        assert_eq!(encryption("sslrootcert=system"), Encryption::VerifyFull);
        assert!(config("postgres://u@h/db?sslmode=verify-ca").is_verified());
        assert!(!config("postgres://u@h/db?sslmode=require").is_verified());
    }

    #[test]
    fn a_fault_names_the_parameter_and_hides_its_value() {
        for (query, name) in [
            ("sslmode=s3cret", "sslmode"),
            ("connect_timeout=s3cret", "connect_timeout"),
            ("sslpassword=s3cret", "sslpassword"),
            ("sslcert=s3cret", "sslkey"),
        ] {
            let fault = fault(&format!("postgres://u@h/db?{query}"));
            assert!(fault.contains(name) && !fault.contains("s3cret"), "{fault}");
        }
    }
}
