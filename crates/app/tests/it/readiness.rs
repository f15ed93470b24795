//! Readiness, releases and forecasts (contract D16).

use crate::env::{TestEnv, account_of, ports};
use chrono::{DateTime, Duration, Utc};
use cutover_app::auth::Caller;
use cutover_app::operator::{
    AuditScope, CheckLevel, CheckName, Checks, Forecast, OperatorError, Readiness, Release, Services,
    SupplierChange,
};
use cutover_app::port::{
    ApiKeyRole, AuditAction, DatabaseFault, Encryption, HoldCause, ServerCertificate, ServerCertificateState,
    ServerFigures, StoreError, Vendor, VendorKind, write,
};
use cutover_app::{App, Ports, Settings};
use cutover_process::State;
use cutover_testkit::SeededRandom;
use cutover_testkit::create_account;
use cutover_testkit::memory::{Fault, MemoryStore};
use std::sync::Arc;

const ACCOUNT: &str = r#""customers":[]"#;

/// The environment with its store, which has settings of its own.
fn environment() -> (TestEnv, Arc<MemoryStore>) {
    let memory = Arc::<MemoryStore>::default();
    let store = memory.clone();
    (TestEnv::on(move |ports| Ports { store, ..ports }), memory)
}

fn services(env: &TestEnv) -> Services {
    pollster::block_on(
        env.app.probe_services(&env.app.as_command().services_to_probe("ACME", Checks::All).unwrap()),
    )
}

fn readiness(env: &TestEnv) -> Readiness {
    env.app.as_command().readiness("ACME", &services(env), Checks::All).unwrap()
}

/// Returns the level of a check and what it says. Checks that say more than `ok` say what to do.
fn check(env: &TestEnv, name: CheckName) -> (CheckLevel, String) {
    let readiness = readiness(env);
    let check = readiness.checks.iter().find(|check| check.name == name).unwrap();
    assert_eq!(check.action.is_none(), check.level == CheckLevel::Ok, "{check:?}");
    assert!(check.detail.ends_with('.') && check.action.iter().all(|text| text.ends_with('.')), "{check:?}");
    assert_eq!(readiness.is_ready(), readiness.checks.iter().all(|check| check.level != CheckLevel::Stop));
    (check.level, check.detail.clone())
}

fn level(env: &TestEnv, name: CheckName) -> CheckLevel {
    check(env, name).0
}

fn hold(env: &TestEnv) {
    env.app.as_command().hold_supplier("ACME", None).unwrap();
}

fn release(env: &TestEnv, release: &Release) -> Result<Forecast, OperatorError> {
    let held_since = Release::of(env.app.as_command().show_hold("ACME")?.as_ref()).held_since;
    let release = Release { held_since, ..release.clone() };
    Ok(env.app.as_command().release_supplier("ACME", &release, &services(env))?.forecast)
}

fn by_force() -> Release {
    Release { because: Some("agreed".into()), is_forced: true, ..Release::default() }
}

fn import(env: &TestEnv) {
    while env.worker.run_once().unwrap() != cutover_app::worker::Worked::Nothing {}
}

#[test]
fn every_check_has_its_place_and_a_new_supplier_is_ready() {
    let (env, _) = environment();
    let readiness = readiness(&env);
    let names: Vec<&str> = readiness.checks.iter().map(|check| check.name.as_str()).collect();
    assert_eq!(names, CheckName::WORDS);
    assert!(readiness.is_ready(), "{readiness:?}");
    assert!(matches!(
        env.app.as_command().readiness("NONE", &Services::default(), Checks::All),
        Err(OperatorError::NotFound { .. })
    ));
}

#[test]
fn a_supplier_sees_the_checks_about_its_own_data() {
    let (env, _) = environment();
    let names = |role| {
        let caller = Caller { role, ..env.caller.clone() };
        let by = env.app.as_caller(&caller);
        let readiness = by.readiness("ACME", &services(&env), Checks::of(&caller)).unwrap();
        readiness.checks.iter().map(|check| check.name.as_str()).collect::<Vec<_>>()
    };
    let own = ["documents", "contracts", "sample", "manifest", "failures", "unresolved", "window"];
    assert_eq!(names(ApiKeyRole::Supplier), own);
    assert_eq!(names(ApiKeyRole::Reader), CheckName::WORDS);
    let by = env.app.as_caller(&env.caller);
    let wanted = by.services_to_probe("ACME", Checks::of(&env.caller)).unwrap();
    assert_eq!(pollster::block_on(env.app.probe_services(&wanted)).vendors, []);
    let absent = by.readiness("NONE", &Services::default(), Checks::of(&env.caller));
    assert!(matches!(absent, Err(OperatorError::NotFound { .. })));
}

