//! Helpers of the stories.

use chrono::{DateTime, Duration, Utc};
use cutover_app::port::{
    FairShares, Organisation, Staged, Store, StoreError, StoredIssues, StoredProcess, Supplier,
    SupplierSettings, Tx, read, write,
};
use cutover_core::ExternalAccountNumber;
use cutover_process::{Actor, Event, HistoryEntry, NewProcess, Process, Submission};
use std::sync::Barrier;
use std::thread;

/// A key of no row.
pub(super) const ABSENT: i64 = i64::MAX;

/// Returns the time a number of seconds after the beginning of the stories.
pub(super) fn at(seconds: i64) -> DateTime<Utc> {
    DateTime::from_timestamp(1_795_000_000, 123_456_000).unwrap() + Duration::seconds(seconds)
}

/// Runs a reading job, which must succeed.
pub(super) fn see<T>(store: &dyn Store, job: impl FnMut(&mut dyn Tx) -> Result<T, StoreError>) -> T {
    read(store, job).unwrap()
}

/// Runs a writing job, which must succeed.
pub(super) fn put<T: Send + 'static>(
    store: &dyn Store,
    job: impl FnOnce(&mut dyn Tx) -> Result<T, StoreError> + Send + 'static,
) -> T {
    write(store, job).unwrap()
}

pub(super) fn organisation(store: &dyn Store, name: &'static str) -> Organisation {
    put(store, move |tx| tx.add_organisation(name, at(0))).unwrap()
}

pub(super) fn settings(code: &str) -> SupplierSettings {
    SupplierSettings::new(code)
}

/// Adds a supplier of the default organisation, which is added if needed.
pub(super) fn supplier(store: &dyn Store, code: &'static str) -> Supplier {
    supplier_with(store, code, |_| {})
}

pub(super) fn supplier_with(
    store: &dyn Store,
    code: &'static str,
    change: impl FnOnce(&mut SupplierSettings),
) -> Supplier {
    supplier_of(store, "Retailer", code, change)
}

/// Adds a supplier of this organisation, which is added if needed.
pub(super) fn supplier_of(
    store: &dyn Store,
    organisation: &'static str,
    code: &'static str,
    change: impl FnOnce(&mut SupplierSettings),
) -> Supplier {
    let mut settings = settings(code);
    change(&mut settings);
    put(store, move |tx| {
        let owner = match tx.organisation(organisation)? {
            Some(owner) => owner,
            None => tx.add_organisation(organisation, at(0))?.unwrap(),
        };
        tx.add_supplier(owner.id, &code.parse().unwrap(), &settings, at(0))
    })
    .unwrap()
}

pub(super) fn number(text: &str) -> ExternalAccountNumber {
    text.parse().unwrap()
}

pub(super) fn staged(payload: &[u8]) -> Staged {
    Staged { payload: payload.to_vec(), fingerprint: [payload.len() as u8; 32], ..Staged::default() }
}

pub(super) fn api() -> Actor {
    Actor::Api { key_prefix: "cut_live_ab12".into(), request_id: Some("r-7".into()) }
}

pub(super) fn worker() -> Actor {
    Actor::Worker { name: "w1".into() }
}

pub(super) fn new_process(supplier: &Supplier, account: &str, submission: Submission) -> NewProcess {
    NewProcess { supplier: supplier.code.clone(), external_account_number: number(account), submission }
}

/// Inserts a process in the transaction.
pub(super) fn insert(
    tx: &mut dyn Tx,
    supplier: &Supplier,
    account: &str,
    submission: Submission,
    created: DateTime<Utc>,
) -> Result<Process, StoreError> {
    let new = new_process(supplier, account, submission);
    let (process, entry) = Process::create(tx.next_process_id()?, new, created, api());
    tx.insert_process(supplier.id, &process, &entry, &staged(account.as_bytes()), &StoredIssues::default())?;
    Ok(process)
}

/// Creates accounts `prefix-0`, `prefix-1`, …, one a second.
pub(super) fn create_many(store: &dyn Store, supplier: &Supplier, prefix: &'static str, count: i64) {
    let supplier = supplier.clone();
    put(store, move |tx| {
        (0..count).try_for_each(|i| {
            insert(tx, &supplier, &format!("{prefix}-{i}"), Submission::default(), at(i)).map(|_| ())
        })
    });
}

/// Creates an account.
pub(super) fn create(store: &dyn Store, supplier: &Supplier, account: &'static str) -> Process {
    let supplier = supplier.clone();
    put(store, move |tx| insert(tx, &supplier, account, Submission::default(), at(0)))
}

/// Returns the process of an account, which must exist.
pub(super) fn process(store: &dyn Store, supplier: &Supplier, account: &str) -> StoredProcess {
    see(store, |tx| tx.process(supplier.id, &number(account))).unwrap()
}

/// Makes a step and writes it. Returns false if it was stale.
pub(super) fn step(store: &dyn Store, process: &Process, event: Event, when: DateTime<Utc>) -> bool {
    let (process, entry): (Process, HistoryEntry) = process.clone().step(event, when, worker()).unwrap();
    put(store, move |tx| tx.step_process(&process, &entry))
}

/// Claims due processes and returns their account numbers.
pub(super) fn claim(store: &dyn Store, when: DateTime<Utc>, limit: u32) -> Vec<String> {
    put(store, move |tx| {
        let due = tx.due_processes(when, limit, &FairShares::default())?;
        for stored in &due {
            let (process, entry) = stored.process.clone().step(Event::Claimed, when, worker()).unwrap();
            assert!(tx.step_process(&process, &entry)?);
        }
        Ok(names(&due))
    })
}

/// Returns the account numbers of processes.
pub(super) fn names(processes: &[StoredProcess]) -> Vec<String> {
    processes.iter().map(|p| p.process.snapshot().external_account_number.to_string()).collect()
}

/// Runs a job on threads that start at the same time, and returns their results.
pub(super) fn on_threads<T: Send>(count: usize, job: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let start = Barrier::new(count);
    thread::scope(|scope| {
        let run = |n| {
            let (start, job) = (&start, &job);
            scope.spawn(move || {
                start.wait();
                job(n)
            })
        };
        let threads: Vec<_> = (0..count).map(run).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    })
}
