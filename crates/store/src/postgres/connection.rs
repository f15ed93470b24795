use super::dialect::Conn;
use super::url::Url;
use crate::error::OpenError;
use diesel::connection::{CacheSize, Connection};
use std::time::Duration;

/// Where a database is, and how it is talked to.
#[derive(Clone)]
pub(super) struct Target {
    pub(super) url: String,
    /// How long a statement may take.
    pub(super) statement_timeout: Duration,
    /// Whether a proxy hands each transaction to another connection: nothing may be left on one.
    pub(super) is_pooled: bool,
}

/// How long to wait for a connection, and for the other side of one to answer at all.
const PATIENCE: [(&str, &str); 6] = [
    ("application_name", "cutover"),
    ("connect_timeout", "5"),
    ("keepalives_idle", "15"),
    ("keepalives_interval", "5"),
    ("keepalives_count", "3"),
    ("tcp_user_timeout", "5000"),
];

/// What holds for a connection of one's own. The server is to miss a client that is gone as soon as a client
/// misses the server: what it claimed is locked until then.
const SESSION: [(&str, &str); 7] = [
    ("default_transaction_isolation", "read committed"),
    ("tcp_keepalives_idle", "15"),
    ("tcp_keepalives_interval", "5"),
    ("tcp_keepalives_count", "3"),
    // Statements are few and fixed, and each has its index. Planned anew for its values, the question for a
    // meter point costs more than its answer; and a plan made while a table was empty reads it whole for as
    // long as the connection lives.
    ("plan_cache_mode", "force_generic_plan"),
    ("enable_seqscan", "off"),
    // To compile a small statement takes a hundred times longer than to run it, and one that has to read a
    // table whole looks expensive now.
    ("jit", "off"),
];

/// How long a lock is waited for: well within a statement's time, and within a lease.
const LOCK_TIMEOUT: Duration = Duration::from_secs(5);

impl Target {
    /// A connection with all its settings.
    pub(super) fn connect(&self) -> Result<Conn, OpenError> {
        let refused = |e: diesel::ConnectionError| OpenError::Connect(e.to_string());
        let mut conn = Conn::establish(&self.address()?).map_err(refused)?;
        if self.is_pooled {
            conn.set_prepared_statement_cache_size(CacheSize::Disabled);
        }
        Ok(conn)
    }

    /// The URL with what it leaves open. What the operator wrote counts, but for our own settings.
    fn address(&self) -> Result<String, OpenError> {
        let mut url = Url::parse(&self.url)?;
        PATIENCE.iter().for_each(|(name, value)| url.set_default(name, value));
        if !self.is_pooled {
            let settings = self.settings().map(|(name, value)| option(name, &value));
            let session = SESSION.map(|(name, value)| option(name, value));
            url.add_options(&[settings.as_slice(), &session].concat().join("%20"));
        }
        Ok(url.to_string())
    }

    /// `synchronous_commit`: what is committed is on the disk, whatever the server's default.
    fn settings(&self) -> [(&'static str, String); 4] {
        let timeout = self.statement_timeout.as_millis();
        [
            ("synchronous_commit", "on".to_owned()),
            ("statement_timeout", timeout.to_string()),
            ("lock_timeout", LOCK_TIMEOUT.as_millis().to_string()),
            ("idle_in_transaction_session_timeout", (timeout * 2).to_string()),
        ]
    }

    /// How a transaction begins. Behind a proxy the settings go with each.
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

/// A setting among the options of a URL. A blank there parts options, unless it is escaped.
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
    fn what_the_operator_wrote_counts() {
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
    fn behind_a_proxy_settings_go_with_each_transaction() {
        let target = target("postgres://h/db", true);
        assert!(!target.address().unwrap().contains("options"));
        let begin = target.begin("READ ONLY");
        assert!(begin.starts_with("BEGIN READ ONLY; SET LOCAL synchronous_commit = on; "));
        for setting in ["statement_timeout = 15000", "lock_timeout = 5000"] {
            assert!(begin.contains(&format!("; SET LOCAL {setting}")), "{setting} in {begin}");
        }
    }
}
