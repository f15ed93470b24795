//! Every setting, once: flags, variables, file keys and the manual are made of this table.

/// Which commands take a setting as a flag. In the environment and the file every setting may stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scope {
    /// Every command.
    All,
    /// `serve`, and `doctor`, which looks at what `serve` would do.
    Serve,
    /// None: everybody on a machine sees its command lines.
    Secret,
}

/// One setting (contract D11): `--name`, `CUTOVER_NAME`, or `name = …` in the file.
#[derive(Debug)]
pub(crate) struct Setting {
    /// The flag without its dashes, and the key in the file.
    pub(crate) name: &'static str,
    /// What stands for its value in the manual.
    pub(crate) value: &'static str,
    /// What it is when nothing is said, in words.
    pub(crate) default: &'static str,
    /// What it does.
    pub(crate) help: &'static str,
    /// Where it is a flag.
    pub(crate) scope: Scope,
    /// How it is given.
    pub(crate) form: Form,
}

/// How a setting is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// By one value; the last counts.
    One,
    /// By any number of values; commas part them in the environment.
    Many,
    /// By `true` or `false`; the flag alone says `true`.
    Switch,
}

impl Setting {
    const fn all(name: &'static str, value: &'static str, default: &'static str, help: &'static str) -> Self {
        Self { name, value, default, help, scope: Scope::All, form: Form::One }
    }

    const fn serve(
        name: &'static str,
        value: &'static str,
        default: &'static str,
        help: &'static str,
    ) -> Self {
        Self { name, value, default, help, scope: Scope::Serve, form: Form::One }
    }

    /// The environment variable.
    pub(crate) fn variable(&self) -> String {
        format!("{PREFIX}{}", self.name.replace('-', "_").to_ascii_uppercase())
    }

    /// The text of `--help`.
    pub(crate) fn manual(&self) -> String {
        format!("{} [default: {}]", self.help, self.default)
    }
}

/// What every variable of ours begins with.
pub(crate) const PREFIX: &str = "CUTOVER_";

/// Variables of other programs of ours that may stand beside the server's.
pub(crate) const FOREIGN: &[&str] = &[
    "CUTOVER_API_KEY",
    "CUTOVER_BASE_URL",
    "CUTOVER_BENCH_DIR",
    "CUTOVER_TEST_DATABASE_URL",
    "CUTOVER_TEST_ON",
];

/// Where the file of settings is; not a setting of the file itself.
pub(crate) static CONFIG: Setting = Setting::all("config", "FILE", "none", "A TOML file of settings");

