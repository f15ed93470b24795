use super::*;
use crate::cli::doctor::finding::Health;
use crate::open::{ExternalServices, OpenDatabase, Purpose, open_app};
use crate::settings::{Environment, Flags};
use chrono::Duration;
use cutover_app::operator::CheckName;
use cutover_app::port::{Tx, VendorKind, write};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Returns settings with a temporary data folder.
fn home() -> (tempfile::TempDir, Settings) {
    let home = tempfile::tempdir().unwrap();
    let flags: Flags = [
        ("data-dir", vec![home.path().join("data").to_str().unwrap().to_owned()]),
        ("listen", vec!["127.0.0.1:0".to_owned()]),
        // A low limit of open files is enough then.
        ("max-connections", vec!["1".to_owned()]),
        ("memory-limit", vec!["16GiB".to_owned()]),
    ]
    .into();
    let settings = Settings::load(&flags, &Environment::new()).unwrap();
    (home, settings)
}

/// Opens the database of the settings; returns it with its file.
fn opened(settings: &Settings) -> (OpenDatabase, PathBuf) {
    let Database::Sqlite(file) = &settings.database else { panic!("the default is a file") };
    (OpenDatabase::open(settings, Purpose::Command).unwrap(), file.clone())
}

fn result(findings: &[Finding], check: &str) -> Health {
    findings.iter().find(|finding| finding.check == check).unwrap().result
}

#[test]
fn a_new_installation_passes_all_checks() {
    let (_home, settings) = home();
    let findings = all(&settings);
    assert!(findings.iter().all(|finding| finding.result == Health::Ok), "{findings:#?}");
    let checks: Vec<&str> = findings.iter().map(|finding| finding.check).collect();
    let database = [
        "settings",
        "database",
        "migrations",
        "integrity",
        "clock",
        "at rest",
        "processes",
        "webhooks",
        "holds",
        "vendors",
    ];
    let rest = ["permissions", "documents", "server", "address"];
    assert_eq!(checks[..14], [&database[..], &rest[..]].concat());
    // Only some systems publish the limit.
    assert!(matches!(&checks[14..], ["memory"] | ["open files", "memory"]), "{checks:?}");
}

/// How a failed check of the doctor keeps a wave from beginning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum KeptBy {
    /// A check of readiness, which stops the release.
    Readiness(CheckName),
    /// The server, which does not start.
    Start,
    /// Readiness has no answer then: the check fails only if the database does not answer.
    NoAnswer,
    /// Nothing: it never fails.
    Nothing,
}

/// Every check of the doctor; a new one is added here. A file that cannot be opened keeps the server from starting, and one
/// that takes no writes is a matter of the check `disk`.
const KEPT_BY: [(&str, KeptBy); 26] = [
    ("settings", KeptBy::Start),
    ("database", KeptBy::Readiness(CheckName::Database)),
    ("writes", KeptBy::Readiness(CheckName::Disk)),
    ("migrations", KeptBy::Start),
    ("integrity", KeptBy::Readiness(CheckName::Database)),
    ("clock", KeptBy::Readiness(CheckName::Clock)),
    ("at rest", KeptBy::Readiness(CheckName::Encryption)),
    ("processes", KeptBy::NoAnswer),
    ("webhooks", KeptBy::NoAnswer),
    ("holds", KeptBy::NoAnswer),
    ("vendors", KeptBy::NoAnswer),
    ("permissions", KeptBy::Nothing),
    ("documents", KeptBy::Readiness(CheckName::Documents)),
    ("server", KeptBy::Start),
    ("address", KeptBy::Nothing),
    ("open files", KeptBy::Nothing),
    ("memory", KeptBy::Start),
    ("TLS", KeptBy::Readiness(CheckName::Tls)),
    ("encryption", KeptBy::Nothing),
    ("durability", KeptBy::Readiness(CheckName::Durability)),
    ("role", KeptBy::Readiness(CheckName::Database)),
    ("sessions", KeptBy::Readiness(CheckName::Database)),
    ("timeouts", KeptBy::Nothing),
    ("connections", KeptBy::Nothing),
    ("autovacuum", KeptBy::Nothing),
    ("standby", KeptBy::Readiness(CheckName::Replica)),
];

