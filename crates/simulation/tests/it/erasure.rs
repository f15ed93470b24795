//! The erasure of a supplier under faults: stores that fail or lose answers, runners that die in the middle or come back after
//! their lease, operators who stop and resume, creates that arrive meanwhile. In the end nothing of it is left, each account
//! was announced once, and another supplier has everything.

use crate::databases::{Database, Template};
use crate::flaky::{Calm, app, apps, flaky};
use crate::runs::{Wanted, find_none};
use crate::specs::code;
use chrono::Duration;
use cutover_app::App;
use cutover_app::job::JobRunner;
use cutover_app::operator::{AuditScope, SupplierChange};
use cutover_app::port::{
    FeedFilter, Job, JobKind, JobState, PageLimit, Random, Store, StoreError, Tx, Verdict, WriteJob, read,
};
use cutover_app::worker::{Worked, Worker};
use cutover_core::{FeedEventType, SupplierStatus};
use cutover_testkit::{FakeClock, SeededRandom, create_account};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// Accounts of the supplier: more than two batches. The first of them are imported.
const ACCOUNTS: usize = 130;
const IMPORTED: usize = 40;
/// Creates that are refused before the erasure begins.
const REFUSED: usize = 20;
/// Steps of a run.
const STEPS: usize = 50;

/// Writes a job. With `forgets_the_rest`, the planted bug, an erasure ends once the accounts are gone, and forgets
/// refused creates and the rest.
fn write_all(store: &dyn Store, job: WriteJob, forgets_the_rest: bool) -> Result<(), StoreError> {
    if !forgets_the_rest {
        return store.write(job);
    }
    store.write(Box::new(move |tx: &mut dyn Tx| {
        let verdict = job(tx);
        let is_left = |job: &Job| {
            job.kind == JobKind::EraseSupplier && job.state == JobState::Running && job.position.part > 0
        };
        if verdict == Verdict::Commit
            && let Some(job) = tx.jobs(None, 10).unwrap().into_iter().find(is_left)
        {
            let ended =
                Job { state: JobState::Done.into(), ended_at: Some(job.created_at), due_at: None, ..job };
            assert!(tx.change_job(&ended).unwrap());
        }
        verdict
    }))
}

fn body(supplier: &str, number: &str, name: &str) -> String {
    format!(
        r#"{{"import_supplier":"{supplier}","external_account_number":"{number}","customers":[{{"family_name":{name}}}],
        "ledgers":[{{"ledger_balance":"1.50"}}]}}"#
    )
}

fn create(app: &App, database: &Database, supplier: &str, number: &str, name: &str) -> bool {
    let caller = &database.credentials.callers[0];
    create_account(app, caller, None, body(supplier, number, name).as_bytes()).is_ok()
}

fn import_all(app: &Arc<App>) {
    let worker = Worker::new(app.clone(), "w".into(), Arc::default(), Arc::default());
    while worker.run_once().unwrap() != Worked::Nothing {}
}

