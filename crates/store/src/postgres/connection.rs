use super::dialect::Conn;
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
    ("tcp_user_timeout", "20000"),
];

impl Target {
    /// A connection with all its settings.
    pub(super) fn connect(&self) -> Result<Conn, OpenError> {
        let refused = |e: diesel::ConnectionError| OpenError::Connect(e.to_string());
        let mut conn = Conn::establish(&self.address()).map_err(refused)?;
        if self.is_pooled {
            conn.set_prepared_statement_cache_size(CacheSize::Disabled);
        }
        Ok(conn)
    }

    /// The URL with what it leaves open. What the operator wrote counts.
    fn address(&self) -> String {
        let mut url = self.url.clone();
        let mut set = |name: &str, value: &str| {
            if !url.contains(&format!("{name}=")) {
                let first = if url.contains('?') { '&' } else { '?' };
                url.push_str(&format!("{first}{name}={value}"));
            }
        };
        PATIENCE.iter().for_each(|(name, value)| set(name, value));
        if !self.is_pooled {
            let settings = self.settings().map(|(name, value)| format!("-c%20{name}%3D{value}"));
            set("options", &settings.join("%20"));
        }
        url
    }

    /// `synchronous_commit`: what is committed is on the disk, whatever the server's default.
    fn settings(&self) -> [(&'static str, String); 3] {
        let timeout = self.statement_timeout.as_millis();
        [
            ("synchronous_commit", "on".to_owned()),
            ("statement_timeout", timeout.to_string()),
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

/// The URL of a database without what is secret in it.
pub fn shown(url: &str) -> String {
    let (scheme, rest) = url.split_once("://").unwrap_or(("postgres", url));
    let rest = rest.split('?').next().unwrap_or_default();
    match rest.rsplit_once('@') {
        Some((login, place)) => {
            let user = login.split(':').next().unwrap_or_default();
            format!("{scheme}://{user}@{place}")
        }
        None => format!("{scheme}://{rest}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target(url: &str, is_pooled: bool) -> Target {
        Target { url: url.to_owned(), statement_timeout: Duration::from_secs(15), is_pooled }
    }

    #[test]
    fn what_is_secret_is_not_shown() {
        assert_eq!(shown("postgres://u:p%40ss@h:5432/db?sslpassword=x"), "postgres://u@h:5432/db");
        assert_eq!(shown("postgresql://u@h1,h2/db"), "postgresql://u@h1,h2/db");
        assert_eq!(shown("postgres:///db?host=/run&password=x"), "postgres:///db");
        assert_eq!(shown("postgres://u:a@b:c@h/db"), "postgres://u@h/db");
    }

    #[test]
    fn what_the_operator_wrote_counts() {
        let address = target("postgres://h/db?connect_timeout=1&sslmode=require", false).address();
        assert!(
            address
                .starts_with("postgres://h/db?connect_timeout=1&sslmode=require&application_name=cutover&")
        );
        assert_eq!(address.matches("connect_timeout").count(), 1);
        assert!(address.contains("options=-c%20synchronous_commit%3Don%20-c%20statement_timeout%3D15000"));
    }

    #[test]
    fn behind_a_proxy_settings_go_with_each_transaction() {
        let target = target("postgres://h/db", true);
        assert!(!target.address().contains("options"));
        assert!(
            target.begin("READ ONLY").starts_with("BEGIN READ ONLY; SET LOCAL synchronous_commit = on; ")
        );
    }
}
