use super::table::SETTINGS;
use super::*;
use clap::Args;
use std::net::SocketAddr;

fn flags(pairs: &[(&'static str, &str)]) -> Flags {
    pairs.iter().map(|(name, value)| (*name, vec![(*value).to_owned()])).collect()
}

fn environment(pairs: &[(&str, &str)]) -> Environment {
    pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

/// Writes a file of settings; it is removed with the returned folder.
fn file(text: &str) -> (tempfile::TempDir, String) {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("cutover.toml");
    std::fs::write(&path, text).unwrap();
    (home, path.to_str().unwrap().to_owned())
}

fn refusal(flag: &'static str, value: &str) -> String {
    Settings::load(&flags(&[(flag, value)]), &Environment::new()).unwrap_err().to_string()
}

#[test]
fn settings_that_are_not_given_have_their_default() {
    let settings = Settings::load(&Flags::new(), &Environment::new()).unwrap();
    assert_eq!(settings.database.to_string(), "./cutover-data/cutover.db");
    assert!(settings.documents.is_default);
    assert_eq!(settings.values.listen, SocketAddr::from(([127, 0, 0, 1], 8080)));
    assert_eq!((settings.values.rate_limit, settings.values.body_limit), (1_000, 8 << 20));
    assert_eq!((settings.values.role, settings.tls), (Role::All, None));
    assert!(settings.given.is_empty());
}

#[test]
fn flag_over_environment_over_file_over_default() {
    let (_home, path) = file("listen = '127.0.0.1:1'\nrate-limit = 5\nworkers = 3\nhttp-workers = 4");
    let variables = [("CUTOVER_LISTEN", "127.0.0.1:2"), ("CUTOVER_RATE_LIMIT", "6"), ("CUTOVER_WORKERS", "")];
    let given = [("config", path.as_str()), ("listen", "127.0.0.1:3")];
    let settings = Settings::load(&flags(&given), &environment(&variables)).unwrap();
    assert_eq!(settings.values.listen.port(), 3);
    assert_eq!(settings.values.rate_limit, 6);
    assert_eq!(settings.values.workers, 3, "an empty variable counts as not set");
    let origins: Vec<&str> = settings.given.iter().map(|(name, _)| *name).collect();
    assert_eq!(origins, ["http-workers", "listen", "rate-limit", "workers"]);
    assert_eq!(settings.given[1].1, "the command line");
    assert_eq!(settings.given[2].1, "the environment");
    assert_eq!(settings.given[3].1, path);
}

#[test]
fn the_file_can_be_named_by_a_variable() {
    let (_home, path) = file("data-dir = '/srv/cutover'");
    let settings = Settings::load(&Flags::new(), &environment(&[("CUTOVER_CONFIG", &path)])).unwrap();
    assert_eq!(settings.database.to_string(), "/srv/cutover/cutover.db");
    assert_eq!(settings.documents.location, Location::folder("/srv/cutover/documents"));
}

const SERVER: &str = "postgres://cutover:s3cret@db.example.com/cutover?sslmode=verify-full";

#[test]
fn a_database_may_be_on_a_server() {
    let given = [
        ("database-url", SERVER),
        ("database-direct-url", "postgres://db/direct"),
        ("database-replica-url", "postgres://db/replica"),
        ("database-connections", "4"),
        ("database-statement-timeout", "1m"),
    ];
    let settings = Settings::load(&flags(&given), &Environment::new()).unwrap();
    assert!(!format!("{} {settings:?}", settings.database).contains("s3cret"));
    let Database::Postgres(options) = settings.database else { panic!("it is on a server") };
    assert_eq!((options.url.as_str(), options.connections), (SERVER, 4));
    assert_eq!(options.direct_url.as_deref(), Some("postgres://db/direct"));
    assert_eq!(options.replica_url.as_deref(), Some("postgres://db/replica"));
    assert_eq!((options.pool_timeout.as_secs(), options.statement_timeout.as_secs()), (2, 60));
    assert!(!options.migrates && !settings.values.migrate);
}

#[test]
fn a_switch_is_true_or_false_in_every_source() {
    let migrates = |text: &str, variables: &[(&str, &str)]| {
        let (_home, path) = file(text);
        Settings::load(&flags(&[("config", &path)]), &environment(variables)).map(|s| s.values.migrate)
    };
    assert_eq!(migrates("migrate = true", &[]), Ok(true));
    assert_eq!(migrates("migrate = 'false'", &[]), Ok(false));
    assert_eq!(migrates("migrate = true", &[("CUTOVER_MIGRATE", "false")]), Ok(false));
    assert!(migrates("", &[("CUTOVER_MIGRATE", "1")]).unwrap_err().to_string().contains("true or false"));
}

#[cfg(feature = "s3")]
#[test]
fn documents_may_lie_in_a_bucket() {
    let given = [("documents-url", "s3://my-bucket/live")];
    let documents = Settings::load(&flags(&given), &Environment::new()).unwrap().documents;
    assert_eq!(
        (documents.location.to_string().as_str(), documents.is_default),
        ("s3://my-bucket/live", false)
    );
    let refused = refusal("documents-url", "s3://key:s3cret@my-bucket");
    assert!(refused.contains("documents-url") && !refused.contains("s3cret"), "{refused}");
}

#[cfg(not(feature = "gcs"))]
#[test]
fn storage_that_is_not_in_this_build_is_named() {
    let refused = refusal("documents-url", "gs://my-bucket");
    assert!(refused.contains("gs: storage needs the feature gcs, which this build lacks"), "{refused}");
}

#[test]
fn repeated_settings_add_up_within_a_source() {
    let (_home, path) = file("trusted-proxy = ['10.0.0.1', '10.0.0.2']");
    let of = |flags: &Flags, variables: &[(&str, &str)]| {
        Settings::load(flags, &environment(variables)).unwrap().values.trusted_proxies.len()
    };
    assert_eq!(of(&flags(&[("config", &path)]), &[]), 2);
    assert_eq!(of(&Flags::new(), &[("CUTOVER_TRUSTED_PROXY", "10.0.0.1, 10.0.0.2,::1")]), 3);
    assert_eq!(of(&flags(&[("config", &path), ("trusted-proxy", "10.0.0.1")]), &[]), 1);
}

#[test]
fn unknown_settings_are_named() {
    let error = |text: &str| {
        let (_home, path) = file(text);
        let error = Settings::load(&flags(&[("config", &path)]), &Environment::new()).unwrap_err();
        error.to_string().replace(&path, "FILE")
    };
    let unknown =
        |rest: &str| format!("\"FILE\" has the unknown setting {rest}; `cutover serve --help` lists all");
    assert_eq!(error("rate_limit = 5"), unknown("\"rate_limit\""));
    assert_eq!(error("[serve]\nlisten = 'x'"), unknown("\"serve\""));
    assert_eq!(error("config = 'x'"), unknown("\"config\""));
    assert_eq!(error("workers = true"), "the setting workers (from FILE) is neither text nor a number");
    assert_eq!(
        error("workers = 1\nlisten = "),
        "the file of settings \"FILE\" cannot be read: line 2: string values must be quoted, expected literal string"
    );
    let variable = Settings::load(&Flags::new(), &environment(&[("CUTOVER_LISTENN", "x")])).unwrap_err();
    assert!(variable.to_string().contains("CUTOVER_LISTENN"), "{variable}");
}

#[test]
fn other_variables_are_not_ours() {
    let variables = [("PATH", "/bin"), ("CUTOVER_API_KEY", "cut_live_x"), ("CUTOVER_BASE_URL", "http://x")];
    assert!(Settings::load(&Flags::new(), &environment(&variables)).is_ok());
}

#[test]
fn unsafe_values_are_refused_with_name_and_origin() {
    let refused = [
        ("listen", "8080"),
        ("rate-limit", "-1"),
        ("body-limit", "0"),
        ("body-limit", "65MiB"),
        ("document-limit", "2GiB"),
        ("workers", "0"),
        ("http-workers", "many"),
        ("max-connections", "0"),
        ("head-timeout", "0s"),
        ("body-timeout", "2h"),
        ("access-token-lifetime", "25h"),
        ("refresh-token-lifetime", "5m"),
        ("tls-cert", "cert.pem"),
        ("tls-key", "key.pem"),
        ("trusted-proxy", "0.0.0.0"),
        ("answer-name", "status=state"),
        ("answer-name", "service_identifier=Identifier"),
        ("answer-name", "service_identifier=latest_event"),
        ("admin-listen", "127.0.0.1:8080"),
        ("role", "boss"),
        ("log-level", "off"),
        ("log-format", "xml"),
        ("data-dir", ""),
        ("migrate", "perhaps"),
        ("database-url", "mysql://user:s3cret@host/db"),
        ("database-url", "postgres://user:s3/cret@host/db"),
        ("database-direct-url", "sqlite:cutover.db"),
        ("database-direct-url", SERVER),
        ("database-replica-url", SERVER),
        ("documents-url", "ftp://host/documents"),
        ("documents-url", "/srv/documents"),
    ];
    let refused = refused.map(|(flag, value)| refusal(flag, value)).join("\n");
    assert!(!refused.contains("cret"), "{refused}");
    let server = |name, value| {
        let given = [("database-url", SERVER), (name, value)];
        Settings::load(&flags(&given), &Environment::new()).unwrap_err().to_string()
    };
    let bounds = [
        server("database-connections", "0"),
        server("database-pool-timeout", "0s"),
        server("database-statement-timeout", "2h"),
    ];
    insta::assert_snapshot!(format!("{refused}\n{}", bounds.join("\n")));
}

#[test]
fn a_time_without_a_unit_is_refused_in_every_source() {
    let times = SETTINGS.iter().filter(|setting| setting.value == "TIME");
    let server = ("database-url", SERVER);
    let mut found = 0;
    for setting in times {
        let (name, text) = (setting.name, format!("{} = 60", setting.name));
        let (_home, path) = file(&text);
        let variable = setting.variable();
        let sources = [
            (flags(&[server, (name, "60")]), Vec::new(), "the command line"),
            (flags(&[server]), environment(&[(variable.as_str(), "60")]), "the environment"),
            (flags(&[server, ("config", path.as_str())]), Vec::new(), path.as_str()),
        ];
        for (flags, environment, origin) in sources {
            let refused = Settings::load(&flags, &environment).unwrap_err().to_string();
            let expected = format!(
                "the setting {name} (from {origin}) is \"60\", a time without a unit: write 60s, or for example 60s or 5m"
            );
            assert_eq!(refused, expected);
        }
        found += 1;
    }
    assert!(found >= 8, "{found}");
}

const KEY: &str = "a:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=";

#[test]
fn encryption_keys_come_from_a_file_or_the_environment_and_not_from_a_flag() {
    let load = |variables: &[(&str, &str)]| Settings::load(&Flags::new(), &environment(variables));
    assert!(!load(&[]).unwrap().encryption.is_configured());
    let both = format!("{KEY}, b:lost");
    let keys = load(&[("CUTOVER_ENCRYPTION_KEYS", &both)]).unwrap();
    let sealer = keys.encryption.sealer().unwrap();
    assert_eq!(sealer.keys().unwrap().names().collect::<Vec<_>>(), ["a", "b"]);
    let (_home, path) = file(&format!("# new\n{KEY}\n"));
    let file = load(&[("CUTOVER_ENCRYPTION_KEY_FILE", &path)]).unwrap();
    assert_eq!(file.encryption.sealer().unwrap().keys().unwrap().first(), "a");
    assert!(load(&[("CUTOVER_ENCRYPTION_KEY_FILE", "/nowhere")]).unwrap().encryption.sealer().is_err());
    let (_home, path) = self::file(&format!("encryption-keys = ['{KEY}']"));
    assert!(load(&[("CUTOVER_CONFIG", &path)]).unwrap().encryption.is_configured());
    for shown in [format!("{keys:?}"), format!("{sealer:?}")] {
        assert!(!shown.contains("AAAA"), "{shown}");
    }
    let flags = super::flags::ServeFlags::augment_args(clap::Command::new("x"));
    let common = super::flags::CommonFlags::augment_args(flags);
    assert!(common.get_arguments().all(|arg| arg.get_id() != "encryption-keys"));
    assert!(common.get_arguments().any(|arg| arg.get_id() == "encryption-key-file"));
}

#[test]
fn invalid_encryption_keys_are_refused_without_being_shown() {
    let refused = |variables: &[(&str, &str)]| {
        Settings::load(&Flags::new(), &environment(variables)).unwrap_err().to_string()
    };
    let bad = refused(&[("CUTOVER_ENCRYPTION_KEYS", "a:CANARY")]);
    assert!(bad.contains("encryption-keys (from the environment)") && !bad.contains("CANARY"), "{bad}");
    let both = refused(&[("CUTOVER_ENCRYPTION_KEYS", KEY), ("CUTOVER_ENCRYPTION_KEY_FILE", "x")]);
    assert!(both.contains("keep one of them") && !both.contains("AAAA"), "{both}");
}

#[test]
fn a_variable_can_name_a_file_with_a_secret() {
    let load = |variables: &[(&str, &str)]| Settings::load(&Flags::new(), &environment(variables));
    let (_home, url) = file(&format!("{SERVER}\n"));
    let (_home, keys) = file(KEY);
    let settings =
        load(&[("CUTOVER_DATABASE_URL_FILE", &url), ("CUTOVER_ENCRYPTION_KEYS_FILE", &keys)]).unwrap();
    assert!(settings.encryption.is_configured());
    let Database::Postgres(options) = settings.database else { panic!("it is on a server") };
    assert_eq!(options.url, SERVER);
    let refused = |variables: &[(&str, &str)]| load(variables).unwrap_err().to_string();
    let missing = refused(&[("CUTOVER_DATABASE_URL_FILE", "/nowhere/url")]);
    let start = "the setting database-url (from the environment) cannot be read from /nowhere/url: ";
    assert!(missing.starts_with(start), "{missing}");
    let twice = refused(&[("CUTOVER_DATABASE_URL_FILE", &url), ("CUTOVER_DATABASE_URL", SERVER)]);
    assert!(twice.contains("is given twice") && !twice.contains("s3cret"), "{twice}");
    let other = refused(&[("CUTOVER_LISTEN_FILE", &url)]);
    assert!(other.contains("unknown setting CUTOVER_LISTEN_FILE"), "{other}");
}

#[test]
fn a_default_can_be_given_as_the_help_prints_it() {
    let usual = format!("{:?}", Settings::load(&Flags::new(), &Environment::new()).unwrap().values);
    let limits = ["-limit", "-timeout", "-delay", "-lifetime", "-connections"];
    // The default of the memory limit is that of the system.
    let limits = SETTINGS.iter().filter(|setting| {
        setting.name != "memory-limit" && limits.iter().any(|end| setting.name.ends_with(end))
    });
    let mut count = 0;
    for setting in limits {
        let name = setting.name;
        let given = Settings::load(&flags(&[(name, setting.default)]), &Environment::new());
        let given = given.unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(format!("{:?}", given.values), usual, "{name}");
        count += 1;
    }
    assert!(count > 8, "{count}");
}

#[test]
fn published_limits_are_the_defaults() {
    let page = include_str!("../../../../docs/RELIABILITY.md");
    let mut published = Vec::new();
    for row in page.lines().filter(|line| line.starts_with("| ")) {
        let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
        let name = cells.last().and_then(|cell| cell.strip_prefix('`')?.strip_suffix('`'));
        let Some(setting) = name.and_then(|name| SETTINGS.iter().find(|setting| setting.name == name)) else {
            continue;
        };
        let much = cells[1].replace([',', ' '], "").replace("min", "m").replace("days", "d");
        assert!(much.contains(setting.default), "{}: {} is published", setting.name, cells[1]);
        published.push(setting.name);
    }
    for name in ["body-limit", "batch-limit", "list-limit", "rate-limit", "max-connections", "head-timeout"] {
        assert!(published.contains(&name), "{name}");
    }
}