/// Performs a run; returns the fault that it found.
fn run(seed: u64, database: &Database, forgets_the_rest: bool) -> Option<String> {
    let random = SeededRandom::new(seed);
    let (clock, is_calm) = (Arc::new(FakeClock::of_fixtures()), Calm::default());
    let stores = flaky(database.stores(), seed, &is_calm, move |store, job, _| {
        write_all(store, job, forgets_the_rest)
    });
    let nodes = apps(stores, &clock, seed);
    let runners: Vec<JobRunner> =
        nodes.iter().map(|app| JobRunner::new(app.clone(), Arc::default())).collect();
    let truth = app(database.truth(), &clock, seed ^ 32);
    let (supplier, other) = (code(0), "STAYS".to_owned());
    let organisation = truth.as_command().show_supplier(&supplier).unwrap().organisation;
    truth.as_command().add_supplier(&other, &organisation, SupplierChange::default()).unwrap();
    assert!(create(&truth, database, &other, "O-1", "\"B\""));
    for n in 0..ACCOUNTS {
        assert!(create(&truth, database, &supplier, &format!("A-{n}"), "\"B\""));
        if n + 1 == IMPORTED {
            import_all(&truth);
        }
    }
    (0..REFUSED).for_each(|n| assert!(!create(&truth, database, &supplier, &format!("R-{n}"), "7")));
    truth.record_refused().unwrap();
    let status = Some(SupplierStatus::Paused);
    truth
        .as_command()
        .set_supplier(&supplier, SupplierChange { status, ..SupplierChange::default() })
        .unwrap();
    clock.advance(Duration::seconds(1));
    let job = truth.as_command().begin_supplier_erasure(&supplier, "asked for").unwrap().0.name;
    for step in 0..STEPS {
        clock.advance(Duration::milliseconds(1));
        let node = random.number() as usize % nodes.len();
        match random.number() % 16 {
            // A turn fails if its store does, and leaves the job to its lease as if the runner had died.
            0..8 => drop(runners[node].run_once()),
            8..11 => clock.advance(Duration::seconds((random.number() % 12) as i64)),
            11 => drop(truth.as_command().stop_job(&job)),
            12..14 => drop(truth.as_command().resume_job(&job)),
            14 => {
                let name = if random.number().is_multiple_of(2) { "7" } else { "\"B\"" };
                if create(&nodes[node], database, &supplier, &format!("L-{step}"), name) {
                    return Some("an account was accepted during the erasure".into());
                }
            }
            _ => {
                let status = Some(SupplierStatus::Ongoing);
                let change = SupplierChange { status, ..SupplierChange::default() };
                if truth.as_command().set_supplier(&supplier, change).is_ok() {
                    return Some("the supplier takes accounts during the erasure".into());
                }
                drop(nodes[node].record_refused());
            }
        }
    }
    is_calm.store(true, Ordering::SeqCst);
    if truth.as_command().show_job(&job).unwrap().state == JobState::Stopped {
        truth.as_command().resume_job(&job).unwrap();
    }
    clock.advance(Duration::minutes(1));
    while runners[0].run_once().unwrap() {}
    nodes.iter().for_each(|app| app.record_refused().unwrap());
    check(&truth, database, (&supplier, &other), &job)
}

fn check(
    truth: &Arc<App>,
    database: &Database,
    (supplier, other): (&str, &str),
    job: &str,
) -> Option<String> {
    let job = truth.as_command().show_job(job).unwrap();
    let removed = |table: &str| job.removed.get(table).copied().unwrap_or_default() as usize;
    if job.state != JobState::Done || removed("processes") != ACCOUNTS || removed("accounts") != IMPORTED {
        return Some(format!("the job ended as {job:?}"));
    }
    if truth.as_command().show_supplier(supplier).is_ok() {
        return Some("the supplier is left".into());
    }
    if removed("refused_creates") < REFUSED {
        return Some(format!("refused creates are left: {:?}", job.removed));
    }
    let events = erased(database, job.organisation_id);
    let numbers: BTreeSet<_> = events.iter().collect();
    if (events.len(), numbers.len()) != (ACCOUNTS, ACCOUNTS) {
        return Some(format!("{} events announce {} accounts", events.len(), numbers.len()));
    }
    let trail = truth.as_command().audit(&AuditScope { limit: 1_000, ..AuditScope::default() }).unwrap();
    if trail.iter().filter(|entry| entry.action == "supplier.erase").count() != 1 {
        return Some("the end of the job is not recorded once".into());
    }
    import_all(truth);
    let imported = truth.as_command().show_process(other, "O-1").unwrap().account.is_some();
    let totals = truth.as_command().show_progress(other).unwrap().reconciliation.imported;
    (!imported || totals.accounts != 1).then(|| format!("another supplier lost something: {totals:?}"))
}

/// The numbers of erased accounts in the feed.
fn erased(database: &Database, organisation_id: i64) -> Vec<String> {
    let store = database.truth();
    let filter = FeedFilter { supplier: None, types: vec![FeedEventType::AccountErased] };
    database.settle();
    let limit = PageLimit::of(10_000);
    let page = read(&*store, |tx| tx.feed_page(organisation_id, &filter, None, limit));
    let events = page.unwrap_or_else(|e: StoreError| panic!("{e}")).unwrap().events;
    events.into_iter().filter_map(|event| event.external_account_number).collect()
}

#[test]
fn an_erasure_leaves_nothing_on_sqlite() {
    let template = Template::sqlite();
    find_none(Wanted::of_environment(10, 1_000), |seed| run(seed, &template.open(), false));
}

#[test]
fn an_erasure_leaves_nothing_on_postgres() {
    let Some(template) = Template::postgres() else { return };
    find_none(Wanted::of_environment(3, 50), |seed| run(seed, &template.open(), false));
}

/// An erasure that ends after the accounts forgets refused creates.
#[test]
fn forgotten_rows_are_found() {
    let template = Template::sqlite();
    let found = (0..5).filter(|seed| run(*seed, &template.open(), true).is_some()).count();
    assert_eq!(found, 5);
}