/// Every setting, in the order of the manual.
pub(crate) static SETTINGS: &[Setting] = &[
    Setting::all(
        "data-dir",
        "DIR",
        "./cutover-data",
        "Where the embedded database and the document folder lie",
    ),
    Setting::all(
        "database-url",
        "URL",
        "sqlite:DATA-DIR/cutover.db",
        "The database: sqlite:PATH, or postgres://USER:PASSWORD@HOST:PORT/NAME with parameters of libpq, such \
         as ?sslmode=verify-full&sslrootcert=FILE",
    ),
    Setting::all(
        "database-direct-url",
        "URL",
        "none: database-url is that of PostgreSQL itself",
        "PostgreSQL itself, if database-url is that of a proxy before it that pools transactions",
    ),
    Setting::all(
        "database-connections",
        "N",
        "16",
        "Connections to PostgreSQL at the same time, as many to a standby, and two more: to listen on and for new accounts",
    ),
    Setting::all(
        "database-pool-timeout",
        "TIME",
        "2s",
        "How long a free connection to PostgreSQL is waited for",
    ),
    Setting::all("database-statement-timeout", "TIME", "15s", "How long PostgreSQL may take for a statement"),
    Setting::all(
        "documents-url",
        "URL",
        "DATA-DIR/documents, made at the start",
        "Where documents lie: file:///DIR, s3://BUCKET/PREFIX, and gs: or az: where the build has them; \
         credentials come from the variables usual for each, such as AWS_ACCESS_KEY_ID",
    ),
    Setting::all(
        "encryption-key-file",
        "FILE",
        "none: they lie open",
        "Keys that payloads and bank details are encrypted with in the database, one NAME:KEY a line: the first \
         encrypts, all decrypt; or with commas between them in the variable CUTOVER_ENCRYPTION_KEYS",
    ),
    Setting {
        name: "encryption-keys",
        value: "NAME:KEY",
        default: "none",
        help: "The same keys themselves; as a variable or in the file of settings, not as a flag",
        scope: Scope::Secret,
        form: Form::Many,
    },
    Setting::serve(
        "role",
        "ROLE",
        "all",
        "What this process does: all, api or worker; a worker listens on admin-listen or nowhere",
    ),
    Setting {
        name: "migrate",
        value: "true|false",
        default: "false",
        help: "Apply pending migrations of PostgreSQL first, which stop the start otherwise",
        scope: Scope::Serve,
        form: Form::Switch,
    },
    Setting::serve(
        "database-replica-url",
        "URL",
        "none",
        "A standby of PostgreSQL for lists and status reads; what it lacks is asked of PostgreSQL itself",
    ),
    Setting::serve("listen", "ADDRESS", "127.0.0.1:8080", "Where the API listens; port 0 takes a free one"),
    Setting::serve(
        "admin-listen",
        "ADDRESS",
        "with the API, nowhere for a worker",
        "Where metrics and the console listen instead of with the API, in plain HTTP, and health as well",
    ),
    Setting {
        name: "console",
        value: "true|false",
        default: "true",
        help: "Serve the operator's console at /console/, on admin-listen if that is set, else with the API",
        scope: Scope::Serve,
        form: Form::Switch,
    },
    Setting::serve("http-workers", "N", "the cores", "Threads that answer requests"),
    Setting::serve("workers", "N", "the cores", "Threads that import accounts"),
    Setting::serve(
        "import-retry-time",
        "TIME",
        "24h",
        "How long an import is retried while document storage or the database cannot be reached; at most 30d",
    ),
    Setting::serve(
        "max-connections",
        "N",
        "25000",
        "Open connections at the same time; half as many from one address that is no trusted proxy",
    ),
    Setting::serve(
        "rate-limit",
        "N",
        "1000",
        "Requests a second per organisation, twice that at once; 0 for no limit",
    ),
    Setting::serve("body-limit", "SIZE", "8MiB", "Largest request body, unpacked; at most 64MiB"),
    Setting::serve(
        "batch-limit",
        "N",
        "1000",
        "Most notes, transactions or statements of a request after the import; at most 10000",
    ),
    Setting::serve("list-limit", "N", "10000", "Most items of any other array of a request; at most 100000"),
    Setting::serve("head-timeout", "TIME", "10s", "How long the head of a request may take"),
    Setting::serve("body-timeout", "TIME", "60s", "How long the body of a request may take"),
    Setting::serve(
        "shutdown-delay",
        "TIME",
        "0s",
        "How long it serves on when it stops, with /readyz saying 503, for load balancers to hear it",
    ),
    Setting::serve("shutdown-timeout", "TIME", "30s", "How long what was accepted may take when it stops"),
    Setting::serve("access-token-lifetime", "TIME", "60m", "How long an access token is good; at most 24h"),
    Setting::serve(
        "refresh-token-lifetime",
        "TIME",
        "7d",
        "How long a refresh token is good; at least as long as an access token",
    ),
    Setting::serve("tls-cert", "FILE", "none: plain HTTP", "Certificates in PEM, its own first"),
    Setting::serve("tls-key", "FILE", "none: plain HTTP", "The private key of the certificate in PEM"),
    Setting {
        name: "trusted-proxy",
        value: "IP",
        default: "none",
        help: "Proxies whose word about the client's address counts; may be repeated",
        scope: Scope::Serve,
        form: Form::Many,
    },
    Setting::serve(
        "log-format",
        "FORMAT",
        "text on a terminal, else json",
        "How log lines look: text or json",
    ),
    Setting::serve("log-level", "LEVEL", "info", "What is logged: error, warn, info, debug or trace"),
];

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