/// The accounts of the wave are checked as an import would check them now.
#[test]
fn a_wave_that_would_fail_is_not_released() {
    let (env, _) = environment();
    assert_eq!(check(&env, CheckName::Sample), (CheckLevel::Ok, "No account waits.".to_owned()));
    hold(&env);
    for n in 0..4 {
        env.create_as(&format!("A-{n}"), ACCOUNT);
    }
    env.create_as("A-4", r#""customers":[{"family_name":"Okafor"}]"#);
    assert_eq!(check(&env, CheckName::Sample).1, "Checked 5 of the 5 that come next: none would fail.");
    env.fail(true);
    let found = check(&env, CheckName::Sample);
    let text = "Checked 5 of the 5 that come next: 4 would fail, most often account_without_customers (4); no share of failures is set.";
    assert_eq!(found, (CheckLevel::Warn, text.to_owned()));
    let share = |text: &str| {
        let hold_on_errors = Some(Some(text.parse().unwrap()));
        env.set_supplier(SupplierChange { hold_on_errors, ..SupplierChange::default() });
        level(&env, CheckName::Sample)
    };
    assert_eq!([share("90/10"), share("0/10")], [CheckLevel::Warn, CheckLevel::Stop]);
    let refused = release(&env, &Release::default()).unwrap_err().to_string();
    assert!(refused.contains("say stop: sample"), "{refused}");
    // Only the wave is checked.
    env.set_supplier(SupplierChange { waves: Some("1,rest".parse().unwrap()), ..SupplierChange::default() });
    assert_eq!(level(&env, CheckName::Sample), CheckLevel::Stop);
    env.fail(false);
    assert_eq!(check(&env, CheckName::Sample).1, "Checked 1 of the 1 that come next: none would fail.");
    release(&env, &Release::default()).unwrap();
}

#[test]
fn a_clock_behind_the_database_stops() {
    let (env, _) = environment();
    assert_eq!(level(&env, CheckName::Clock), CheckLevel::Ok);
    env.clock.advance(Duration::hours(-2));
    assert_eq!(level(&env, CheckName::Clock), CheckLevel::Stop);
}

/// The certificate that an installation is served with.
struct Served(ServerCertificateState);

impl ServerCertificate for Served {
    fn judge(&self, _: DateTime<Utc>) -> ServerCertificateState {
        self.0.clone()
    }
}

/// Nobody can send an account to a server whose certificate has expired.
#[test]
fn an_expired_certificate_of_the_api_stops() {
    let (env, memory) = environment();
    assert_eq!(level(&env, CheckName::Tls), CheckLevel::Ok);
    let of = |state: ServerCertificateState| {
        let ports = ports(memory.clone(), env.clock.clone(), Arc::new(SeededRandom::new(1)));
        let app = App::new(ports, Settings::default()).served_with(Some(Arc::new(Served(state))));
        let readiness = app.as_command().readiness("ACME", &services(&env), Checks::All).unwrap();
        let check = readiness.checks.into_iter().find(|check| check.name == CheckName::Tls).unwrap();
        (check.level, check.detail, check.action.is_some())
    };
    let text = || "it expired".to_owned();
    let said = "The API: it expired.".to_owned();
    for (state, level) in [
        (ServerCertificateState::Valid(text()), CheckLevel::Ok),
        (ServerCertificateState::ExpiresSoon(text()), CheckLevel::Warn),
        (ServerCertificateState::Unusable(text()), CheckLevel::Stop),
    ] {
        assert_eq!(of(state), (level, said.clone(), level != CheckLevel::Ok));
    }
}

#[test]
fn silent_documents_stop_a_supplier_that_verifies_them() {
    let (env, _) = environment();
    assert_eq!(level(&env, CheckName::Documents), CheckLevel::Ok);
    env.documents.set_down(true);
    assert_eq!(level(&env, CheckName::Documents), CheckLevel::Warn);
    env.set_supplier(SupplierChange { verify_documents: Some(true), ..SupplierChange::default() });
    assert_eq!(level(&env, CheckName::Documents), CheckLevel::Stop);
    env.documents.set_down(false);
    assert_eq!(level(&env, CheckName::Documents), CheckLevel::Ok);
}

#[test]
fn vendors_that_do_not_answer_are_named() {
    let (env, memory) = environment();
    let add = |name: &str, base_url: &str| {
        let vendor = Vendor {
            organisation_id: env.caller.organisation_id,
            organisation: "Acme".into(),
            name: name.into(),
            kind: VendorKind::Http.into(),
            base_url: base_url.into(),
            secret_env: None,
            created_at: env.app.now(),
        };
        write(&*memory, move |tx| tx.add_vendor(&vendor)).unwrap();
    };
    assert_eq!(level(&env, CheckName::Vendors), CheckLevel::Ok);
    add("PAY", "https://pay");
    assert_eq!(level(&env, CheckName::Vendors), CheckLevel::Ok);
    add("LATE", "bad://late");
    let (level, detail) = check(&env, CheckName::Vendors);
    assert!(level == CheckLevel::Warn && detail.contains("LATE") && !detail.contains("PAY"), "{detail}");
}

#[test]
fn contracts_of_waiting_accounts_that_are_gone_stop() {
    let (env, memory) = environment();
    env.create(ACCOUNT);
    assert_eq!(level(&env, CheckName::Contracts), CheckLevel::Ok);
    let (id, organisation) = (1, env.caller.organisation_id);
    write(&*memory, move |tx| tx.set_contract_of(id, Some((organisation, "C-17")))).unwrap();
    let (level_of, detail) = check(&env, CheckName::Contracts);
    assert!(level_of == CheckLevel::Stop && detail.contains("C-17"), "{detail}");
    env.app.as_command().cancel_process("ACME", "A-1").unwrap();
    assert_eq!(level(&env, CheckName::Contracts), CheckLevel::Ok);
}

/// Declares a number of accounts without readings, transactions or documents.
fn declare(env: &TestEnv, accounts: u32) {
    let body = format!(
        r#"{{"accounts":{accounts},"ledger_balance":"0.00","readings":0,"transactions":0,"documents":0}}"#
    );
    env.app.declare_manifest(&env.caller, "ACME", body.as_bytes()).unwrap();
}

#[test]
fn a_difference_from_the_manifest_stops() {
    let (env, _) = environment();
    assert_eq!(level(&env, CheckName::Manifest), CheckLevel::Warn);
    declare(&env, 2);
    env.create(ACCOUNT);
    let (level_of, detail) = check(&env, CheckName::Manifest);
    assert!(level_of == CheckLevel::Stop && detail.ends_with(": -1 accounts."), "{detail}");
    env.create_as("A-2", ACCOUNT);
    assert_eq!(level(&env, CheckName::Manifest), CheckLevel::Ok);
    import(&env);
    assert_eq!(level(&env, CheckName::Manifest), CheckLevel::Ok);
    declare(&env, 1);
    assert!(check(&env, CheckName::Manifest).1.ends_with(": +1 accounts."));
}

/// Refused accounts and those that were not sent are left behind as failed ones are.
#[test]
fn a_supplier_is_not_complete_while_accounts_are_refused_or_missing() {
    let (env, _) = environment();
    let check_finished = || env.app.as_command().check_finished("ACME").map_err(|error| error.to_string());
    env.create_as("A-1", ACCOUNT);
    import(&env);
    assert_eq!(check_finished(), Ok(()));
    declare(&env, 4);
    let faulty = account_of("A-2", r#""customers":7"#);
    create_account(&env.app, &env.caller, None, faulty.as_bytes()).unwrap_err();
    let refusal = check_finished().unwrap_err();
    let both = "1 account was refused and not accepted since, and 2 accounts of the manifest were not sent";
    assert!(refusal.contains(both), "{refusal}");
    let (level_of, detail) = check(&env, CheckName::Unresolved);
    assert_eq!(level_of, CheckLevel::Warn);
    assert_eq!(detail, "Refused accounts, not accepted since: 1.");
    (2..5).for_each(|n| env.create_as(&format!("A-{n}"), ACCOUNT));
    import(&env);
    assert_eq!(check_finished(), Ok(()));
    assert_eq!(level(&env, CheckName::Unresolved), CheckLevel::Ok);
}

/// Two of ten accounts may not fail; one may. Sent again they do not count.
#[test]
fn failures_of_the_last_wave_count_until_they_are_sent_again() {
    let (env, _) = environment();
    hold(&env);
    let share = Some(Some("10/10".parse().unwrap()));
    env.set_supplier(SupplierChange { hold_on_errors: share, ..SupplierChange::default() });
    for n in 0..4 {
        env.create_as(&format!("A-{n}"), ACCOUNT);
    }
    assert_eq!(level(&env, CheckName::Failures), CheckLevel::Ok);
    release(&env, &Release::default()).unwrap();
    env.fail(true);
    import(&env);
    let held = env.app.as_command().show_hold("ACME").unwrap().unwrap();
    assert_eq!((held.first.by.known(), held.failed), (Some(&HoldCause::ErrorRate), 2));
    assert_eq!(level(&env, CheckName::Failures), CheckLevel::Stop);
    assert_eq!(level(&env, CheckName::Unresolved), CheckLevel::Warn);
    env.fail(false);
    let failed: Vec<String> =
        (0..4).map(|n| format!("A-{n}")).filter(|number| env.state_of(number) == State::Errored).collect();
    for (n, number) in failed.iter().enumerate() {
        assert_eq!(level(&env, CheckName::Failures) == CheckLevel::Stop, failed.len() - n > 1, "{n}");
        env.app.as_command().retry_process("ACME", number).unwrap();
    }
    assert_eq!(level(&env, CheckName::Failures), CheckLevel::Ok);
    assert_eq!(level(&env, CheckName::Unresolved), CheckLevel::Ok);
    release(&env, &Release::default()).unwrap();
    import(&env);
    assert_eq!(env.app.as_command().show_hold("ACME").unwrap(), None);
}

/// Failures of a rehearsal are judged until a wave has begun, unless they were sent again.
#[test]
fn failures_of_the_last_run_count_before_the_first_wave() {
    let (env, _) = environment();
    env.set_supplier(SupplierChange { dry_run: Some(true), ..SupplierChange::default() });
    env.app.as_command().start_run("ACME", "First").unwrap();
    (0..4).for_each(|n| env.create_as(&format!("A-{n}"), ACCOUNT));
    env.fail(true);
    import(&env);
    env.app.as_command().end_run("ACME").unwrap();
    env.fail(false);
    hold(&env);
    let (waves, hold_on_errors) = (Some("2".parse().unwrap()), Some(Some("10/10".parse().unwrap())));
    env.set_supplier(SupplierChange {
        waves,
        hold_on_errors,
        dry_run: Some(false),
        ..SupplierChange::default()
    });
    let (level_of, detail) = check(&env, CheckName::Failures);
    assert!(detail.starts_with("4 of 4 accounts of the run “First” have failed"), "{detail}");
    assert_eq!(level_of, CheckLevel::Stop);
    env.clock.advance(Duration::seconds(1));
    (0..4).for_each(|n| env.create_as(&format!("A-{n}"), ACCOUNT));
    assert_eq!(level(&env, CheckName::Failures), CheckLevel::Ok);
    release(&env, &Release::default()).unwrap();
    import(&env);
    let (_, detail) = check(&env, CheckName::Failures);
    assert!(detail.starts_with("0 of 2 accounts of wave 1"), "{detail}");
}

/// A wave without a share of failures only warns of them, and not of those before it.
#[test]
fn failures_before_the_last_wave_are_unresolved_only() {
    let (env, _) = environment();
    env.create_as("A-0", ACCOUNT);
    env.fail(true);
    import(&env);
    env.fail(false);
    assert_eq!(level(&env, CheckName::Failures), CheckLevel::Ok);
    hold(&env);
    let waves = Some("1".parse().unwrap());
    env.set_supplier(SupplierChange { waves, ..SupplierChange::default() });
    env.create_as("A-1", ACCOUNT);
    release(&env, &Release::default()).unwrap();
    env.fail(true);
    import(&env);
    let (level_of, detail) = check(&env, CheckName::Failures);
    assert!(level_of == CheckLevel::Warn && detail.starts_with("1 of 1 accounts of wave 1"), "{detail}");
    release(&env, &Release::default()).unwrap();
    assert_eq!(level(&env, CheckName::Failures), CheckLevel::Ok);
    assert_eq!(level(&env, CheckName::Unresolved), CheckLevel::Warn);
}

/// Ten accounts a second apart were imported; the others take as long.
#[test]
fn windows_are_compared_with_the_forecast() {
    let (env, _) = environment();
    let windowed = |number: &str, minutes: i64| {
        let end = (env.app.now() + Duration::minutes(minutes)).to_rfc3339();
        env.create_with(&format!(r#"{{"schedule_window_end":"{end}"}}"#), number, ACCOUNT);
    };
    assert_eq!(
        check(&env, CheckName::Window),
        (CheckLevel::Ok, "No account that waits has a window.".into())
    );
    hold(&env);
    windowed("W-0", 5);
    assert_eq!(level(&env, CheckName::Window), CheckLevel::Warn, "no rate is known");
    release(&env, &Release::default()).unwrap();
    import(&env);
    for n in 0..9 {
        env.clock.advance(Duration::seconds(60));
        env.create_as(&format!("A-{n}"), ACCOUNT);
        import(&env);
    }
    hold(&env);
    // A window of ten minutes, for ten accounts that take nine minutes and one more.
    for n in 0..9 {
        windowed(&format!("W-{}", n + 1), 10);
    }
    assert_eq!(level(&env, CheckName::Window), CheckLevel::Ok);
    env.create_as("A-9", ACCOUNT);
    env.create_as("A-10", ACCOUNT);
    env.create_as("A-11", ACCOUNT);
    let (level_of, detail) = check(&env, CheckName::Window);
    assert!(level_of == CheckLevel::Stop && detail.starts_with("12 accounts have to begin"), "{detail}");
    env.clock.advance(Duration::minutes(11));
    let (level_of, detail) = check(&env, CheckName::Window);
    assert!(level_of == CheckLevel::Stop && detail.contains("closed at"), "{detail}");
}

#[test]
fn missing_encryption_keys_stop() {
    let (env, memory) = environment();
    assert_eq!(level(&env, CheckName::Encryption), CheckLevel::Ok);
    let none = Encryption::default();
    let configured = Encryption { is_configured: true, ..Encryption::default() };
    for (encryption, wanted) in [
        (none.clone(), CheckLevel::Warn),
        (Encryption { has_open_values: true, ..configured.clone() }, CheckLevel::Warn),
        (Encryption { missing: vec!["k1".into()], ..none }, CheckLevel::Stop),
        (configured, CheckLevel::Ok),
    ] {
        memory.set_encryption(Some(encryption.clone()));
        assert_eq!(level(&env, CheckName::Encryption), wanted, "{encryption:?}");
    }
    let used = Encryption { is_configured: true, used: vec!["k2".into()], ..Encryption::default() };
    memory.set_encryption(Some(used));
    let node = |keys: &[&str]| cutover_app::nodes::NodeDescription {
        role: "worker".into(),
        version: "1".into(),
        encryption_keys: keys.iter().map(|&key| key.to_owned()).collect(),
    };
    let good = env.app.add_node(node(&["k3", "k2"])).unwrap();
    assert_eq!(level(&env, CheckName::Encryption), CheckLevel::Ok);
    let lacking = env.app.add_node(node(&["k3"])).unwrap();
    let (level_of, detail) = check(&env, CheckName::Encryption);
    assert!(level_of == CheckLevel::Stop && detail.contains("k2"), "{detail}");
    env.app.remove_node(&lacking).unwrap();
    env.app.remove_node(&good).unwrap();
    assert_eq!(level(&env, CheckName::Encryption), CheckLevel::Ok);
}

#[test]
fn a_disk_too_small_for_what_waits_stops() {
    let (env, memory) = environment();
    let (level_of, detail) = check(&env, CheckName::Disk);
    assert!(level_of == CheckLevel::Ok && detail.contains("not known"), "{detail}");
    memory.set_free_space(Some(0));
    assert_eq!(level(&env, CheckName::Disk), CheckLevel::Ok, "nothing waits");
    hold(&env);
    for n in 0..30 {
        let notes = format!(r#""customers":[],"notes":[{{"body":"{}"}}]"#, "x".repeat(1_000));
        env.create_as(&format!("A-{n}"), &notes);
    }
    for (free, wanted) in
        [(30_000, CheckLevel::Stop), (70_000, CheckLevel::Warn), (1_000_000, CheckLevel::Ok)]
    {
        memory.set_free_space(Some(free));
        assert_eq!(level(&env, CheckName::Disk), wanted, "{free}");
    }
}

/// Free space alone does not tell that a disk fails.
#[test]
fn a_write_that_the_database_refused_stops_for_a_minute() {
    let (env, memory) = environment();
    memory.set_free_space(Some(u64::MAX));
    memory.set_fault(Some(Fault::OfWrites(StoreError::Unwritable("disk full".into()))));
    env.app.as_command().hold_supplier("ACME", None).unwrap_err();
    memory.set_fault(None);
    let (level_of, detail) = check(&env, CheckName::Disk);
    assert!(level_of == CheckLevel::Stop && detail.contains("disk full"), "{detail}");
    env.clock.advance(Duration::minutes(1));
    assert_eq!(level(&env, CheckName::Disk), CheckLevel::Ok);
}

#[test]
fn standbys_and_archives_of_a_server_are_judged() {
    let (env, memory) = environment();
    let levels = |server: Option<ServerFigures>| {
        memory.set_server_figures(server);
        [CheckName::Replica, CheckName::Backup].map(|name| level(&env, name))
    };
    let second = std::time::Duration::from_secs(1);
    let server =
        ServerFigures { sees_other_roles: true, archives_log: Some(true), ..ServerFigures::default() };
    let (ok, warn) = (CheckLevel::Ok, CheckLevel::Warn);
    assert_eq!(levels(None), [ok, warn]);
    assert_eq!(levels(Some(server)), [ok, ok]);
    assert_eq!(levels(Some(ServerFigures { standby_answers: Some(false), ..server })), [warn, ok]);
    assert_eq!(levels(Some(ServerFigures { replication_lag: Some(second * 61), ..server })), [warn, ok]);
    let followed = ServerFigures { replication_lag: Some(second), ..server };
    assert_eq!(levels(Some(followed)), [warn, ok]);
    assert_eq!(levels(Some(ServerFigures { has_synchronous_standbys: true, ..followed })), [ok, ok]);
    assert_eq!(levels(Some(ServerFigures { archives_log: Some(false), ..server })), [ok, warn]);
    assert_eq!(levels(Some(ServerFigures { archives_log: None, ..server })), [ok, warn]);
}

/// An inspection is kept for a minute, but not for a release.
#[test]
fn faults_of_the_database_stop() {
    use CheckName::{Database, Durability, Replica};
    let (env, memory) = environment();
    memory.set_server_figures(Some(ServerFigures::default()));
    let of = |faults: Vec<DatabaseFault>| {
        memory.set_faults(faults);
        env.clock.advance(Duration::seconds(60));
        [Database, Durability, Replica].map(|name| check(&env, name))
    };
    let rights = vec!["INSERT on manifests".to_owned()];
    let faults = [
        (Database, DatabaseFault::Damaged("row 7 missing from index process_states".into())),
        (Database, DatabaseFault::Outdated("12.22".into())),
        (Database, DatabaseFault::ReadOnly),
        (Database, DatabaseFault::MissingRights { role: "cutover_run".into(), rights }),
        (Database, DatabaseFault::SharedSessions),
        (Database, DatabaseFault::TwoDatabases),
        (Durability, DatabaseFault::LosesCommits("fsync")),
        (Replica, DatabaseFault::NoStandby),
    ];
    let mut lines = Vec::new();
    for (name, fault) in faults {
        for (of, (level, detail)) in [Database, Durability, Replica].into_iter().zip(of(vec![fault])) {
            assert_eq!(level == CheckLevel::Stop, of == name, "{detail}");
            lines.extend((of == name).then(|| format!("{name}: {detail}")));
        }
    }
    insta::assert_snapshot!(lines.join("\n"));
    assert_eq!(of(Vec::new()).map(|(level, _)| level), [CheckLevel::Ok; 3]);
    memory.set_faults(vec![DatabaseFault::ReadOnly]);
    assert_eq!(level(&env, Database), CheckLevel::Ok, "it was inspected less than a minute ago");
    hold(&env);
    let refused = release(&env, &Release::default()).unwrap_err().to_string();
    assert!(refused.ends_with("say stop: database"), "{refused}");
    assert_eq!(level(&env, Database), CheckLevel::Stop, "the release has found it");
}

#[test]
fn a_backup_is_recent_for_a_day() {
    let (env, _) = environment();
    assert_eq!(level(&env, CheckName::Backup), CheckLevel::Warn);
    env.app.begin_backup().unwrap();
    assert_eq!(level(&env, CheckName::Backup), CheckLevel::Ok);
    env.clock.advance(Duration::hours(25));
    assert_eq!(level(&env, CheckName::Backup), CheckLevel::Warn);
}

/// A check that speaks against a release refuses it, and nothing changes. By force and for a reason it is released, and
/// the audit trail says against which checks.
#[test]
fn a_release_is_refused_unless_it_is_forced() {
    let (env, _) = environment();
    env.set_supplier(SupplierChange { verify_documents: Some(true), ..SupplierChange::default() });
    assert!(release(&env, &Release::default()).is_ok(), "it is not held");
    hold(&env);
    env.documents.set_down(true);
    let before = env.app.as_command().show_hold("ACME").unwrap();
    let refused =
        release(&env, &Release { because: Some("soon".into()), is_forced: false, ..Release::default() });
    let text = refused.unwrap_err().to_string();
    assert!(text.contains("documents") && text.contains("ACME"), "{text}");
    let without_reason =
        release(&env, &Release { because: None, is_forced: true, ..Release::default() }).unwrap_err();
    assert!(without_reason.to_string().contains("reason"), "{without_reason}");
    assert_eq!(env.app.as_command().show_hold("ACME").unwrap(), before);
    let releases = || {
        let scope = AuditScope {
            action: Some(AuditAction::SupplierReleased),
            supplier: Some("ACME".into()),
            limit: 9,
            ..AuditScope::default()
        };
        env.app.as_command().audit(&scope).unwrap()
    };
    assert_eq!(releases().len(), 0);
    release(&env, &by_force()).unwrap();
    assert_eq!(env.app.as_command().show_hold("ACME").unwrap(), None);
    let detail = releases().remove(0).detail;
    let facts: Vec<(String, String)> =
        detail.facts().map(|(name, fact)| (name.to_owned(), fact.to_string())).collect();
    let wanted = [("because", "agreed"), ("forced", "documents"), ("held-by", "operator command")];
    assert_eq!(facts, wanted.map(|(name, fact)| (name.to_owned(), fact.to_owned())));
    // A release by force that needs none is recorded as any other.
    env.documents.set_down(false);
    hold(&env);
    release(&env, &by_force()).unwrap();
    assert!(releases().iter().any(|record| record.detail.facts().all(|(name, _)| name != "forced")));
}

#[test]
fn the_forecast_is_that_of_the_next_wave_and_of_all() {
    let (env, _) = environment();
    hold(&env);
    env.set_supplier(SupplierChange {
        waves: Some("2,3,rest".parse().unwrap()),
        ..SupplierChange::default()
    });
    for n in 0..9 {
        env.create_as(&format!("A-{n}"), ACCOUNT);
    }
    let first = release(&env, &Release::default()).unwrap();
    assert_eq!((first.rate_per_minute, first.whole.time, first.whole.accounts), (None, None, 9));
    let (number, part) = first.wave.unwrap();
    assert_eq!((number, part.accounts), (1, 2));
    env.worker.run_once().unwrap();
    env.clock.advance(Duration::minutes(30));
    let second = release(&env, &Release::default()).unwrap();
    // Both ended at once, which counts as a second.
    assert_eq!(second.rate_per_minute.unwrap().to_string(), "120.0");
    let (number, part) = second.wave.unwrap();
    assert_eq!((number, part.accounts, part.time), (2, 3, Some(Duration::milliseconds(1_500))));
    assert_eq!((second.whole.accounts, second.whole.time), (7, Some(Duration::milliseconds(3_500))));
    assert_eq!(second.whole.finish_at, Some(env.app.now() + Duration::milliseconds(3_500)));
    let running = readiness(&env).forecast;
    assert_eq!(running.wave.map(|(number, part)| (number, part.accounts)), Some((2, 3)));
    import(&env);
    let last = release(&env, &Release::default()).unwrap();
    assert_eq!(last.wave.map(|(number, part)| (number, part.accounts)), Some((3, 4)), "the rest");
}

#[test]
fn a_store_that_fails_is_no_finding() {
    let (env, memory) = environment();
    memory.set_fault(Some(Fault::Error(StoreError::Unavailable("on purpose".into()))));
    assert!(matches!(
        env.app.as_command().readiness("ACME", &Services::default(), Checks::All),
        Err(OperatorError::Store(_))
    ));
}