/// Returns the name of each check of which a source makes a finding, and true if that is a failure.
fn named(source: &str) -> Vec<(String, bool)> {
    let constant = source.split("const CHECK: &str = \"").nth(1).and_then(|rest| rest.split('"').next());
    let calls = source.split("Finding::").skip(1).filter_map(|rest| rest.split_once('('));
    let made = calls.filter(|(kind, _)| ["ok", "warn", "fail"].contains(kind));
    made.filter_map(|(kind, rest)| {
        let argument = rest.trim_start();
        let name = match argument.strip_prefix('"') {
            Some(rest) => rest.split('"').next()?,
            None if argument.starts_with("CHECK") => constant?,
            None => return None,
        };
        Some((name.to_owned(), kind == "fail"))
    })
    .collect()
}

#[test]
fn a_wave_does_not_begin_with_what_fails_here() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/cli/doctor");
    let files = std::fs::read_dir(folder.join("checks")).unwrap().map(|entry| entry.unwrap().path());
    let is_source = |path: &PathBuf| path.is_file() && !path.ends_with("tests.rs");
    let files = files.filter(is_source).chain([folder.join("mod.rs")]);
    let mut found: BTreeMap<String, bool> = BTreeMap::new();
    for (check, fails) in files.flat_map(|path| named(&std::fs::read_to_string(path).unwrap())) {
        *found.entry(check).or_default() |= fails;
    }
    let listed = KEPT_BY.iter().map(|(check, by)| ((*check).to_owned(), *by != KeptBy::Nothing));
    assert_eq!(found, listed.collect());
}

#[test]
fn a_running_server_is_reported() {
    let (_home, settings) = home();
    opened(&settings);
    let _lock = Lock::of(&settings).unwrap();
    let findings = serving(&settings);
    assert_eq!(findings.len(), 1);
    assert!(findings[0].detail.ends_with("serves this database"), "{findings:?}");
}

#[test]
fn a_file_that_is_not_a_database_fails() {
    let (_home, settings) = home();
    let (database, file) = opened(&settings);
    drop(database);
    std::fs::write(&file, "not a database, but long enough to be taken for one".repeat(50)).unwrap();
    let findings = all(&settings);
    assert_eq!(result(&findings, "database"), Health::Fail);
    assert_eq!(result(&findings, "documents"), Health::Ok, "one fault does not hide passed checks");
}

#[cfg(unix)]
#[test]
fn a_database_that_others_can_read_is_a_warning() {
    use std::os::unix::fs::PermissionsExt;
    let (_home, settings) = home();
    let (_, file) = opened(&settings);
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o644)).unwrap();
    assert_eq!(permissions(&settings).unwrap().result, Health::Warn);
}

#[test]
fn a_clock_behind_the_rows_fails() {
    let (_home, settings) = home();
    let store = opened(&settings).0.store();
    let now = SystemClock.now();
    let add = move |tx: &mut dyn Tx| tx.add_organisation("Acme", now).map(drop);
    write(&*store, add).unwrap();
    assert_eq!(sqlite::clock(&*store, now).result, Health::Ok);
    assert_eq!(sqlite::clock(&*store, now - Duration::hours(1)).result, Health::Fail);
}

#[test]
fn a_vendor_that_does_not_answer_is_a_warning() {
    let (_home, settings) = home();
    let app = open_app(&settings, ExternalServices::with_vendors().unwrap()).unwrap();
    // Nothing listens there.
    let free = "127.0.0.1:1";
    app.add_organisation("Acme").unwrap();
    app.as_command().add_vendor("Acme", "GONE", VendorKind::Http, &format!("http://{free}"), None).unwrap();
    app.as_command()
        .add_vendor(
            "Acme",
            "MUTE",
            VendorKind::Http,
            &format!("http://{free}"),
            Some("A_VARIABLE_NOBODY_SETS"),
        )
        .unwrap();
    let findings = all(&settings);
    let details: Vec<&str> =
        findings.iter().filter(|f| f.check == "vendors").map(|f| f.detail.as_str()).collect();
    assert!(details[0].starts_with(&format!("GONE at http://{free}: ")), "{details:?}");
    assert_eq!(details[1], "MUTE: the variable A_VARIABLE_NOBODY_SETS with its secret is not set here");
    assert!(findings.iter().all(|f| f.result != Health::Fail), "{findings:#?}");
}
