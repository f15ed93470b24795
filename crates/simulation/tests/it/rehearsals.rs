//! Runs of a supplier under faults: stores that fail or lose answers, workers that die with their claims, accounts that
//! are sent again, refused, cancelled, undone and erased. A run has the last outcome of each account that ended in it, the
//! others that were refused, and nothing else.

use crate::databases::{Database, Template};
use crate::flaky::{Calm, app, apps, flaky, now, number, workers};
use crate::runs::{Wanted, find_none, found};
use crate::specs::code;
use chrono::{DateTime, Duration, Utc};
use cutover_app::App;
use cutover_app::operator::{JobOwner, SupplierChange, UndoRequest, UndoScope};
use cutover_app::port::{Outcome, Random, Run, RunFigures, Store, StoreError, Tx, WriteJob, read};
use cutover_core::{Level, SupplierCode};
use cutover_model::{ContentHash, content_hash};
use cutover_testkit::{FakeClock, SeededRandom, create_account};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::Ordering;

const ACCOUNTS: u64 = 12;
/// Steps of a simulated run of the service.
const STEPS: usize = 90;

/// A planted bug.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Bug {
    None,
    /// The outcome of an account that failed is not written.
    LosesFailures,
    /// The outcome of an account that ended before stays.
    KeepsStale,
    /// At the end of a run, accounts that have an outcome are kept as refused ones too.
    RefusesEnded,
}

fn supplier_id(tx: &mut dyn Tx) -> i64 {
    let code: SupplierCode = code(0).parse().unwrap();
    tx.supplier(&code).unwrap().unwrap().id
}

/// The outcomes of the open run.
fn open_outcomes(tx: &mut dyn Tx) -> Option<(i64, Vec<Outcome>)> {
    let supplier = supplier_id(tx);
    let run = tx.open_run(supplier).unwrap()?;
    Some((run.id, tx.outcomes(run.id, 0, 1_000).unwrap()))
}

/// Keeps all that was refused in the run that has just ended.
fn keep_all_refused(tx: &mut dyn Tx) {
    let supplier = supplier_id(tx);
    let Some(run) = tx.runs(supplier, None, 1).unwrap().pop() else { return };
    let kept = tx.refused_in_run(&run, "", 1_000).unwrap();
    let mut refused = tx.refused_after(supplier, "", 1_000).unwrap();
    refused.retain(|of| of.refused_at >= run.started_at && !kept.contains(of));
    tx.keep_refused(run.id, &refused).unwrap();
}

fn plant(tx: &mut dyn Tx, bug: Bug, before: Option<(i64, Vec<Outcome>)>) {
    let Some((run_id, after)) = open_outcomes(tx) else {
        if bug == Bug::RefusesEnded && before.is_some() {
            keep_all_refused(tx);
        }
        return;
    };
    match bug {
        Bug::None | Bug::RefusesEnded => {}
        Bug::LosesFailures => {
            let failed: Vec<i64> = after
                .iter()
                .filter(|outcome| !outcome.has_passed())
                .map(|outcome| outcome.process_id)
                .collect();
            tx.forget_outcomes(run_id, &failed).unwrap();
        }
        Bug::KeepsStale => {
            let Some((_, mut stale)) = before.filter(|(of, _)| *of == run_id) else { return };
            stale.retain(|old| after.iter().any(|new| new.process_id == old.process_id && new != old));
            if !stale.is_empty() {
                tx.record_outcomes(run_id, &stale).unwrap();
            }
        }
    }
}

fn perform(store: &dyn Store, job: WriteJob, bug: Bug) -> Result<(), StoreError> {
    if bug == Bug::None {
        return store.write(job);
    }
    store.write(Box::new(move |tx: &mut dyn Tx| {
        let before = open_outcomes(tx);
        let verdict = job(tx);
        plant(tx, bug, before);
        verdict
    }))
}

