//! The one list of settings: flags, variables, keys of the file, the manual, defaults and parsers.

use super::cgroup;
use super::error::SettingsError;
use super::given::Given;
use super::parse::{self, DAY, HOUR};
use super::row::Fallback::{Computed, Text};
use super::row::Parser::{Many, One, Switch};
use super::row::{Row, Setting, settings};
use super::types::{DatabaseUrl, LogFormat, Role, ServerUrl};
use cutover_http::AnswerName;
use cutover_outbound::Location;
use cutover_store::EncryptionKeys;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tracing::level_filters::LevelFilter;

/// The file of settings; not a setting of the file itself.
pub(crate) static CONFIG: Setting =
    Row::<()>::all("config", "FILE", Text("none"), One(|_| Ok(())), "TOML file of settings").setting;

settings! {
    data_dir: PathBuf = Row::all(
        "data-dir",
        "DIR",
        Text("./cutover-data"),
        One(parse::folder),
        "Folder of the embedded database and of the documents",
    );
    database_url: Option<DatabaseUrl> = Row::all(
        "database-url",
        "URL",
        Computed("sqlite:DATA-DIR/cutover.db", || None),
        One(|text| parse::database_url(text).map(Some)),
        "Database: sqlite:PATH, or postgres://USER:PASSWORD@HOST:PORT/NAME with libpq parameters, for example \
         ?sslmode=verify-full&sslrootcert=FILE; CUTOVER_DATABASE_URL_FILE names a file that holds it, and the \
         parameter passfile=FILE one with passwords",
    );
    database_direct_url: Option<ServerUrl> = Row::all(
        "database-direct-url",
        "URL",
        Computed("none: database-url names PostgreSQL itself", || None),
        One(|text| parse::server_url(text).map(Some)),
        "URL of PostgreSQL itself, if database-url names a proxy that pools transactions",
    );
    database_connections: u32 = Row::all(
        "database-connections",
        "N",
        Text("16"),
        One(|text| parse::number(text, 1, 1_000)),
        "Maximum number of connections to PostgreSQL, and to a standby; two more are for notifications and for \
         new accounts",
    );
    database_pool_timeout: Duration = Row::all(
        "database-pool-timeout",
        "TIME",
        Text("2s"),
        One(|text| parse::time(text, HOUR)),
        "Maximum wait for a free connection to PostgreSQL",
    );
    database_statement_timeout: Duration = Row::all(
        "database-statement-timeout",
        "TIME",
        Text("15s"),
        One(|text| parse::time(text, HOUR)),
        "Time limit of a statement in PostgreSQL",
    );
    documents_url: Option<Location> = Row::all(
        "documents-url",
        "URL",
        Computed("DATA-DIR/documents, created at startup", || None),
        One(|text| parse::location(text).map(Some)),
        "Document storage: file:///DIR, s3://BUCKET/PREFIX, and gs: or az: if the build includes them; \
         credentials come from the usual variables of each, for example AWS_ACCESS_KEY_ID",
    );
    encryption_key_file: Option<PathBuf> = Row::all(
        "encryption-key-file",
        "FILE",
        Computed("none: they are not encrypted", || None),
        One(|text| Ok(Some(text.into()))),
        "File of the keys that encrypt payloads and bank details in the database, one NAME:KEY a line: the first \
         encrypts, all decrypt; the variable CUTOVER_ENCRYPTION_KEYS takes the keys themselves, separated by commas",
    );
    encryption_keys: Option<Arc<EncryptionKeys>> = Row::secret(
        "encryption-keys",
        "NAME:KEY",
        Computed("none", || None),
        Many(parse::encryption_keys),
        "The same keys themselves; in a variable or the file of settings, not as a flag",
    );
    role: Role = Row::serve(
        "role",
        "ROLE",
        Text("all"),
        One(parse::role),
        "Role of this process: all, api or worker; a worker listens on admin-listen only",
    );
    migrate: bool = Row::serve(
        "migrate",
        "true|false",
        Text("false"),
        Switch(parse::switch),
        "Apply pending migrations of PostgreSQL at startup; without it they stop the start",
    );
    database_wait: Duration = Row::serve(
        "database-wait",
        "TIME",
        Text("60s"),
        One(|text| parse::delay(text, DAY)),
        "Time that a starting process waits for a PostgreSQL that is down or read-only, with /readyz answering 503; \
         0s ends the start at once",
    );
    database_replica_url: Option<ServerUrl> = Row::serve(
        "database-replica-url",
        "URL",
        Computed("none", || None),
        One(|text| parse::server_url(text).map(Some)),
        "PostgreSQL standby for lists and status reads; rows that it lacks are read from the primary",
    );
    listen: SocketAddr = Row::serve(
        "listen",
        "ADDRESS",
        Text("127.0.0.1:8080"),
        One(parse::address),
        "Address of the API; port 0 takes a free port",
    );
    admin_listen: Option<SocketAddr> = Row::serve(
        "admin-listen",
        "ADDRESS",
        Computed("the API's address; none for a worker", || None),
        One(|text| parse::address(text).map(Some)),
        "Address of metrics and the console instead of the API's, in plain HTTP; it serves health as well",
    );
    console: bool = Row::serve(
        "console",
        "true|false",
        Text("true"),
        Switch(parse::switch),
        "Serve the operator console at /console/, on admin-listen if it is set, otherwise with the API",
    );
    http_workers: usize = Row::serve(
        "http-workers",
        "N",
        Computed("number of cores", parse::cores),
        One(|text| parse::number(text, 1, 1_024)),
        "Threads that answer requests",
    );
    workers: usize = Row::serve(
        "workers",
        "N",
        Computed("number of cores", parse::cores),
        One(|text| parse::number(text, 1, 1_024)),
        "Threads that import accounts",
    );
    import_retry_time: Duration = Row::serve(
        "import-retry-time",
        "TIME",
        Text("24h"),
        One(|text| parse::time(text, 30 * DAY)),
        "Maximum time an import is retried while document storage or the database is unavailable; at most 30d",
    );
    event_retention: Duration = Row::serve(
        "event-retention",
        "TIME",
        Text("30d"),
        One(|text| parse::time(text, 3_650 * DAY)),
        "Time for which events of the feed are kept",
    );
    max_connections: usize = Row::serve(
        "max-connections",
        "N",
        Text("25000"),
        One(|text| parse::number(text, 1, 1_000_000)),
        "Maximum number of open connections; half of that from one address unless it is a trusted proxy",
    );
    rate_limit: u32 = Row::serve(
        "rate-limit",
        "N",
        Text("1000"),
        One(|text| parse::number(text, 0, 1_000_000)),
        "Requests a second per organisation, with bursts of twice that; 0 for no limit",
    );
    body_limit: usize = Row::serve(
        "body-limit",
        "SIZE",
        Text("8MiB"),
        One(parse::body_limit),
        "Maximum size of a request body after decompression; at most 64MiB",
    );
    document_limit: usize = Row::serve(
        "document-limit",
        "SIZE",
        Text("64MiB"),
        One(parse::document_limit),
        "Maximum size of a document that a supplier uploads; at most 1GiB, 0 to take none",
    );
    memory_limit: Option<usize> = Row::serve(
        "memory-limit",
        "SIZE",
        Computed("that of the cgroup; none without one", cgroup::memory_limit),
        One(|text| parse::memory(text).map(Some)),
        "Memory that the process may use; what does not fit into it is lowered, except a body-limit that is given",
    );
    batch_limit: u32 = Row::serve(
        "batch-limit",
        "N",
        Text("1000"),
        One(|text| parse::number(text, 1, 10_000)),
        "Maximum number of notes, transactions or statements in a request after the import; at most 10000",
    );
    list_limit: u32 = Row::serve(
        "list-limit",
        "N",
        Text("10000"),
        One(|text| parse::number(text, 1, 100_000)),
        "Maximum number of items in any other array of a request; at most 100000",
    );
    head_timeout: Duration = Row::serve(
        "head-timeout",
        "TIME",
        Text("10s"),
        One(|text| parse::time(text, HOUR)),
        "Time limit for the head of a request",
    );
    body_timeout: Duration = Row::serve(
        "body-timeout",
        "TIME",
        Text("60s"),
        One(|text| parse::time(text, HOUR)),
        "Time limit for the body of a request",
    );
    shutdown_delay: Duration = Row::serve(
        "shutdown-delay",
        "TIME",
        Text("0s"),
        One(|text| parse::delay(text, HOUR)),
        "Time to keep serving after a signal to stop, with /readyz answering 503, so that load balancers notice",
    );
    shutdown_timeout: Duration = Row::serve(
        "shutdown-timeout",
        "TIME",
        Text("30s"),
        One(|text| parse::time(text, HOUR)),
        "Time limit for finishing accepted work when the server stops",
    );
    access_token_lifetime: Duration = Row::serve(
        "access-token-lifetime",
        "TIME",
        Text("60m"),
        One(|text| parse::time(text, DAY)),
        "Lifetime of an access token; at most 24h",
    );
    refresh_token_lifetime: Duration = Row::serve(
        "refresh-token-lifetime",
        "TIME",
        Text("7d"),
        One(|text| parse::time(text, 365 * DAY)),
        "Lifetime of a refresh token; at least that of an access token",
    );
    tls_cert: Option<PathBuf> = Row::serve(
        "tls-cert",
        "FILE",
        Computed("none: plain HTTP", || None),
        One(|text| Ok(Some(text.into()))),
        "Certificate chain in PEM, the server's own certificate first; read again when it changes",
    );
    tls_key: Option<PathBuf> = Row::serve(
        "tls-key",
        "FILE",
        Computed("none: plain HTTP", || None),
        One(|text| Ok(Some(text.into()))),
        "Private key of the certificate in PEM",
    );
    trusted_proxies: Vec<IpAddr> = Row::serve(
        "trusted-proxy",
        "IP",
        Computed("none", Vec::new),
        Many(|texts| texts.iter().map(|text| parse::proxy(text)).collect()),
        "Proxy that is trusted to name the client's address; may be repeated",
    );
    answer_names: Vec<AnswerName> = Row::serve(
        "answer-name",
        "MEMBER=NAME",
        Computed("none", Vec::new),
        Many(|texts| texts.iter().map(|text| parse::answer_name(text)).collect()),
        "Further name of a member in answers, for clients of a comparable service, for example \
         service_account_number=account_number; may be repeated",
    );
    log_format: Option<LogFormat> = Row::serve(
        "log-format",
        "FORMAT",
        Computed("text on a terminal, otherwise json", || None),
        One(|text| parse::log_format(text).map(Some)),
        "Format of log lines: text or json",
    );
    log_level: LevelFilter = Row::serve(
        "log-level",
        "LEVEL",
        Text("info"),
        One(parse::log_level),
        "Least severe level that is logged: error, warn, info, debug or trace",
    );
}

/// The setting of a name.
pub(crate) fn setting(name: &str) -> Option<&'static Setting> {
    SETTINGS.iter().find(|setting| setting.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_follow_from_names() {
        assert_eq!(setting("database-url").unwrap().variable(), "CUTOVER_DATABASE_URL");
        assert_eq!(CONFIG.variable(), "CUTOVER_CONFIG");
    }

    #[test]
    fn the_manual() {
        let rows: Vec<String> = SETTINGS
            .iter()
            .map(|s| format!("{} --{} {}  {}", s.variable(), s.name, s.value, s.manual()))
            .collect();
        insta::assert_snapshot!(rows.join("\n"));
    }
}
