use super::dialect::Conn;
use super::url::Url;
use crate::error::OpenError;
use diesel::connection::{CacheSize, Connection};
use std::time::Duration;

/// A database and settings of its connections.
#[derive(Clone)]
pub(super) struct Target {
    pub(super) url: String,
    /// Maximum duration of a statement.
    pub(super) statement_timeout: Duration,
    /// True if a proxy assigns a connection to each transaction: no state may be left on it.
    pub(super) is_pooled: bool,
}

/// Defaults of the client: timeouts to connect, and to notice that the server is gone.
const CLIENT: [(&str, &str); 6] = [
    ("application_name", "cutover"),
    ("connect_timeout", "5"),
    ("keepalives_idle", "15"),
    ("keepalives_interval", "5"),
    ("keepalives_count", "3"),
    ("tcp_user_timeout", "5000"),
];

/// Settings of a connection that is not shared. The server has to notice a dead client as soon as a client
/// notices a dead server, because its claims are locked until then.
const SESSION: [(&str, &str); 7] = [
    ("default_transaction_isolation", "read committed"),
    ("tcp_keepalives_idle", "15"),
    ("tcp_keepalives_interval", "5"),
    ("tcp_keepalives_count", "3"),
    // Statements are few and fixed, and each has its index. Planning the query for a meter point for its
    // values costs more than running it. With sequential scans, a plan made while a table was empty would
    // read the whole table as long as the connection lives.
    ("plan_cache_mode", "force_generic_plan"),
    ("enable_seqscan", "off"),
    // Compiling a small statement takes a hundred times longer than running it, and without sequential scans
    // a statement that reads a whole table looks expensive enough to compile.
    ("jit", "off"),
];

/// Maximum wait for a lock, well below the timeout of statements and the duration of a lease.
const LOCK_TIMEOUT: Duration = Duration::from_secs(5);

impl Target {
    /// Opens a connection with all its settings.
    pub(super) fn connect(&self) -> Result<Conn, OpenError> {
        let refused = |e: diesel::ConnectionError| OpenError::Connect(e.to_string());
        let mut conn = Conn::establish(&self.address()?).map_err(refused)?;
        if self.is_pooled {
            conn.set_prepared_statement_cache_size(CacheSize::Disabled);
        }
        Ok(conn)
    }

    /// Returns the URL with defaults for parameters that it does not have. Our session settings override the
    /// operator's.
    fn address(&self) -> Result<String, OpenError> {
        let mut url = Url::parse(&self.url)?;
        CLIENT.iter().for_each(|(name, value)| url.set_default(name, value));
        if !self.is_pooled {
            let settings = self.settings().map(|(name, value)| option(name, &value));
            let session = SESSION.map(|(name, value)| option(name, value));
            url.add_options(&[settings.as_slice(), &session].concat().join("%20"));
        }
        Ok(url.to_string())
    }

    /// `synchronous_commit` makes commits durable whatever the server's default is.
    fn settings(&self) -> [(&'static str, String); 4] {
        let timeout = self.statement_timeout.as_millis();
        [
            ("synchronous_commit", "on".to_owned()),
            ("statement_timeout", timeout.to_string()),
            ("lock_timeout", LOCK_TIMEOUT.as_millis().to_string()),
            ("idle_in_transaction_session_timeout", (timeout * 2).to_string()),
        ]
    }

    /// Returns the statements that begin a transaction. Behind a proxy they include the settings.
    pub(super) fn begin(&self, mode: &str) -> String {
        let mut sql = format!("BEGIN {mode}");
        if self.is_pooled {
            self.settings()
                .iter()
                .for_each(|(name, value)| sql.push_str(&format!("; SET LOCAL {name} = {value}")));
        }
        sql
    }
}

/// Returns a setting for the options of a URL. An unescaped blank would separate two options.
fn option(name: &str, value: &str) -> String {
    format!("-c%20{name}%3D{}", value.replace(' ', "%5C%20"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target(url: &str, is_pooled: bool) -> Target {
        Target { url: url.to_owned(), statement_timeout: Duration::from_secs(15), is_pooled }
    }

    #[test]
    fn parameters_of_the_operator_are_kept() {
        let address = target("postgres://h/db?connect_timeout=1&sslmode=require", false).address().unwrap();
        assert!(
            address
                .starts_with("postgres://h/db?connect_timeout=1&sslmode=require&application_name=cutover&")
        );
        assert_eq!(address.matches("connect_timeout").count(), 1);
        assert!(address.contains("&tcp_user_timeout=5000&"));
        let options = address.split_once("&options=").unwrap().1;
        let settings: Vec<&str> = options.split("%20-c%20").collect();
        assert_eq!(settings[0], "-c%20synchronous_commit%3Don");
        for setting in [
            "statement_timeout%3D15000",
            "lock_timeout%3D5000",
            "idle_in_transaction_session_timeout%3D30000",
            "default_transaction_isolation%3Dread%5C%20committed",
            "tcp_keepalives_idle%3D15",
            "tcp_keepalives_interval%3D5",
            "tcp_keepalives_count%3D3",
        ] {
            assert!(settings.contains(&setting), "{setting} in {settings:?}");
        }
        let given = target("postgres://u:options=@h/db?options=-c%20geqo%3Doff", false).address().unwrap();
        assert!(given.ends_with(&format!("&options=-c%20geqo%3Doff%20{options}")), "{given}");
    }

    #[test]
    fn behind_a_proxy_each_transaction_has_the_settings() {
        let target = target("postgres://h/db", true);
        assert!(!target.address().unwrap().contains("options"));
        let begin = target.begin("READ ONLY");
        assert!(begin.starts_with("BEGIN READ ONLY; SET LOCAL synchronous_commit = on; "));
        for setting in ["statement_timeout = 15000", "lock_timeout = 5000"] {
            assert!(begin.contains(&format!("; SET LOCAL {setting}")), "{setting} in {begin}");
        }
    }
}