/// The payload of an account. Those without customers will fail.
fn payload(account: &str, version: u64) -> String {
    let customers =
        if version.is_multiple_of(2) { "[]".into() } else { format!(r#"[{{"family_name":"B{version}"}}]"#) };
    format!(
        r#"{{"import_supplier":"{}","external_account_number":"{account}","customers":{customers}}}"#,
        code(0)
    )
}

/// The payloads that were accepted of each account, with their times.
type Sent = BTreeMap<String, Vec<(DateTime<Utc>, ContentHash)>>;

/// The accounts that were refused and not accepted since, with their times.
type Refused = BTreeMap<String, DateTime<Utc>>;

/// Sets the level of the rule that accounts without customers violate.
fn set_level(truth: &App, level: Level) {
    let rules = [("ACC-04".to_owned(), Some(level))].into();
    truth.as_command().set_supplier(&code(0), SupplierChange { rules, ..SupplierChange::default() }).unwrap();
}

/// Sends an account that is accepted, and may fail when it is imported.
fn send(
    truth: &App,
    database: &Database,
    (sent, refused): (&mut Sent, &mut Refused),
    clock: &FakeClock,
    account: &str,
    version: u64,
) {
    set_level(truth, Level::Off);
    let body = payload(account, version);
    if create_account(truth, &database.credentials.callers[0], None, body.as_bytes()).is_ok() {
        let hash = content_hash(body.as_bytes()).unwrap();
        sent.entry(account.to_owned()).or_default().push((now(clock), hash));
        refused.remove(account);
        truth.record_refused().unwrap();
    }
    set_level(truth, Level::Error);
}

/// Sends an account that is refused.
fn refuse(truth: &App, database: &Database, refused: &mut Refused, clock: &FakeClock, account: &str) {
    let body = payload(account, 0).replace("[]", r#"[{"family_name":7}]"#);
    assert!(create_account(truth, &database.credentials.callers[0], None, body.as_bytes()).is_err());
    refused.insert(account.to_owned(), now(clock));
    truth.record_refused().unwrap();
}

/// The accounts of which an open run must say that they were refused.
fn refused_now(truth: &App, sent: &Sent, refused: &Refused, run: &Run) -> BTreeSet<String> {
    let told = told(truth, sent, run);
    let in_run = refused.iter().filter(|(_, at)| **at >= run.started_at);
    in_run.map(|(account, _)| account.clone()).filter(|account| !told.contains_key(account)).collect()
}

/// The outcomes that the histories tell of: state, time and content by account.
type Told = BTreeMap<String, (String, DateTime<Utc>, ContentHash)>;

fn told(truth: &App, sent: &Sent, run: &Run) -> Told {
    let mut told = Told::new();
    for account in (0..ACCOUNTS).map(number) {
        let Ok(process) = truth.as_command().show_process(&code(0), &account) else { continue };
        for entry in process.history {
            let at = entry.occurred_at;
            if at < run.started_at || run.ended_at.is_some_and(|ended| at >= ended) {
                continue;
            }
            match entry.event.as_str() {
                "imported" | "rejected" | "retries_exhausted" | "dry_run_passed" | "dry_run_failed" => {
                    let content = sent[&account].iter().rev().find(|(sent_at, _)| *sent_at <= at).unwrap().1;
                    told.insert(account.clone(), (entry.to.to_string(), at, content));
                }
                "undone" => drop(told.remove(&account)),
                _ => {}
            }
        }
    }
    told
}

/// Compares a run with the histories and with what was refused, and its figures with its outcomes.
fn check(
    truth: &App,
    store: &dyn Store,
    sent: &Sent,
    expected: &BTreeSet<String>,
    run: &Run,
) -> Option<String> {
    let (kept, refused, figures, numbers) = read(store, |tx| {
        let kept = tx.outcomes(run.id, 0, 1_000)?;
        let ids: Vec<i64> = kept.iter().map(|outcome| outcome.process_id).collect();
        let numbers = tx.processes_by_id(&ids)?.into_iter();
        let numbers: BTreeMap<i64, String> = numbers
            .map(|of| (of.process.id(), of.process.snapshot().external_account_number.to_string()))
            .collect();
        Ok((kept, tx.refused_in_run(run, "", 1_000)?, tx.run_figures(run.id)?, numbers))
    })
    .unwrap();
    let mut counted = RunFigures::default();
    kept.iter().for_each(|outcome| counted.replace(None, Some(outcome)).unwrap());
    if run.ended_at.is_some() {
        counted.count_refusals(&refused, 1);
    }
    counted.stretches = figures.stretches.clone();
    if counted != figures {
        return Some(format!("the figures of the run are {figures:?}, not {counted:?}"));
    }
    let kept: Told = kept
        .into_iter()
        .filter_map(|of| {
            Some((numbers.get(&of.process_id)?.clone(), (of.state.to_string(), of.ended_at, of.content?)))
        })
        .collect();
    let refused: BTreeSet<String> = refused.into_iter().map(|of| of.number).collect();
    if refused != *expected {
        return Some(format!("in the run {} {refused:?} were refused, not {expected:?}", run.name));
    }
    let told = told(truth, sent, run);
    (kept != told).then(|| format!("the run {} has {kept:?}, not {told:?}", run.name))
}

fn undo(truth: &App, account: String) {
    let request = UndoRequest { supplier: code(0), which: UndoScope::Numbers(vec![account]) };
    let job = truth.as_command().begin_undo(&request, "wrong tariffs", JobOwner::Caller).unwrap();
    truth.as_command().run_job(&job.name, Some(job.claim), |_| {}).unwrap();
}

/// Performs a simulated run of the service; returns the fault that it found.
fn run(seed: u64, database: &Database, bug: Bug) -> Option<String> {
    let random = SeededRandom::new(seed);
    let (clock, is_calm) = (Arc::new(FakeClock::of_fixtures()), Calm::default());
    let stores = flaky(database.stores(), seed, &is_calm, move |store, job, _| perform(store, job, bug));
    let nodes = workers(apps(stores, &clock, seed));
    let (store, truth) = (database.truth(), app(database.truth(), &clock, seed ^ 32));
    let (supplier, mut sent, mut names) = (code(0), Sent::new(), Vec::<String>::new());
    let (mut refused, mut refused_in) = (Refused::new(), BTreeMap::<String, BTreeSet<String>>::new());
    for step in 0..STEPS {
        clock.advance(Duration::milliseconds(1));
        let account = number(random.number() % ACCOUNTS);
        let (app, worker) = &nodes[random.number() as usize % nodes.len()];
        match random.number() % 24 {
            0..5 => {
                let known = (&mut sent, &mut refused);
                send(&truth, database, known, &clock, &account, random.number() % 6);
            }
            5 => refuse(&truth, database, &mut refused, &clock, &account),
            // A turn fails if its store does, and leaves its claims to their leases as if the worker had died.
            6..14 => drop(worker.run_once()),
            14 => clock.advance(Duration::seconds((random.number() % 40) as i64)),
            15 => drop(app.sweep()),
            16 => drop(truth.as_command().cancel_process(&supplier, &account)),
            17 => drop(truth.as_command().retry_process(&supplier, &account)),
            18 => undo(&truth, account),
            19 if step % 2 == 0 => {
                if truth.as_command().erase_account(&supplier, &account, "asked for").is_ok() {
                    truth.as_command().forget_erasure(&supplier, &account, "to send it again").unwrap();
                    sent.remove(&account);
                    refused.remove(&account);
                    refused_in.values_mut().for_each(|refused| _ = refused.remove(&account));
                }
            }
            20 => {
                let dry_run = Some(random.number().is_multiple_of(2));
                let change = SupplierChange { dry_run, ..SupplierChange::default() };
                truth.as_command().set_supplier(&supplier, change).unwrap();
            }
            // It may have ended although its store says that it failed.
            21 => drop(app.as_command().end_run(&supplier)),
            _ => {
                let name = format!("run {}", names.len());
                if truth.as_command().start_run(&supplier, &name).is_ok() {
                    names.push(name);
                }
            }
        }
        clock.advance(Duration::milliseconds(1));
        // An ended run changes only by erasures, so the last two are enough.
        for name in names.iter().rev().take(2) {
            let run = truth.as_command().show_run(&supplier, name).unwrap().run;
            if run.ended_at.is_none() {
                refused_in.insert(name.clone(), refused_now(&truth, &sent, &refused, &run));
            }
            if let Some(fault) = check(&truth, &*store, &sent, &refused_in[name], &run) {
                return Some(format!("step {step}: {fault}"));
            }
        }
    }
    is_calm.store(true, Ordering::SeqCst);
    None
}

#[test]
fn runs_have_the_last_outcomes_on_sqlite() {
    let template = Template::sqlite();
    find_none(Wanted::of_environment(2, 1_000), |seed| run(seed, &template.open(), Bug::None));
}

#[test]
fn runs_have_the_last_outcomes_on_postgres() {
    let Some(template) = Template::postgres() else { return };
    find_none(Wanted::of_environment(1, 50), |seed| run(seed, &template.open(), Bug::None));
}

/// Outcomes that are not written, or stay although the account has ended again.
#[test]
fn wrong_outcomes_are_found() {
    let template = Template::sqlite();
    for bug in [Bug::LosesFailures, Bug::KeepsStale, Bug::RefusesEnded] {
        found(2, 8, |seed| run(seed, &template.open(), bug).is_some());
    }
}
