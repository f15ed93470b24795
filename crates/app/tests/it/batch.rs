//! The accounts that a worker claims at once: written together, and none at the cost of another.

use crate::house::{House, account_of};
use crate::stand_ins::{Asked, Hooked, Repeating, Slow, Watched};
use chrono::Duration;
use cutover_app::Ports;
use cutover_app::operator::SupplierChange;
use cutover_app::port::{
    self, Clock, Creation, DocumentsUnavailable, Staged, Staging, StoreError, StoredIssues, read, write,
};
use cutover_app::worker::Worked;
use cutover_core::Level;
use cutover_process::{Actor, Event, EventKind, LEASE, NewProcess, State, Submission};
use cutover_testkit::FakeClock;
use cutover_testkit::payload::Dice;
use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

const EMPTY: &str = r#""unknown_occupier":true"#;

/// The members of an account with a document.
fn with_document(path: &str) -> String {
    format!(r#"{EMPTY},"notes":[{{"document_paths":[{{"document_path":"{path}"}}]}}]"#)
}

/// A house whose documents are all there, and what else comes of looking one up.
fn hooked() -> (House, Arc<Hooked>) {
    let documents = Arc::<Hooked>::default();
    let given = documents.clone();
    (House::on(|ports| Ports { documents: given, ..ports }), documents)
}

/// From now on documents are looked up.
fn verify(house: &House) {
    let change = SupplierChange { verify_documents: Some(true), ..SupplierChange::default() };
    house.app.set_supplier("ACME", change).unwrap();
}

/// A house whose transactions are counted.
fn counted(change: impl FnOnce(Ports) -> Ports) -> (House, Arc<Mutex<Vec<Asked>>>) {
    let asked = Arc::<Mutex<Vec<Asked>>>::default();
    let log = asked.clone();
    let watch = move |what| log.lock().unwrap().push(what);
    let poll = std::time::Duration::from_secs(1);
    let watched = |ports: Ports| Ports { store: Arc::new(Watched::new(ports.store, poll, watch)), ..ports };
    (House::on(|ports| watched(change(ports))), asked)
}

/// What a turn does, and how often it writes and glances.
fn turn(house: &House, asked: &Mutex<Vec<Asked>>) -> (Worked, usize, usize) {
    asked.lock().unwrap().clear();
    let worked = house.worker.run_once().unwrap();
    let asked = asked.lock().unwrap();
    let count = |what| asked.iter().filter(|asked| **asked == what).count();
    (worked, count(Asked::Write), count(Asked::Glance))
}

fn states<const N: usize>(house: &House, numbers: [&str; N]) -> [State; N] {
    numbers.map(|number| house.state_of(number))
}

/// The steps of an account.
fn steps(house: &House, number: &str) -> Vec<EventKind> {
    house.report_of(number).history.iter().map(|entry| *entry.event.known().unwrap()).collect()
}

fn count(counter: &AtomicU64) -> u64 {
    counter.load(Ordering::Relaxed)
}

#[test]
fn sixteen_are_claimed_at_once_and_written_in_one_transaction() {
    let (house, asked) = counted(|ports| ports);
    let numbers: Vec<_> = (0..20).map(|n| format!("A-{n}")).collect();
    numbers.iter().for_each(|number| house.create_as(number, EMPTY));
    assert_eq!(turn(&house, &asked), (Worked::Processes(16), 2, 1));
    let processed = |house: &House| numbers.iter().filter(|n| house.state_of(n) == State::Processed).count();
    assert_eq!(processed(&house), 16);
    assert_eq!(turn(&house, &asked), (Worked::Processes(4), 2, 1));
    assert_eq!(turn(&house, &asked), (Worked::Nothing, 1, 0));
    assert_eq!((processed(&house), count(&house.metrics.processed)), (20, 20));
    let all = [EventKind::Created, EventKind::Claimed, EventKind::Imported];
    assert!(numbers.iter().all(|number| steps(&house, number) == all));
}

#[test]
fn large_accounts_are_not_all_held_until_the_last_is_ready() {
    let (house, asked) = counted(|ports| ports);
    let mut dice = Dice::new(1);
    for number in ["A-1", "A-2", "A-3"] {
        // Of 8 bits 6 are random, so that it is kept in some 2.3 MB.
        let body: String = (0..3_000_000).map(|_| char::from(b'0' + dice.below(64) as u8)).collect();
        let body = body.replace('\\', "|");
        house.create_as(number, &format!(r#"{EMPTY},"notes":[{{"body":"{body}"}}]"#));
    }
    assert_eq!(turn(&house, &asked), (Worked::Processes(3), 3, 1));
    assert_eq!(states(&house, ["A-1", "A-2", "A-3"]), [State::Processed; 3]);
}

/// Repetitive payloads pack to next to nothing.
#[test]
fn what_payloads_unpack_to_bounds_a_commit() {
    let (house, asked) = counted(|ports| ports);
    for number in ["A-1", "A-2", "A-3"] {
        let body = "again ".repeat(500_000);
        house.create_as(number, &format!(r#"{EMPTY},"notes":[{{"body":"{body}"}}]"#));
    }
    assert_eq!(turn(&house, &asked), (Worked::Processes(3), 3, 1));
    assert_eq!(states(&house, ["A-1", "A-2", "A-3"]), [State::Processed; 3]);
}

#[test]
fn what_payloads_come_to_in_rows_bounds_a_commit() {
    let (house, asked) = counted(|ports| ports);
    let event = r#"{"event_type":"E","category":"C","subcategory":"S","description":"D","occurred_at":"2026-01-01T00:00:00Z"}"#;
    let events = vec![event; 9_000].join(",");
    for number in ["A-1", "A-2", "A-3", "A-4"] {
        house.create_as(number, &format!(r#"{EMPTY},"events":[{events}]"#));
    }
    assert_eq!(turn(&house, &asked), (Worked::Processes(4), 3, 1));
    assert_eq!(states(&house, ["A-1", "A-2", "A-3", "A-4"]), [State::Processed; 4]);
}

/// A house whose store is too slow for some commits, and how often it was.
fn slow(
    is_slow: impl Fn(&[String]) -> bool + Send + Sync + 'static,
    takes: Duration,
) -> (House, Arc<Slow>, Arc<AtomicUsize>) {
    let (count, made) = (Arc::<AtomicUsize>::default(), Arc::<OnceLock<Arc<Slow>>>::default());
    let (counted, kept) = (count.clone(), made.clone());
    let clock = Arc::<OnceLock<Arc<FakeClock>>>::default();
    let told = clock.clone();
    let house = House::on(move |ports| {
        let on_slow = move || {
            counted.fetch_add(1, Ordering::SeqCst);
            told.get().unwrap().advance(takes);
        };
        let store = kept.get_or_init(|| Arc::new(Slow::new(ports.store, is_slow, on_slow))).clone();
        Ports { store, ..ports }
    });
    assert!(clock.set(house.clock.clone()).is_ok());
    let store = made.get().unwrap().clone();
    (house, store, count)
}

const IMPORTED_AT_ONCE: [EventKind; 3] = [EventKind::Created, EventKind::Claimed, EventKind::Imported];

#[test]
fn a_commit_that_takes_too_long_is_split_and_costs_nobody_an_attempt() {
    let (house, _, refused) = slow(|ended| ended.len() > 1, Duration::milliseconds(200));
    let numbers: Vec<_> = (0..32).map(|n| format!("A-{n}")).collect();
    numbers.iter().for_each(|number| house.create_as(number, EMPTY));
    assert_eq!(house.worker.run_once().unwrap(), Worked::Processes(16));
    assert_eq!(refused.swap(0, Ordering::SeqCst), 4, "16, 8, 4 and 2 at once");
    // The worker remembers what fits.
    assert_eq!(house.worker.run_once().unwrap(), Worked::Processes(16));
    assert_eq!(refused.load(Ordering::SeqCst), 0);
    assert!(numbers.iter().all(|number| steps(&house, number) == IMPORTED_AT_ONCE));
}

#[test]
fn only_an_account_that_fails_alone_loses_an_attempt() {
    let (house, ..) = slow(|ended| ended.iter().any(|number| number == "A-3"), Duration::zero());
    let numbers = ["A-1", "A-2", "A-3", "A-4", "A-5"];
    numbers.iter().for_each(|number| house.create_as(number, EMPTY));
    house.create_with(r#"{"is_dry_run":true}"#, "dry", EMPTY);
    assert_eq!(house.worker.run_once().unwrap(), Worked::Processes(6));
    assert_eq!(steps(&house, "A-3"), [EventKind::Created, EventKind::Claimed, EventKind::Deferred]);
    assert_eq!(steps(&house, "dry"), [EventKind::Created, EventKind::Claimed, EventKind::DryRunPassed]);
    let others = numbers.iter().filter(|number| **number != "A-3");
    assert!(others.map(|number| steps(&house, number)).all(|steps| steps == IMPORTED_AT_ONCE));
}

#[test]
fn what_no_longer_fits_in_the_lease_is_given_back_and_loses_no_attempt() {
    let (house, _, refused) = slow(|ended| ended.len() > 1, LEASE / 2 + Duration::seconds(1));
    let numbers: Vec<_> = (0..16).map(|n| format!("A-{n}")).collect();
    numbers.iter().for_each(|number| house.create_as(number, EMPTY));
    // Each turn tries half as many at once.
    for turn in 1..=4 {
        assert_eq!(house.worker.run_once().unwrap(), Worked::Processes(16));
        assert_eq!(refused.load(Ordering::SeqCst), turn);
        assert!(numbers.iter().all(|number| house.state_of(number) == State::Pending));
    }
    assert_eq!(house.worker.run_once().unwrap(), Worked::Processes(16));
    for number in numbers {
        let report = house.report_of(&number);
        assert_eq!(report.status.status, State::Processed);
        let lost = report.history.iter().filter(|entry| entry.event == EventKind::Deferred);
        assert_eq!(lost.count(), 0);
    }
}

#[test]
fn payloads_that_cannot_be_read_together_in_time_are_read_one_by_one() {
    let (house, store, _) = slow(|_| false, Duration::zero());
    let numbers = ["A-1", "A-2", "A-3"];
    numbers.iter().for_each(|number| house.create_as(number, EMPTY));
    store.slow_glances(1);
    assert_eq!(house.worker.run_once().unwrap(), Worked::Processes(3));
    assert!(numbers.iter().all(|number| steps(&house, number) == IMPORTED_AT_ONCE));
}

#[test]
fn dry_runs_are_written_together_with_imports_and_keep_nothing() {
    let (house, asked) = counted(|ports| ports);
    let numbers: Vec<_> = (0..16).map(|n| format!("A-{n}")).collect();
    for (n, number) in numbers.iter().enumerate() {
        house.create_with(&format!(r#"{{"is_dry_run":{}}}"#, n % 4 != 0), number, EMPTY);
    }
    assert_eq!(turn(&house, &asked), (Worked::Processes(16), 2, 1));
    for (n, number) in numbers.iter().enumerate() {
        let report = house.report_of(number);
        let state = if n % 4 == 0 { State::Processed } else { State::DryRunSucceeded };
        assert_eq!((report.status.status, report.account.is_some()), (state, n % 4 == 0), "{number}");
    }
    assert_eq!((count(&house.metrics.processed), count(&house.metrics.dry_runs)), (4, 12));
}

#[test]
fn what_is_rejected_is_written_together_with_what_is_imported() {
    let (house, asked) = counted(|ports| ports);
    house.create_as("real", EMPTY);
    ["bad-1", "bad-2"]
        .iter()
        .for_each(|number| house.create_as(number, r#""customers":[{"family_name":"B"}]"#));
    house.create_with(r#"{"is_dry_run":true}"#, "bad-3", r#""customers":[{"family_name":"B"}]"#);
    require_roles(&house);
    assert_eq!(turn(&house, &asked), (Worked::Processes(4), 2, 1));
    let expected = [State::Processed, State::Errored, State::Errored, State::DryRunErrored];
    assert_eq!(states(&house, ["real", "bad-1", "bad-2", "bad-3"]), expected);
    let issues = ["bad-1", "bad-3"].map(|number| house.report_of(number).issues);
    assert_eq!(issues[0].errors[0].code, "required_user_role");
    assert_eq!(issues[0], issues[1]);
}

/// However long it takes to check the accounts beside it: what reads by the time of the last step reads what
/// was committed since.
#[test]
fn an_import_is_dated_when_it_is_written() {
    let (house, documents) = hooked();
    ["A-1", "A-2"].iter().for_each(|number| house.create_as(number, &with_document(number)));
    house.create_with(r#"{"is_dry_run":true}"#, "dry", EMPTY);
    verify(&house);
    let clock = house.clock.clone();
    documents.on_look_up(move |path| {
        if path == "A-2" {
            clock.advance(Duration::seconds(10));
        }
        Ok(())
    });
    assert_eq!(house.worker.run_once().unwrap(), Worked::Processes(3));
    for number in ["A-1", "A-2", "dry"] {
        assert_eq!(house.report_of(number).status.modified_at, house.clock.now(), "{number}");
    }
}

#[test]
fn a_number_that_is_taken_costs_nobody_an_attempt() {
    let (house, asked) = counted(|ports| Ports { random: Arc::new(Repeating::new(2)), ..ports });
    let numbers = ["A-1", "A-2", "A-3", "A-4", "A-5"];
    numbers.iter().for_each(|number| house.create_as(number, EMPTY));
    let (worked, writes, _) = turn(&house, &asked);
    assert_eq!(worked, Worked::Processes(5));
    assert!(writes > 2 + numbers.len(), "no number was taken in {writes} writes");
    let reports = numbers.map(|number| house.report_of(number));
    assert!(reports.iter().all(|report| (report.status.status, report.attempt) == (State::Processed, 1)));
    let given: HashSet<_> =
        reports.iter().map(|report| report.account.as_ref().unwrap().number.clone()).collect();
    assert_eq!(given.len(), 5);
    assert!(reports.iter().all(|report| report.history.len() == 3));
}

#[test]
fn one_that_finds_no_free_number_is_put_off_and_the_others_are_imported() {
    let house = House::on(|ports| Ports { random: Arc::new(Repeating::new(u64::MAX)), ..ports });
    house.create_as("A-1", EMPTY);
    house.worker.run_once().unwrap();
    house.create_as("A-2", EMPTY);
    house.create_with(r#"{"is_dry_run":true}"#, "A-3", EMPTY);
    house.create_as("A-4", r#""customers":[{"family_name":"B"}]"#);
    require_roles(&house);
    assert_eq!(house.worker.run_once().unwrap(), Worked::Processes(3));
    // A dry run needs no number.
    let expected = [State::Processed, State::Pending, State::DryRunSucceeded, State::Errored];
    assert_eq!(states(&house, ["A-1", "A-2", "A-3", "A-4"]), expected);
    assert_eq!(steps(&house, "A-2"), [EventKind::Created, EventKind::Claimed, EventKind::Failed]);
    assert_eq!(house.worker.run_once().unwrap(), Worked::Nothing);
    house.clock.advance(Duration::minutes(10));
    assert_eq!(house.worker.run_once().unwrap(), Worked::Processes(1));
}

/// From now on every customer has to have a role.
fn require_roles(house: &House) {
    let rules = [("CUS-09".to_owned(), Some(Level::Error))].into();
    house.app.set_supplier("ACME", SupplierChange { rules, ..SupplierChange::default() }).unwrap();
}

/// Stores an account as another process does: nobody here is told.
pub(crate) fn stage(house: &House, number: &str, members: &str) {
    let payload = zstd::bulk::compress(account_of(number, members).as_bytes(), 1).unwrap();
    stage_bytes(house, number, payload);
}

fn stage_bytes(house: &House, number: &str, payload: Vec<u8>) {
    let supplier = read(&*house.store, |tx| tx.supplier(&"ACME".parse().unwrap())).unwrap().unwrap();
    let creation = Creation {
        supplier_id: supplier.id,
        supplier_revision: supplier.revision,
        process: NewProcess {
            supplier: supplier.code,
            external_account_number: number.parse().unwrap(),
            submission: Submission::default(),
        },
        actor: Actor::System,
        at: house.clock.now(),
        staged: Staged { payload, fingerprint: [0; 32] },
        issues: StoredIssues::default(),
    };
    assert_eq!(port::stage(&*house.store, Arc::new(creation)), Ok(Staging::Staged));
}

#[test]
fn whatever_one_comes_to_the_others_are_imported() {
    let (house, documents) = hooked();
    house.create_as("first", EMPTY);
    house.create_as("panics", &with_document("panic.pdf"));
    stage_bytes(&house, "unreadable", b"noise".to_vec());
    house.create_as("down", &with_document("down.pdf"));
    house.create_as("rejected", r#""customers":[{"family_name":"B"}]"#);
    house.create_as("last", &with_document("there.pdf"));
    require_roles(&house);
    verify(&house);
    documents.on_look_up(|path| match path {
        "panic.pdf" => panic!("on purpose"),
        "down.pdf" => Err(DocumentsUnavailable("on purpose".into())),
        _ => Ok(()),
    });
    assert_eq!(house.worker.run_once().unwrap(), Worked::Processes(6));
    for number in ["first", "last"] {
        let report = house.report_of(number);
        assert_eq!((report.status.status, report.account.is_some()), (State::Processed, true), "{number}");
    }
    let failures =
        [("panics", EventKind::Failed), ("unreadable", EventKind::Failed), ("down", EventKind::Deferred)];
    for (number, failure) in failures {
        let report = house.report_of(number);
        assert_eq!((report.status.status, report.attempt), (State::Pending, 1), "{number}");
        assert!(report.account.is_none(), "{number}");
        assert_eq!(steps(&house, number), [EventKind::Created, EventKind::Claimed, failure]);
    }
    let rejected = house.report_of("rejected");
    assert_eq!(rejected.status.status, State::Errored);
    assert_eq!(rejected.issues.errors[0].code, "required_user_role");
    let metrics = &house.metrics;
    let counted = [&metrics.processed, &metrics.errored, &metrics.deferred, &metrics.stale].map(count);
    assert_eq!(counted, [2, 1, 3, 0]);
}

#[test]
fn a_claim_that_went_stale_is_left_out() {
    let (house, documents) = hooked();
    for number in ["A-1", "A-2", "A-3"] {
        house.create_as(number, &with_document(number));
    }
    house.create_with(r#"{"is_dry_run":true}"#, "A-4", &with_document("A-4"));
    verify(&house);
    let (store, now) = (house.store.clone(), house.clock.now());
    // Somebody else takes a step of two of them while they are under way.
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
    assert_eq!(house.worker.run_once().unwrap(), Worked::Processes(4));
    assert_eq!(states(&house, ["A-1", "A-3"]), [State::Processed; 2]);
    for number in ["A-2", "A-4"] {
        assert_eq!(steps(&house, number), [EventKind::Created, EventKind::Claimed, EventKind::Released]);
        assert!(house.report_of(number).account.is_none());
    }
    assert_eq!((count(&house.metrics.processed), count(&house.metrics.stale)), (2, 2));

    documents.on_look_up(|_| Ok(()));
    house.clock.advance(Duration::minutes(2));
    assert_eq!(house.worker.run_once().unwrap(), Worked::Processes(2));
    assert_eq!(states(&house, ["A-2", "A-4"]), [State::Processed, State::DryRunSucceeded]);
}

#[test]
fn of_a_lease_that_ended_nothing_is_written() {
    let (house, documents) = hooked();
    ["A-1", "A-2"].iter().for_each(|number| house.create_as(number, EMPTY));
    house.create_as("A-3", &with_document("slow.pdf"));
    verify(&house);
    let (app, clock) = (house.app.clone(), house.clock.clone());
    documents.on_look_up(move |_| {
        clock.advance(LEASE + Duration::seconds(1));
        assert_eq!(app.sweep().unwrap().released, 3);
        Ok(())
    });
    assert_eq!(house.worker.run_once().unwrap(), Worked::Processes(3));
    assert_eq!((count(&house.metrics.processed), count(&house.metrics.stale)), (0, 3));
    let numbers = ["A-1", "A-2", "A-3"];
    assert!(numbers.iter().all(|number| house.report_of(number).account.is_none()));
    documents.on_look_up(|_| Ok(()));
    house.clock.advance(Duration::minutes(1));
    assert_eq!(house.worker.run_once().unwrap(), Worked::Processes(3));
    for number in numbers {
        let all = [
            EventKind::Created,
            EventKind::Claimed,
            EventKind::Released,
            EventKind::Claimed,
            EventKind::Imported,
        ];
        assert_eq!(steps(&house, number), all);
    }
}

#[test]
fn dry_runs_among_real_ones_leave_no_account() {
    let house = House::new();
    house.create_as("real", EMPTY);
    house.create_with(r#"{"is_dry_run":true}"#, "dry", EMPTY);
    house.create_with(r#"{"is_dry_run":true}"#, "bad", r#""customers":[{"family_name":"B"}]"#);
    house.create_as("last", EMPTY);
    require_roles(&house);
    assert_eq!(house.worker.run_once().unwrap(), Worked::Processes(4));
    let expected = [State::Processed, State::DryRunSucceeded, State::DryRunErrored, State::Processed];
    let numbers = ["real", "dry", "bad", "last"];
    assert_eq!(states(&house, numbers), expected);
    let has_account = numbers.map(|number| house.report_of(number).account.is_some());
    assert_eq!(has_account, [true, false, false, true]);
    let metrics = &house.metrics;
    assert_eq!([&metrics.processed, &metrics.dry_runs, &metrics.errored].map(count), [2, 1, 1]);

    // What a supplier is set to counts for what was sent before.
    house.create_as("late", EMPTY);
    let change = SupplierChange { dry_run: Some(true), ..SupplierChange::default() };
    house.app.set_supplier("ACME", change).unwrap();
    house.worker.run_once().unwrap();
    assert_eq!(states(&house, ["late"]), [State::DryRunSucceeded]);
}

/// How many of five accounts are imported, and how many given back, if this happens at the second look-up.
fn interrupted(then: impl Fn(&House) + Send + Sync + 'static) -> (House, Vec<String>) {
    let (house, documents) = hooked();
    let house = Arc::new(house);
    let numbers = ["A-1", "A-2", "A-3", "A-4", "A-5"];
    numbers.iter().for_each(|number| house.create_as(number, &with_document("there.pdf")));
    verify(&house);
    let (weak, looked_up) = (Arc::downgrade(&house), AtomicUsize::new(0));
    documents.on_look_up(move |_| {
        if looked_up.fetch_add(1, Ordering::SeqCst) == 1 {
            then(&weak.upgrade().unwrap());
        }
        Ok(())
    });
    assert_eq!(house.worker.run_once().unwrap(), Worked::Processes(5));
    let given_back = numbers.into_iter().filter(|number| house.state_of(number) == State::Pending);
    let given_back: Vec<_> = given_back.map(str::to_owned).collect();
    let imported = numbers.iter().filter(|number| house.state_of(number) == State::Processed);
    assert_eq!((imported.count(), given_back.len()), (2, 3));
    for number in &given_back {
        assert_eq!(steps(&house, number), [EventKind::Created, EventKind::Claimed, EventKind::ShutDown]);
    }
    documents.on_look_up(|_| Ok(()));
    (Arc::into_inner(house).unwrap(), given_back)
}

#[test]
fn a_worker_that_stops_finishes_what_is_under_way_and_gives_the_rest_back() {
    let (house, given_back) = interrupted(|house| house.stop.store(true, Ordering::Release));
    house.stop.store(false, Ordering::Release);
    // At once, and by whoever comes.
    assert_eq!(house.another_worker("w2").run_once().unwrap(), Worked::Processes(3));
    for number in given_back {
        let report = house.report_of(&number);
        assert_eq!((report.status.status, report.attempt), (State::Processed, 2));
        assert_eq!(report.history.last().unwrap().actor, Actor::Worker { name: "w2".into() });
    }
}

#[test]
fn late_in_its_lease_nothing_more_is_begun() {
    let late = LEASE / 2 + Duration::milliseconds(1);
    let (house, _) = interrupted(move |house| house.clock.advance(late));
    assert_eq!(house.worker.run_once().unwrap(), Worked::Processes(3));
    assert_eq!(count(&house.metrics.processed), 5);
}

#[test]
fn a_store_that_is_gone_is_asked_once_for_all() {
    let (documents, writes) = (Arc::<Hooked>::default(), Arc::<AtomicUsize>::default());
    let (given, counted, store) =
        (documents.clone(), writes.clone(), Arc::<OnceLock<Arc<Watched>>>::default());
    let kept = store.clone();
    let house = House::on(move |ports| {
        let watch = move |what| {
            counted.fetch_add(usize::from(what == Asked::Write), Ordering::SeqCst);
        };
        let watched = Watched::new(ports.store, std::time::Duration::from_secs(1), watch);
        let store = kept.get_or_init(|| Arc::new(watched)).clone();
        Ports { store, documents: given, ..ports }
    });
    let numbers = ["A-1", "A-2", "A-3"];
    numbers.iter().for_each(|number| house.create_as(number, &with_document("there.pdf")));
    verify(&house);
    let gone = StoreError::Unavailable("on purpose".into());
    let refusal = gone.clone();
    documents.on_look_up(move |_| {
        store.get().unwrap().refuse(refusal.clone());
        Ok(())
    });
    writes.store(0, Ordering::SeqCst);
    assert_eq!(house.worker.run_once(), Err(gone));
    // The claim, and all of them together.
    assert_eq!(writes.load(Ordering::SeqCst), 2);
    assert_eq!(states(&house, numbers), [State::InProgress; 3]);
}

#[test]
fn what_is_to_be_written_alone_is_given_back_when_the_worker_stops() {
    let (stop, writes) = (Arc::<OnceLock<Arc<AtomicBool>>>::default(), AtomicUsize::new(0));
    let to_stop = stop.clone();
    let watch = move |what| {
        if what == Asked::Write
            && let Some(stop) = to_stop.get()
            && writes.fetch_add(1, Ordering::SeqCst) == 1
        {
            stop.store(true, Ordering::Release);
        }
    };
    let poll = std::time::Duration::from_secs(1);
    let house = House::on(move |ports| Ports {
        store: Arc::new(Watched::new(ports.store, poll, watch)),
        random: Arc::new(Repeating::new(2)),
        ..ports
    });
    let numbers = ["A-1", "A-2", "A-3"];
    numbers.iter().for_each(|number| house.create_as(number, EMPTY));
    stop.set(house.stop.clone()).unwrap();
    assert_eq!(house.worker.run_once().unwrap(), Worked::Processes(3));
    for number in numbers {
        assert_eq!(steps(&house, number), [EventKind::Created, EventKind::Claimed, EventKind::ShutDown]);
    }
}
