//! Batches of accounts that a worker claims and writes together, without affecting each other.

use crate::env::{TestEnv, account_of};
use crate::test_doubles::{HookedDocuments, RepeatingRandom, SlowStore, StoreCall, WatchedStore};
use chrono::Duration;
use cutover_app::Ports;
use cutover_app::operator::SupplierChange;
use cutover_app::port::{
    self, Clock, Creation, DocumentsUnavailable, Staged, Staging, StoreError, StoredIssues, read, write,
};
use cutover_app::worker::Worked;
use cutover_core::Level;
use cutover_process::{Actor, Event, EventKind, LEASE, NewProcess, State, Submission};
use cutover_testkit::payload::Dice;
use cutover_testkit::{FakeClock, create_account};
use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

const EMPTY: &str = r#""unknown_occupier":true"#;

/// Returns the members of an account with a document.
fn with_document(path: &str) -> String {
    format!(r#"{EMPTY},"notes":[{{"document_paths":[{{"document_path":"{path}"}}]}}]"#)
}

/// Creates an environment whose documents all exist, and returns the hook of lookups.
fn hooked() -> (TestEnv, Arc<HookedDocuments>) {
    let documents = Arc::<HookedDocuments>::default();
    let given = documents.clone();
    (TestEnv::on(|ports| Ports { documents: given, ..ports }), documents)
}

/// Makes the supplier verify documents.
fn verify(env: &TestEnv) {
    let change = SupplierChange { verify_documents: Some(true), ..SupplierChange::default() };
    env.app.as_command().set_supplier("ACME", change).unwrap();
}

/// Works until nothing is due.
fn drain(env: &TestEnv) {
    while env.worker.run_once().unwrap() != Worked::Nothing {}
}

/// Creates an environment whose calls of the store are logged.
fn counted(change: impl FnOnce(Ports) -> Ports) -> (TestEnv, Arc<Mutex<Vec<StoreCall>>>) {
    let calls = Arc::<Mutex<Vec<StoreCall>>>::default();
    let log = calls.clone();
    let watch = move |what| log.lock().unwrap().push(what);
    let poll = std::time::Duration::from_secs(1);
    let watched =
        |ports: Ports| Ports { store: Arc::new(WatchedStore::new(ports.store, poll, watch)), ..ports };
    (TestEnv::on(|ports| watched(change(ports))), calls)
}

/// Runs the worker once, and returns its result and the numbers of writes and of reads.
fn run_counted(env: &TestEnv, calls: &Mutex<Vec<StoreCall>>) -> (Worked, usize, usize) {
    calls.lock().unwrap().clear();
    let worked = env.worker.run_once().unwrap();
    let calls = calls.lock().unwrap();
    let count = |what| calls.iter().filter(|call| **call == what).count();
    (worked, count(StoreCall::Write), count(StoreCall::ReadCommitted))
}

fn states<const N: usize>(env: &TestEnv, numbers: [&str; N]) -> [State; N] {
    numbers.map(|number| env.state_of(number))
}

/// Returns the events in the history of an account.
fn steps(env: &TestEnv, number: &str) -> Vec<EventKind> {
    env.report_of(number).history.iter().map(|entry| *entry.event.known().unwrap()).collect()
}

fn count(counter: &AtomicU64) -> u64 {
    counter.load(Ordering::Relaxed)
}

#[test]
fn sixteen_accounts_are_claimed_and_written_in_one_transaction() {
    let (env, calls) = counted(|ports| ports);
    let numbers: Vec<_> = (0..20).map(|n| format!("A-{n}")).collect();
    numbers.iter().for_each(|number| env.create_as(number, EMPTY));
    assert_eq!(run_counted(&env, &calls), (Worked::Processes(16), 2, 2));
    let processed = |env: &TestEnv| numbers.iter().filter(|n| env.state_of(n) == State::Processed).count();
    assert_eq!(processed(&env), 16);
    assert_eq!(run_counted(&env, &calls), (Worked::Processes(4), 2, 2));
    assert_eq!(run_counted(&env, &calls), (Worked::Nothing, 1, 0));
    assert_eq!((processed(&env), count(&env.metrics.processed)), (20, 20));
    let all = [EventKind::Created, EventKind::Claimed, EventKind::Imported];
    assert!(numbers.iter().all(|number| steps(&env, number) == all));
}

/// Creates accounts with a meter point of their own each.
fn create_with_meter_points(env: &TestEnv, numbers: &[&str]) {
    for (n, number) in numbers.iter().enumerate() {
        create_supplied(env, number, &format!("630572872{n:02}"), "{}");
    }
}

/// Creates an account with a meter point, a document, and these task parameters.
fn create_supplied(env: &TestEnv, number: &str, mpxn: &str, params: &str) {
    let fixture = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/accounts/valid/electricity.json");
    let mut sent: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(fixture).unwrap()).unwrap();
    sent["import_supplier"] = "ACME".into();
    sent["external_account_number"] = number.into();
    sent["supply_addresses"][0]["meter_points"][0]["mpxn"] = mpxn.into();
    sent.as_object_mut().unwrap().remove("statements");
    sent["notes"] = serde_json::json!([{"document_paths": [{"document_path": number}]}]);
    let body = format!(r#"{{"task_params":{params},"payload":{sent}}}"#);
    create_account(&env.app, &env.caller, None, body.as_bytes()).unwrap();
}

/// Sets the level of the rule about meter points of other accounts.
fn set_rule(env: &TestEnv, level: Level) {
    let rules = [("PST-12".to_owned(), Some(level))].into();
    env.app.as_command().set_supplier("ACME", SupplierChange { rules, ..SupplierChange::default() }).unwrap();
}

/// The code of the rule.
const TAKEN: &str = "meter_point_of_another_account";

const REHEARSED: &str = r#"{"is_dry_run":true}"#;

#[test]
fn accounts_of_a_batch_see_those_before_them() {
    let (env, calls) = counted(|ports| ports);
    set_rule(&env, Level::Error);
    let numbers = ["dry-1", "A-1", "A-2", "dry-2", "other"];
    for (number, mpxn) in numbers.iter().zip(["1", "1", "1", "1", "2"]) {
        let params = if number.starts_with("dry") { REHEARSED } else { "{}" };
        create_supplied(&env, number, &format!("630572872{mpxn:0>2}"), params);
    }
    // As many calls as for accounts with other meter points.
    assert_eq!(run_counted(&env, &calls), (Worked::Processes(5), 2, 2));
    let expected =
        [State::DryRunSucceeded, State::Processed, State::Errored, State::DryRunErrored, State::Processed];
    assert_eq!(states(&env, numbers), expected);
    for number in ["A-2", "dry-2"] {
        let issues = env.report_of(number).issues;
        let detail = &issues.errors[0].detail;
        assert!(detail.starts_with("Account A-1 of ACME has this meter point."), "{detail}");
    }
}

#[test]
fn accounts_of_a_batch_are_warned_of_those_before_them() {
    let env = TestEnv::new();
    let numbers = ["A-1", "A-2", "A-3"];
    numbers.iter().for_each(|number| create_supplied(&env, number, "63057287201", "{}"));
    env.worker.run_once().unwrap();
    let warned = numbers.map(|number| {
        let warnings = env.report_of(number).issues.warnings.into_iter();
        let mut own = warnings.filter(|warning| warning.rule.as_deref() == Some("PST-12"));
        own.next().map(|warning| warning.detail.split_once(" of ").unwrap().0.to_owned())
    });
    let by = |number| Some(format!("Account {number}"));
    // Of several that have it without an end the last one is named.
    assert_eq!(warned, [None, by("A-1"), by("A-2")]);
}

/// Imports an account whose meter point another worker takes or frees after its facts were read, and returns its state,
/// attempt and steps.
fn imported_meanwhile(
    number: &'static str,
    meanwhile: impl Fn(&TestEnv) + Send + Sync + 'static,
    params: &str,
) -> (State, u32, Vec<EventKind>) {
    let (env, documents) = hooked();
    let env = Arc::new(env);
    set_rule(&env, Level::Error);
    create_supplied(&env, "other", "63057287202", "{}");
    create_supplied(&env, number, "63057287201", params);
    verify(&env);
    let (weak, is_done) = (Arc::downgrade(&env), AtomicBool::new(false));
    documents.on_look_up(move |path| {
        if path == number && !is_done.swap(true, Ordering::SeqCst) {
            meanwhile(&weak.upgrade().unwrap());
        }
        Ok(())
    });
    assert_eq!(env.worker.run_once().unwrap(), Worked::Processes(2));
    assert_eq!(steps(&env, "other"), IMPORTED_AT_ONCE);
    let report = env.report_of(number);
    (report.status.status, report.attempt, steps(&env, number))
}

/// Another worker imports an account with the same meter point.
fn take(env: &TestEnv) {
    create_supplied(env, "B-1", "63057287201", "{}");
    assert_eq!(env.another_worker("w2").run_once().unwrap(), Worked::Processes(1));
    assert_eq!(env.state_of("B-1"), State::Processed);
}

#[test]
fn an_account_is_checked_again_if_its_meter_point_is_taken_before_it_is_written() {
    let rejected = vec![EventKind::Created, EventKind::Claimed, EventKind::Rejected];
    assert_eq!(imported_meanwhile("A-1", take, "{}"), (State::Errored, 1, rejected));
    let failed = vec![EventKind::Created, EventKind::Claimed, EventKind::DryRunFailed];
    assert_eq!(imported_meanwhile("A-1", take, REHEARSED), (State::DryRunErrored, 1, failed));
}

#[test]
fn facts_about_a_batch_are_looked_up_together() {
    let (env, calls) = counted(|ports| ports);
    let numbers = ["A-1", "A-2", "A-3"];
    create_with_meter_points(&env, &numbers);
    // The payloads, and the facts.
    assert_eq!(run_counted(&env, &calls), (Worked::Processes(3), 2, 2));
    assert_eq!(states(&env, numbers), [State::Processed; 3]);
}

#[test]
fn facts_of_a_rule_that_is_off_are_not_looked_up() {
    let (env, calls) = counted(|ports| ports);
    let rules = ["PST-12", "PST-18", "PST-20"].map(|id| (id.to_owned(), Some(Level::Off))).into();
    env.app.as_command().set_supplier("ACME", SupplierChange { rules, ..SupplierChange::default() }).unwrap();
    create_with_meter_points(&env, &["A-1", "A-2"]);
    // The payloads.
    assert_eq!(run_counted(&env, &calls), (Worked::Processes(2), 2, 1));
}

#[test]
fn a_number_that_looks_like_an_earlier_one_is_a_warning() {
    let env = TestEnv::new();
    let numbers = ["0012", "12", "A-1", "a-1"];
    numbers.iter().for_each(|number| env.create_as(number, EMPTY));
    env.worker.run_once().unwrap();
    let warned: [Vec<String>; 4] = numbers.map(|number| {
        let warnings = env.report_of(number).issues.warnings.into_iter();
        let own = warnings.filter(|warning| warning.code == "similar_account_number");
        own.map(|warning| format!("{} {}", warning.attr, warning.detail.split_inclusive('.').next().unwrap()))
            .collect()
    });
    let text = |number| vec![format!("external_account_number The supplier has an account {number}.")];
    assert_eq!(warned, [Vec::new(), text("0012"), Vec::new(), text("A-1")]);
    assert_eq!(states(&env, numbers), [State::Processed; 4]);
}

/// Workers keep no settings between claims.
#[test]
fn a_changed_setting_counts_from_the_next_claim_on() {
    let env = TestEnv::new();
    let imported = |number: &str| {
        create_supplied(&env, number, "63057287201", "{}");
        env.worker.run_once().unwrap();
        let report = env.report_of(number);
        (report.status.status, report.issues.warnings.iter().any(|issue| issue.code == TAKEN))
    };
    assert_eq!(imported("A-1"), (State::Processed, false));
    assert_eq!(imported("A-2"), (State::Processed, true));
    set_rule(&env, Level::Off);
    assert_eq!(imported("A-3"), (State::Processed, false));
    set_rule(&env, Level::Error);
    assert_eq!(imported("A-4"), (State::Errored, false));
}

#[test]
fn facts_are_looked_up_one_by_one_if_that_fails_together() {
    // Those of the creates are not the second one.
    let reads = Arc::new(AtomicUsize::new(2));
    let counted = reads.clone();
    let watch = move |what| {
        let is_read = what == StoreCall::ReadCommitted;
        assert!(!is_read || counted.fetch_add(1, Ordering::SeqCst) != 1, "the lookup of the facts fails");
    };
    let poll = std::time::Duration::from_secs(1);
    let env =
        TestEnv::on(|ports| Ports { store: Arc::new(WatchedStore::new(ports.store, poll, watch)), ..ports });
    let numbers = ["A-1", "A-2", "A-3"];
    create_with_meter_points(&env, &numbers);
    reads.store(0, Ordering::SeqCst);
    assert_eq!(env.worker.run_once().unwrap(), Worked::Processes(3));
    assert_eq!(reads.load(Ordering::SeqCst), 2 + numbers.len());
    assert_eq!(states(&env, numbers), [State::Processed; 3]);
    assert!(numbers.iter().all(|number| env.report_of(number).attempt == 1), "no attempt was lost");
}

/// Imports three accounts with notes of this text, of which a commit holds two.
fn import_large_notes(mut text: impl FnMut() -> String) {
    let (env, calls) = counted(|ports| ports);
    let numbers = ["A-1", "A-2", "A-3"];
    numbers.iter().for_each(|number| {
        env.create_as(number, &format!(r#"{EMPTY},"notes":[{{"body":"{}"}}]"#, text()));
    });
    assert_eq!(run_counted(&env, &calls), (Worked::Processes(3), 3, 4));
    assert_eq!(states(&env, numbers), [State::Processed; 3]);
}

#[test]
fn large_accounts_are_not_all_held_until_the_last_is_ready() {
    let mut dice = Dice::new(1);
    import_large_notes(|| {
        // 6 of 8 bits are random, so it compresses to some 2.3 MB.
        let text: String = (0..3_000_000).map(|_| char::from(b'0' + dice.below(64) as u8)).collect();
        text.replace('\\', "|")
    });
}

/// Repetitive payloads compress to almost nothing.
#[test]
fn the_decompressed_size_bounds_a_commit() {
    import_large_notes(|| "again ".repeat(500_000));
}

#[test]
fn the_number_of_rows_bounds_a_commit() {
    let (env, calls) = counted(|ports| ports);
    let event = r#"{"event_type":"E","category":"C","subcategory":"S","description":"D","occurred_at":"2026-01-01T00:00:00Z"}"#;
    let events = vec![event; 9_000].join(",");
    for number in ["A-1", "A-2", "A-3", "A-4"] {
        env.create_as(number, &format!(r#"{EMPTY},"events":[{events}]"#));
    }
    assert_eq!(run_counted(&env, &calls), (Worked::Processes(4), 3, 5));
    assert_eq!(states(&env, ["A-1", "A-2", "A-3", "A-4"]), [State::Processed; 4]);
}

/// Creates an environment with a slow store, and returns the number of commits that timed out.
fn slow(
    is_slow: impl Fn(&[String]) -> bool + Send + Sync + 'static,
    takes: Duration,
) -> (TestEnv, Arc<SlowStore>, Arc<AtomicUsize>) {
    let (count, made) = (Arc::<AtomicUsize>::default(), Arc::<OnceLock<Arc<SlowStore>>>::default());
    let (counted, kept) = (count.clone(), made.clone());
    let clock = Arc::<OnceLock<Arc<FakeClock>>>::default();
    let shared = clock.clone();
    let env = TestEnv::on(move |ports| {
        let on_slow = move || {
            counted.fetch_add(1, Ordering::SeqCst);
            shared.get().unwrap().advance(takes);
        };
        let store = kept.get_or_init(|| Arc::new(SlowStore::new(ports.store, is_slow, on_slow))).clone();
        Ports { store, ..ports }
    });
    assert!(clock.set(env.clock.clone()).is_ok());
    let store = made.get().unwrap().clone();
    (env, store, count)
}

const IMPORTED_AT_ONCE: [EventKind; 3] = [EventKind::Created, EventKind::Claimed, EventKind::Imported];

#[test]
fn a_commit_that_takes_too_long_is_split_and_costs_no_attempt() {
    let (env, _, refused) = slow(|ended| ended.len() > 1, Duration::milliseconds(200));
    let numbers: Vec<_> = (0..32).map(|n| format!("A-{n}")).collect();
    numbers.iter().for_each(|number| env.create_as(number, EMPTY));
    assert_eq!(env.worker.run_once().unwrap(), Worked::Processes(16));
    assert_eq!(refused.swap(0, Ordering::SeqCst), 4, "16, 8, 4 and 2 at once");
    // The worker remembers the limit.
    assert_eq!(env.worker.run_once().unwrap(), Worked::Processes(16));
    assert_eq!(refused.load(Ordering::SeqCst), 0);
    assert!(numbers.iter().all(|number| steps(&env, number) == IMPORTED_AT_ONCE));
}

#[test]
fn only_an_account_that_fails_alone_loses_an_attempt() {
    let (env, ..) = slow(|ended| ended.iter().any(|number| number == "A-3"), Duration::zero());
    let numbers = ["A-1", "A-2", "A-3", "A-4", "A-5"];
    numbers.iter().for_each(|number| env.create_as(number, EMPTY));
    env.create_with(r#"{"is_dry_run":true}"#, "dry", EMPTY);
    assert_eq!(env.worker.run_once().unwrap(), Worked::Processes(6));
    assert_eq!(steps(&env, "A-3"), [EventKind::Created, EventKind::Claimed, EventKind::Deferred]);
    assert_eq!(steps(&env, "dry"), [EventKind::Created, EventKind::Claimed, EventKind::DryRunPassed]);
    let others = numbers.iter().filter(|number| **number != "A-3");
    assert!(others.map(|number| steps(&env, number)).all(|steps| steps == IMPORTED_AT_ONCE));
}

#[test]
fn accounts_that_do_not_fit_in_the_lease_are_released_without_losing_an_attempt() {
    let (env, _, refused) = slow(|ended| ended.len() > 1, LEASE / 2 + Duration::seconds(1));
    let numbers: Vec<_> = (0..16).map(|n| format!("A-{n}")).collect();
    numbers.iter().for_each(|number| env.create_as(number, EMPTY));
    assert_eq!(env.worker.run_once().unwrap(), Worked::Processes(16));
    assert_eq!(refused.load(Ordering::SeqCst), 1);
    assert!(numbers.iter().all(|number| env.state_of(number) == State::Pending));
    // Accounts that take so long are claimed one by one.
    assert_eq!(env.worker.run_once().unwrap(), Worked::Processes(1));
    drain(&env);
    for number in numbers {
        let report = env.report_of(&number);
        assert_eq!(report.status.status, State::Processed);
        let lost = report.history.iter().filter(|entry| entry.event == EventKind::Deferred);
        assert_eq!(lost.count(), 0);
    }
}

#[test]
fn payloads_that_cannot_be_read_together_in_time_are_read_one_by_one() {
    let (env, store, _) = slow(|_| false, Duration::zero());
    let numbers = ["A-1", "A-2", "A-3"];
    numbers.iter().for_each(|number| env.create_as(number, EMPTY));
    store.slow_reads(1);
    assert_eq!(env.worker.run_once().unwrap(), Worked::Processes(3));
    assert!(numbers.iter().all(|number| steps(&env, number) == IMPORTED_AT_ONCE));
}

#[test]
fn dry_runs_are_written_with_imports_and_store_no_account() {
    let (env, calls) = counted(|ports| ports);
    let numbers: Vec<_> = (0..16).map(|n| format!("A-{n}")).collect();
    for (n, number) in numbers.iter().enumerate() {
        env.create_with(&format!(r#"{{"is_dry_run":{}}}"#, n % 4 != 0), number, EMPTY);
    }
    assert_eq!(run_counted(&env, &calls), (Worked::Processes(16), 2, 2));
    for (n, number) in numbers.iter().enumerate() {
        let report = env.report_of(number);
        let state = if n % 4 == 0 { State::Processed } else { State::DryRunSucceeded };
        assert_eq!((report.status.status, report.account.is_some()), (state, n % 4 == 0), "{number}");
    }
    assert_eq!((count(&env.metrics.processed), count(&env.metrics.dry_runs)), (4, 12));
}

#[test]
fn rejected_payloads_are_written_with_imports() {
    let (env, calls) = counted(|ports| ports);
    env.create_as("real", EMPTY);
    ["bad-1", "bad-2"]
        .iter()
        .for_each(|number| env.create_as(number, r#""customers":[{"family_name":"B"}]"#));
    env.create_with(r#"{"is_dry_run":true}"#, "bad-3", r#""customers":[{"family_name":"B"}]"#);
    require_roles(&env);
    assert_eq!(run_counted(&env, &calls), (Worked::Processes(4), 2, 2));
    let expected = [State::Processed, State::Errored, State::Errored, State::DryRunErrored];
    assert_eq!(states(&env, ["real", "bad-1", "bad-2", "bad-3"]), expected);
    let issues = ["bad-1", "bad-3"].map(|number| env.report_of(number).issues);
    assert_eq!(issues[0].errors[0].code, "required_user_role");
    assert_eq!(issues[0], issues[1]);
}

/// Even if checking other accounts of the batch takes long: clients that poll by the time of the last step
/// rely on it.
#[test]
fn an_import_is_dated_when_it_is_written() {
    let (env, documents) = hooked();
    ["A-1", "A-2"].iter().for_each(|number| env.create_as(number, &with_document(number)));
    env.create_with(r#"{"is_dry_run":true}"#, "dry", EMPTY);
    verify(&env);
    let clock = env.clock.clone();
    documents.on_look_up(move |path| {
        if path == "A-2" {
            clock.advance(Duration::seconds(10));
        }
        Ok(())
    });
    assert_eq!(env.worker.run_once().unwrap(), Worked::Processes(3));
    for number in ["A-1", "A-2", "dry"] {
        assert_eq!(env.report_of(number).status.modified_at, env.clock.now(), "{number}");
    }
}

#[test]
fn a_taken_account_number_costs_no_attempt() {
    let (env, calls) = counted(|ports| Ports { random: Arc::new(RepeatingRandom::new(2)), ..ports });
    let numbers = ["A-1", "A-2", "A-3", "A-4", "A-5"];
    numbers.iter().for_each(|number| env.create_as(number, EMPTY));
    let (worked, writes, _) = run_counted(&env, &calls);
    assert_eq!(worked, Worked::Processes(5));
    assert!(writes > 2 + numbers.len(), "no number was taken in {writes} writes");
    let reports = numbers.map(|number| env.report_of(number));
    assert!(reports.iter().all(|report| (report.status.status, report.attempt) == (State::Processed, 1)));
    let given: HashSet<_> =
        reports.iter().map(|report| report.account.as_ref().unwrap().number.clone()).collect();
    assert_eq!(given.len(), 5);
    assert!(reports.iter().all(|report| report.history.len() == 3));
}

#[test]
fn an_account_without_a_free_number_is_deferred_and_the_others_are_imported() {
    let env = TestEnv::on(|ports| Ports { random: Arc::new(RepeatingRandom::new(u64::MAX)), ..ports });
    env.create_as("A-1", EMPTY);
    env.worker.run_once().unwrap();
    env.create_as("A-2", EMPTY);
    env.create_with(r#"{"is_dry_run":true}"#, "A-3", EMPTY);
    env.create_as("A-4", r#""customers":[{"family_name":"B"}]"#);
    require_roles(&env);
    assert_eq!(env.worker.run_once().unwrap(), Worked::Processes(3));
    // A dry run needs no number.
    let expected = [State::Processed, State::Pending, State::DryRunSucceeded, State::Errored];
    assert_eq!(states(&env, ["A-1", "A-2", "A-3", "A-4"]), expected);
    assert_eq!(steps(&env, "A-2"), [EventKind::Created, EventKind::Claimed, EventKind::Failed]);
    assert_eq!(env.worker.run_once().unwrap(), Worked::Nothing);
    env.clock.advance(Duration::minutes(10));
    assert_eq!(env.worker.run_once().unwrap(), Worked::Processes(1));
}

/// Makes the supplier require roles of customers.
fn require_roles(env: &TestEnv) {
    let rules = [("CUS-09".to_owned(), Some(Level::Error))].into();
    env.app.as_command().set_supplier("ACME", SupplierChange { rules, ..SupplierChange::default() }).unwrap();
}

/// Stores an account as another process does, without notifying this one.
pub(crate) fn stage(env: &TestEnv, number: &str, members: &str) {
    let payload = zstd::bulk::compress(account_of(number, members).as_bytes(), 1).unwrap();
    stage_bytes(env, number, payload);
}

fn stage_bytes(env: &TestEnv, number: &str, payload: Vec<u8>) {
    let supplier = read(&*env.store, |tx| tx.supplier(&"ACME".parse().unwrap())).unwrap().unwrap();
    let creation = Creation {
        supplier_id: supplier.id,
        contract: None,
        mark: None,
        supplier_revision: supplier.revision,
        process: NewProcess {
            supplier: supplier.code,
            external_account_number: number.parse().unwrap(),
            submission: Submission::default(),
        },
        actor: Actor::System,
        at: env.clock.now(),
        staged: Staged { payload, fingerprint: [0; 32], ..Staged::default() },
        issues: StoredIssues::default(),
    };
    assert_eq!(port::stage(&*env.store, Arc::new(creation)), Ok(Staging::Staged));
}

#[test]
fn failures_of_an_account_do_not_affect_the_others() {
    let (env, documents) = hooked();
    env.create_as("first", EMPTY);
    env.create_as("panics", &with_document("panic.pdf"));
    stage_bytes(&env, "unreadable", b"noise".to_vec());
    env.create_as("down", &with_document("down.pdf"));
    env.create_as("rejected", r#""customers":[{"family_name":"B"}]"#);
    env.create_as("last", &with_document("there.pdf"));
    require_roles(&env);
    verify(&env);
    documents.on_look_up(|path| match path {
        "panic.pdf" => panic!("injected by the test"),
        "down.pdf" => Err(DocumentsUnavailable("injected by the test".into())),
        _ => Ok(()),
    });
    assert_eq!(env.worker.run_once().unwrap(), Worked::Processes(6));
    for number in ["first", "last"] {
        let report = env.report_of(number);
        assert_eq!((report.status.status, report.account.is_some()), (State::Processed, true), "{number}");
    }
    let failures =
        [("panics", EventKind::Failed), ("unreadable", EventKind::Failed), ("down", EventKind::Deferred)];
    for (number, failure) in failures {
        let report = env.report_of(number);
        assert_eq!((report.status.status, report.attempt), (State::Pending, 1), "{number}");
        assert!(report.account.is_none(), "{number}");
        assert_eq!(steps(&env, number), [EventKind::Created, EventKind::Claimed, failure]);
    }
    let rejected = env.report_of("rejected");
    assert_eq!(rejected.status.status, State::Errored);
    assert_eq!(rejected.issues.errors[0].code, "required_user_role");
    let metrics = &env.metrics;
    let counted = [&metrics.processed, &metrics.errored, &metrics.deferred, &metrics.stale].map(count);
    assert_eq!(counted, [2, 1, 3, 0]);
}

#[test]
fn a_stale_claim_is_not_imported() {
    let (env, documents) = hooked();
    for number in ["A-1", "A-2", "A-3"] {
        env.create_as(number, &with_document(number));
    }
    env.create_with(r#"{"is_dry_run":true}"#, "A-4", &with_document("A-4"));
    verify(&env);
    let (store, now) = (env.store.clone(), env.clock.now());
    // Two accounts take another step during their import.
    documents.on_look_up(move |path| {
        let path = path.to_owned();
        if path == "A-2" || path == "A-4" {
            let released = write(&*store, move |tx| {
                let supplier = tx.supplier(&"ACME".parse().unwrap())?.unwrap();
                let stored = tx.process(supplier.id, &path.parse().unwrap())?.unwrap();
                let due_at = now + Duration::minutes(1);
                let released = stored.process.step(Event::Released { due_at }, now, Actor::System);
                let (process, entry) = released.unwrap();
                tx.step_process(&process, &entry)
            });
            assert_eq!(released, Ok(true));
        }
        Ok(())
    });
    assert_eq!(env.worker.run_once().unwrap(), Worked::Processes(4));
    assert_eq!(states(&env, ["A-1", "A-3"]), [State::Processed; 2]);
    for number in ["A-2", "A-4"] {
        assert_eq!(steps(&env, number), [EventKind::Created, EventKind::Claimed, EventKind::Released]);
        assert!(env.report_of(number).account.is_none());
    }
    assert_eq!((count(&env.metrics.processed), count(&env.metrics.stale)), (2, 2));

    documents.on_look_up(|_| Ok(()));
    env.clock.advance(Duration::minutes(2));
    assert_eq!(env.worker.run_once().unwrap(), Worked::Processes(2));
    assert_eq!(states(&env, ["A-2", "A-4"]), [State::Processed, State::DryRunSucceeded]);
}

#[test]
fn nothing_is_written_after_the_lease() {
    let (env, documents) = hooked();
    ["A-1", "A-2"].iter().for_each(|number| env.create_as(number, EMPTY));
    env.create_as("A-3", &with_document("slow.pdf"));
    verify(&env);
    let (app, clock) = (env.app.clone(), env.clock.clone());
    documents.on_look_up(move |_| {
        clock.advance(LEASE + Duration::seconds(1));
        assert_eq!(app.sweep().unwrap().released, 3);
        Ok(())
    });
    assert_eq!(env.worker.run_once().unwrap(), Worked::Processes(3));
    assert_eq!((count(&env.metrics.processed), count(&env.metrics.stale)), (0, 3));
    let numbers = ["A-1", "A-2", "A-3"];
    assert!(numbers.iter().all(|number| env.report_of(number).account.is_none()));
    documents.on_look_up(|_| Ok(()));
    env.clock.advance(Duration::minutes(1));
    drain(&env);
    for number in numbers {
        let all = [
            EventKind::Created,
            EventKind::Claimed,
            EventKind::Released,
            EventKind::Claimed,
            EventKind::Imported,
        ];
        assert_eq!(steps(&env, number), all);
    }
}

#[test]
fn dry_runs_among_imports_store_no_account() {
    let env = TestEnv::new();
    env.create_as("real", EMPTY);
    env.create_with(r#"{"is_dry_run":true}"#, "dry", EMPTY);
    env.create_with(r#"{"is_dry_run":true}"#, "bad", r#""customers":[{"family_name":"B"}]"#);
    env.create_as("last", EMPTY);
    require_roles(&env);
    assert_eq!(env.worker.run_once().unwrap(), Worked::Processes(4));
    let expected = [State::Processed, State::DryRunSucceeded, State::DryRunErrored, State::Processed];
    let numbers = ["real", "dry", "bad", "last"];
    assert_eq!(states(&env, numbers), expected);
    let has_account = numbers.map(|number| env.report_of(number).account.is_some());
    assert_eq!(has_account, [true, false, false, true]);
    let metrics = &env.metrics;
    assert_eq!([&metrics.processed, &metrics.dry_runs, &metrics.errored].map(count), [2, 1, 1]);

    // The setting applies to accounts that were sent before.
    env.create_as("late", EMPTY);
    let change = SupplierChange { dry_run: Some(true), ..SupplierChange::default() };
    env.app.as_command().set_supplier("ACME", change).unwrap();
    env.worker.run_once().unwrap();
    assert_eq!(states(&env, ["late"]), [State::DryRunSucceeded]);
}

/// Imports five accounts, calls `then` at the second lookup, and returns the three accounts that were
/// released.
fn interrupted(then: impl Fn(&TestEnv) + Send + Sync + 'static) -> (TestEnv, Vec<String>) {
    let (env, documents) = hooked();
    let env = Arc::new(env);
    let numbers = ["A-1", "A-2", "A-3", "A-4", "A-5"];
    numbers.iter().for_each(|number| env.create_as(number, &with_document("there.pdf")));
    verify(&env);
    let (weak, looked_up) = (Arc::downgrade(&env), AtomicUsize::new(0));
    documents.on_look_up(move |_| {
        if looked_up.fetch_add(1, Ordering::SeqCst) == 1 {
            then(&weak.upgrade().unwrap());
        }
        Ok(())
    });
    assert_eq!(env.worker.run_once().unwrap(), Worked::Processes(5));
    let released = numbers.into_iter().filter(|number| env.state_of(number) == State::Pending);
    let released: Vec<_> = released.map(str::to_owned).collect();
    let imported = numbers.iter().filter(|number| env.state_of(number) == State::Processed);
    assert_eq!((imported.count(), released.len()), (2, 3));
    for number in &released {
        assert_eq!(steps(&env, number), [EventKind::Created, EventKind::Claimed, EventKind::ShutDown]);
    }
    documents.on_look_up(|_| Ok(()));
    (Arc::into_inner(env).unwrap(), released)
}

#[test]
fn a_worker_that_stops_finishes_its_account_and_releases_the_rest() {
    let (env, released) = interrupted(|env| env.stop.store(true, Ordering::Release));
    env.stop.store(false, Ordering::Release);
    // They are due at once, for any worker.
    assert_eq!(env.another_worker("w2").run_once().unwrap(), Worked::Processes(3));
    for number in released {
        let report = env.report_of(&number);
        assert_eq!((report.status.status, report.attempt), (State::Processed, 2));
        assert_eq!(report.history.last().unwrap().actor, Actor::Worker { name: "w2".into() });
    }
}

#[test]
fn no_account_is_begun_late_in_the_lease() {
    let late = LEASE / 2 + Duration::milliseconds(1);
    let (env, _) = interrupted(move |env| env.clock.advance(late));
    drain(&env);
    assert_eq!(count(&env.metrics.processed), 5);
}

#[test]
fn an_unavailable_store_is_tried_once_for_all_accounts() {
    let (documents, writes) = (Arc::<HookedDocuments>::default(), Arc::<AtomicUsize>::default());
    let (given, counted, store) =
        (documents.clone(), writes.clone(), Arc::<OnceLock<Arc<WatchedStore>>>::default());
    let kept = store.clone();
    let env = TestEnv::on(move |ports| {
        let watch = move |what| {
            counted.fetch_add(usize::from(what == StoreCall::Write), Ordering::SeqCst);
        };
        let watched = WatchedStore::new(ports.store, std::time::Duration::from_secs(1), watch);
        let store = kept.get_or_init(|| Arc::new(watched)).clone();
        Ports { store, documents: given, ..ports }
    });
    let numbers = ["A-1", "A-2", "A-3"];
    numbers.iter().for_each(|number| env.create_as(number, &with_document("there.pdf")));
    verify(&env);
    let gone = StoreError::Unavailable("injected by the test".into());
    let refusal = gone.clone();
    documents.on_look_up(move |_| {
        store.get().unwrap().refuse(refusal.clone());
        Ok(())
    });
    writes.store(0, Ordering::SeqCst);
    assert_eq!(env.worker.run_once(), Err(gone));
    // The claim, and the commit of all accounts.
    assert_eq!(writes.load(Ordering::SeqCst), 2);
    assert_eq!(states(&env, numbers), [State::InProgress; 3]);
}

#[test]
fn accounts_to_be_written_alone_are_released_when_the_worker_stops() {
    let (stop, writes) = (Arc::<OnceLock<Arc<AtomicBool>>>::default(), AtomicUsize::new(0));
    let to_stop = stop.clone();
    let watch = move |what| {
        if what == StoreCall::Write
            && let Some(stop) = to_stop.get()
            && writes.fetch_add(1, Ordering::SeqCst) == 1
        {
            stop.store(true, Ordering::Release);
        }
    };
    let poll = std::time::Duration::from_secs(1);
    let env = TestEnv::on(move |ports| Ports {
        store: Arc::new(WatchedStore::new(ports.store, poll, watch)),
        random: Arc::new(RepeatingRandom::new(2)),
        ..ports
    });
    let numbers = ["A-1", "A-2", "A-3"];
    numbers.iter().for_each(|number| env.create_as(number, EMPTY));
    stop.set(env.stop.clone()).unwrap();
    assert_eq!(env.worker.run_once().unwrap(), Worked::Processes(3));
    for number in numbers {
        assert_eq!(steps(&env, number), [EventKind::Created, EventKind::Claimed, EventKind::ShutDown]);
    }
}
