//! An archiving and a step of one process at the same time: the second waits for the first and sees its
//! change.

use crate::databases::{migrated, options};
use chrono::{DateTime, Utc};
use cutover_app::port::{
    self, ArchivedVersion, Creation, Staged, Staging, StoreError, StoredIssues, Tx, read, write,
};
use cutover_app::port::{StoredProcess, SupplierSettings};
use cutover_process::{Actor, Event, NewProcess, Submission};
use cutover_store::PostgresStore;
use cutover_testkit_machine::wait_until;
use cutover_testkit_postgres::TestDatabase;
use std::sync::{Arc, mpsc};
use std::thread;

fn at(seconds: i64) -> DateTime<Utc> {
    DateTime::from_timestamp(1_795_000_000 + seconds, 0).unwrap()
}

/// Opens a database with a cancelled process.
fn with_cancelled(database: &TestDatabase) -> (PostgresStore, StoredProcess) {
    let store = PostgresStore::open(&options(database)).unwrap();
    let supplier = write(&store, |tx| {
        let owner = tx.add_organisation("Retailer", at(0))?.unwrap();
        let settings = SupplierSettings::new("A");
        Ok::<_, StoreError>(tx.add_supplier(owner.id, &"A".parse().unwrap(), &settings, at(0))?.unwrap())
    });
    let supplier = supplier.unwrap();
    let process = NewProcess {
        supplier: supplier.code.clone(),
        external_account_number: "A-1".parse().unwrap(),
        submission: Submission::default(),
    };
    let creation = Creation {
        supplier_id: supplier.id,
        contract: None,
        mark: None,
        supplier_revision: supplier.revision,
        process,
        actor: Actor::System,
        at: at(0),
        staged: Staged { payload: vec![1], fingerprint: [1; 32], ..Staged::default() },
        issues: StoredIssues::default(),
    };
    assert_eq!(port::stage(&store, Arc::new(creation)), Ok(Staging::Staged));
    let find = move |tx: &mut dyn Tx| Ok(tx.process(supplier.id, &"A-1".parse().unwrap())?.unwrap());
    let pending = read(&store, &find).unwrap();
    assert!(write(&store, step(&pending, Event::Cancelled)).unwrap().0);
    let cancelled = read(&store, find).unwrap();
    (store, cancelled)
}

type Job<T> = Box<dyn FnOnce(&mut dyn Tx) -> Result<T, StoreError> + Send>;

/// Writes a step. Returns true if it was written, and the time at which the process was archived.
fn step(stored: &StoredProcess, event: Event) -> Job<(bool, Option<DateTime<Utc>>)> {
    let (process, entry) = stored.process.clone().step(event, at(10), Actor::Operator).unwrap();
    Box::new(move |tx| Ok((tx.step_process(&process, &entry)?, tx.archived_at(process.id())?)))
}

fn archive(stored: &StoredProcess) -> Job<usize> {
    let versions = [ArchivedVersion::new(&stored.process, None)];
    Box::new(move |tx| tx.archive(&versions, at(20)))
}

/// Runs two jobs at the same time: the first one commits only once the second one waits for it.
fn overlap<A, B>(database: &TestDatabase, store: &PostgresStore, first: Job<A>, second: Job<B>) -> (A, B)
where
    A: Send + 'static,
    B: Send + 'static,
{
    let (ran, has_run) = mpsc::channel();
    let (commit, may_commit) = mpsc::channel();
    thread::scope(|scope| {
        let first = scope.spawn(move || {
            write(store, move |tx| {
                let done = first(tx)?;
                ran.send(()).unwrap();
                may_commit.recv().unwrap();
                Ok::<_, StoreError>(done)
            })
        });
        has_run.recv().unwrap();
        let second = scope.spawn(move || write(store, second));
        let waits = "SELECT count(*) FROM pg_stat_activity \
                     WHERE datname = current_database() AND wait_event_type = 'Lock'";
        wait_until("the second job waits", || database.sql(waits).unwrap().trim() == "1");
        commit.send(()).unwrap();
        (first.join().unwrap().unwrap(), second.join().unwrap().unwrap())
    })
}

#[test]
fn a_step_after_an_archiving_sees_that_the_payload_is_gone() {
    let Some(database) = migrated() else { return };
    let (store, cancelled) = with_cancelled(&database);
    let results = overlap(&database, &store, archive(&cancelled), step(&cancelled, Event::RetriedByOperator));
    assert_eq!(results, (1, (true, Some(at(20)))));
}

#[test]
fn an_archiving_after_a_step_keeps_the_payload() {
    let Some(database) = migrated() else { return };
    let (store, cancelled) = with_cancelled(&database);
    let results = overlap(&database, &store, step(&cancelled, Event::RetriedByOperator), archive(&cancelled));
    assert_eq!(results, ((true, None), 0));
    let id = cancelled.process.id();
    assert_eq!(read(&store, |tx| tx.payloads(&[id])), Ok(vec![(id, Ok(vec![1]))]));
}
