//! Measures claims on a PostgreSQL database with pending processes and prints a line of JSON:
//! `cargo bench --package cutover-store --bench claim -- URL CLAIMS`.
//!
//! After each claim, its processes are ended and replaced, which is not measured. So the number of pending
//! processes stays the same, and the indexes have the dead entries that steps leave.

use cutover_app::port::{FairShares, Staged, StepWrite, StoreError, StoredIssues, StoredProcess, Tx, write};
use cutover_core::ServiceAccountNumber;
use cutover_process::{Actor, Event, HistoryEntry, NewProcess, Process, Submission};
use cutover_store::{PostgresOptions, PostgresStore};
use std::collections::BTreeSet;
use std::error::Error;
use std::time::{Duration, Instant};

/// Number of processes that a worker claims.
const BATCH: u32 = 16;
/// Number of claims that are not measured, in which connections are opened and plans are made.
const WARM_UP: usize = 20;

/// A process with the store's key of its supplier.
type Claimed = (Process, i64);

fn main() -> Result<(), Box<dyn Error>> {
    // Cargo passes `--bench`.
    let args: Vec<String> = std::env::args().skip(1).filter(|arg| arg != "--bench").collect();
    let [url, claims] = args.as_slice() else {
        println!("NOT RUN: no URL of a database and number of claims were given");
        return Ok(());
    };
    let claims: usize = claims.parse()?;
    let store = PostgresStore::open(&PostgresOptions::new(url))?;
    let mut times = Vec::new();
    for _ in 0..WARM_UP + claims {
        let start = Instant::now();
        let claimed = claim(&store)?;
        times.push(start.elapsed());
        if claimed.len() != BATCH as usize {
            return Err(format!("{} processes were claimed", claimed.len()).into());
        }
        replace(&store, claimed)?;
    }
    let mut times = times.split_off(WARM_UP);
    times.sort();
    println!("{{\"p50_ms\": {}, \"p99_ms\": {}}}", percentile(&times, 50), percentile(&times, 99));
    Ok(())
}

/// Returns a percentile of times in ms.
#[expect(clippy::float_arithmetic, reason = "figures of a bench, not money")]
fn percentile(sorted: &[Duration], hundredths: usize) -> f64 {
    let index = (sorted.len() * hundredths).div_ceil(100).saturating_sub(1);
    sorted.get(index).map_or(0.0, |time| time.as_secs_f64() * 1e3)
}

fn stepped(
    process: Process,
    event: Event,
    at: chrono::DateTime<chrono::Utc>,
) -> Result<(Process, HistoryEntry), StoreError> {
    let actor = Actor::Worker { name: "bench".into() };
    process.step(event, at, actor).map_err(|illegal| StoreError::Failed(illegal.to_string()))
}

/// Writes steps, all of which must be written.
fn write_steps(tx: &mut dyn Tx, steps: &[(Process, HistoryEntry)]) -> Result<(), StoreError> {
    let writes: Vec<_> =
        steps.iter().map(|(process, entry)| StepWrite { process, entry, issues: None, sent: None }).collect();
    let are_written = tx.step_processes(&writes)?.into_iter().all(|is_written| is_written);
    if are_written { Ok(()) } else { Err(StoreError::Conflict("somebody else claims".into())) }
}

/// Claims like a worker, which also reads the suppliers' settings.
fn claim(store: &PostgresStore) -> Result<Vec<Claimed>, StoreError> {
    let at = store.now();
    write(store, move |tx| {
        let due = tx.due_processes(at, BATCH, &FairShares::default())?;
        let suppliers: Vec<i64> = due.iter().map(|stored| stored.supplier_id).collect();
        let distinct: BTreeSet<i64> = suppliers.iter().copied().collect();
        tx.suppliers_by_ids(&distinct.into_iter().collect::<Vec<_>>())?;
        let step = |stored: StoredProcess| stepped(stored.process, Event::Claimed, at);
        let begun = due.into_iter().map(step).collect::<Result<Vec<_>, _>>()?;
        write_steps(tx, &begun)?;
        Ok(begun.into_iter().map(|(process, _)| process).zip(suppliers).collect())
    })
}

/// Ends processes and adds as many pending ones of the same suppliers.
fn replace(store: &PostgresStore, claimed: Vec<Claimed>) -> Result<(), StoreError> {
    let at = store.now();
    write(store, move |tx| {
        let mut ended = Vec::new();
        for (process, supplier_id) in claimed {
            let new = NewProcess {
                supplier: process.snapshot().supplier.clone(),
                external_account_number: number(tx)?,
                submission: Submission::default(),
            };
            add(tx, supplier_id, new, at)?;
            let account = ServiceAccountNumber::from_random(process.id().unsigned_abs());
            ended.push(stepped(process, Event::Imported(account), at)?);
        }
        write_steps(tx, &ended)
    })
}

/// Returns the number of an account that never existed.
fn number(tx: &mut dyn Tx) -> Result<cutover_core::ExternalAccountNumber, StoreError> {
    let number = format!("N-{}", tx.next_process_id()?);
    number.parse().map_err(|invalid| StoreError::Failed(format!("{invalid}")))
}

fn add(
    tx: &mut dyn Tx,
    supplier_id: i64,
    new: NewProcess,
    at: chrono::DateTime<chrono::Utc>,
) -> Result<(), StoreError> {
    let (process, entry) = Process::create(tx.next_process_id()?, new, at, Actor::System);
    let staged = Staged { payload: Vec::new(), fingerprint: [0; 32], ..Staged::default() };
    tx.insert_process(supplier_id, &process, &entry, &staged, &StoredIssues::default())
}
