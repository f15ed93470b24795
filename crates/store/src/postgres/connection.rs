use super::dialect::Conn;
use crate::error::OpenError;
use cutover_postgres_client::{ClientError, Config};
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

/// Time after the end of a statement's time within which its answer must arrive: a server that accepts
/// connections and then stays silent must not hold a thread for longer.
const GRACE: Duration = Duration::from_secs(3);

/// Reads the URL of a database.
pub(super) fn parse(url: &str) -> Result<Config, OpenError> {
    Config::parse(url).map_err(|fault| OpenError::Connect(format!("its URL {fault}")))
}

impl Target {
    /// Opens a connection with all its settings.
    pub(super) fn connect(&self) -> Result<Conn, OpenError> {
        Conn::open(&self.config()?).map_err(|error| match error {
            ClientError::Unavailable(cause) => OpenError::Unavailable(cause),
            error => OpenError::Connect(error.to_string()),
        })
    }

    /// Returns the settings of a connection. Those of its session override the operator's.
    fn config(&self) -> Result<Config, OpenError> {
        let mut config = parse(&self.url)?;
        config.prepares = !self.is_pooled;
        config.answer_timeout = Some(self.answer_timeout());
        if !self.is_pooled {
            self.settings().into_iter().for_each(|(name, value)| config.set(name, value));
            SESSION.into_iter().for_each(|(name, value)| config.set(name, value));
        }
        Ok(config)
    }

    /// Returns the time without an answer after which a connection counts as lost.
    pub(super) fn answer_timeout(&self) -> Duration {
        self.statement_timeout + GRACE
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

#[cfg(test)]
mod tests {
    use super::*;

    fn target(url: &str, is_pooled: bool) -> Target {
        Target { url: url.to_owned(), statement_timeout: Duration::from_secs(15), is_pooled }
    }

    #[test]
    fn the_settings_of_a_session_override_those_of_the_url() {
        let config = target("postgres://u@h/db?options=-c%20statement_timeout%3D1", false).config().unwrap();
        assert!(config.prepares);
        for name in ["options", "statement_timeout", "lock_timeout", "jit", "tcp_keepalives_idle"] {
            assert!(config.has_session_setting(name), "{name}");
        }
        assert_eq!(config.answer_timeout, Some(Duration::from_secs(18)));
    }

    #[test]
    fn behind_a_proxy_each_transaction_has_the_settings() {
        let target = target("postgres://u@h/db", true);
        let config = target.config().unwrap();
        assert!(!config.prepares);
        assert!(!config.has_session_setting("statement_timeout"));
        let begin = target.begin("READ ONLY");
        assert!(begin.starts_with("BEGIN READ ONLY; SET LOCAL synchronous_commit = on; "));
        for setting in ["statement_timeout = 15000", "lock_timeout = 5000"] {
            assert!(begin.contains(&format!("; SET LOCAL {setting}")), "{setting} in {begin}");
        }
    }
}
