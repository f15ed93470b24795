//! Bulk operations under faults: stores that fail or lose answers, runners that die in the middle of a job or come back
//! after their lease, operators who stop, resume, and change single accounts. In the end each account was changed once.

use crate::databases::{Database, Template};
use crate::runs::{Wanted, find_none, found};
use crate::specs::code;
use chrono::Duration;
use cutover_app::job::JobRunner;
use cutover_app::operator::{AuditScope, BulkRequest, JobOwner};
use cutover_app::port::{Job, JobKind, JobState, Random, Store, StoreError, Tx, Verdict, WriteJob, write};
use cutover_app::{App, Ports, Settings};
use cutover_testkit::{FakeClock, FakeDocuments, FakeVendors, FakeWebhooks, SeededRandom, create_account};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};

/// Accounts of a run: more than two batches.
const ACCOUNTS: u64 = 230;
/// Steps of a run.
const STEPS: usize = 60;

/// A store that fails, or commits and then fails, until it is calmed.
struct FlakyStore {
    store: Arc<dyn Store>,
    random: SeededRandom,
    is_calm: Arc<AtomicBool>,
    /// Sometimes moves the position of a job and drops the steps of its batch: the planted bug.
    loses_batches: bool,
}

impl FlakyStore {
    /// A random number that decides on a fault.
    fn draw(&self) -> u64 {
        if self.is_calm.load(Ordering::SeqCst) { u64::MAX } else { self.random.number() % 8 }
    }

    /// Writes the row of the job of a batch, and not its steps.
    fn lose(&self, job: WriteJob) -> Result<(), StoreError> {
        let (sender, moved) = mpsc::sync_channel(1);
        let written = self.store.write(Box::new(move |tx: &mut dyn Tx| {
            let before = tx.jobs(None, 10).unwrap();
            let verdict = job(tx);
            let changed = |now: &Job| before.iter().any(|old| old.id == now.id && old.changed < now.changed);
            match tx.jobs(None, 10).unwrap().into_iter().find(changed) {
                Some(job) if verdict == Verdict::Commit => {
                    sender.send(Job { version: job.version - 1, ..job }).unwrap();
                    Verdict::Rollback
                }
                _ => verdict,
            }
        }));
        match moved.try_recv() {
            Ok(job) => write(&*self.store, move |tx| tx.change_job(&job).map(drop)),
            Err(_) => written,
        }
    }
}

fn failed() -> StoreError {
    StoreError::Unavailable("on purpose".into())
}

impl Store for FlakyStore {
    fn read(&self, job: &mut dyn FnMut(&mut dyn Tx) -> Result<(), StoreError>) -> Result<(), StoreError> {
        if self.draw() == 0 { Err(failed()) } else { self.store.read(job) }
    }

    fn write(&self, job: WriteJob) -> Result<(), StoreError> {
        match self.draw() {
            0 => Err(failed()),
            1 => self.store.write(job).and(Err(failed())),
            2..5 if self.loses_batches => self.lose(job),
            _ => self.store.write(job),
        }
    }

    fn ping(&self) -> Result<(), StoreError> {
        self.store.ping()
    }
}

fn app(store: Arc<dyn Store>, clock: Arc<FakeClock>, seed: u64) -> App {
    let (documents, vendors) = (Arc::<FakeDocuments>::default(), Arc::<FakeVendors>::default());
    let webhooks = Arc::<FakeWebhooks>::default();
    let random = Arc::new(SeededRandom::new(seed));
    App::new(Ports { store, clock, random, documents, vendors, webhooks }, Settings::default())
}

fn number(n: u64) -> String {
    format!("A-{n}")
}

/// Performs a run; returns the fault that it found.
fn run(seed: u64, database: &Database, loses_batches: bool) -> Option<String> {
    let random = SeededRandom::new(seed);
    let (clock, is_calm) = (Arc::new(FakeClock::of_fixtures()), Arc::<AtomicBool>::default());
    let node = |(n, store): (u64, Arc<dyn Store>)| {
        let (random, is_calm) = (SeededRandom::new(seed ^ (8 + n)), is_calm.clone());
        let store = Arc::new(FlakyStore { store, random, is_calm, loses_batches });
        JobRunner::new(Arc::new(app(store, clock.clone(), seed ^ (16 + n))), Arc::default())
    };
    let runners: Vec<JobRunner> = (0..).zip(database.stores()).map(node).collect();
    let truth = app(database.truth(), clock.clone(), seed ^ 32);
    let supplier = code(0);
    for n in 0..ACCOUNTS {
        let body = format!(
            r#"{{"import_supplier":"{supplier}","external_account_number":"{}","customers":[{{"family_name":"B"}}]}}"#,
            number(n)
        );
        create_account(&truth, &database.credentials.callers[0], None, body.as_bytes()).unwrap();
    }
    clock.advance(Duration::seconds(1));
    let (status, error_code, before, numbers) = Default::default();
    let request = BulkRequest {
        kind: JobKind::Cancel,
        supplier: supplier.clone(),
        status,
        error_code,
        before,
        numbers,
    };
    let job = truth.begin_bulk(&request, JobOwner::Workers).unwrap().name;
    // Accounts that an operator cancels before the job comes to them.
    let mut single = 0;
    for _ in 0..STEPS {
        clock.advance(Duration::milliseconds(1));
        let account = number(random.number() % ACCOUNTS);
        match random.number() % 16 {
            // A turn fails if its store does, and leaves the job to its lease as if the runner had died.
            0..8 => drop(runners[random.number() as usize % runners.len()].run_once()),
            8..11 => clock.advance(Duration::seconds((random.number() % 12) as i64)),
            11 => drop(truth.stop_job(&job)),
            12..14 => drop(truth.resume_job(&job)),
            14 => single += u64::from(truth.cancel_process(&supplier, &account).is_ok()),
            // Back in the state that the job began from.
            _ => drop(truth.retry_process(&supplier, &account)),
        }
    }
    is_calm.store(true, Ordering::SeqCst);
    if truth.show_job(&job).unwrap().state == JobState::Stopped {
        truth.resume_job(&job).unwrap();
    }
    clock.advance(Duration::minutes(1));
    while runners[0].run_once().unwrap() {}
    check(&truth, &supplier, &job, single)
}

fn check(truth: &App, supplier: &str, job: &str, single: u64) -> Option<String> {
    let job = truth.show_job(job).unwrap();
    if job.state != JobState::Done || job.matched != ACCOUNTS || job.matched != job.changed + job.skipped {
        return Some(format!("the job ended as {job:?}"));
    }
    let mut cancelled = 0;
    for n in 0..ACCOUNTS {
        let history = truth.show_process(supplier, &number(n)).unwrap().history;
        let times = history.iter().filter(|entry| entry.event.as_str() == "cancelled").count() as u64;
        if times == 0 {
            return Some(format!("the job left out {}", number(n)));
        }
        cancelled += times;
    }
    if cancelled != job.changed + single {
        return Some(format!("{cancelled} were cancelled: {} by the job and {single} else", job.changed));
    }
    let trail = truth.audit(&AuditScope { limit: 1_000, ..AuditScope::default() }).unwrap();
    let ends = trail.iter().filter(|entry| entry.action == "process.cancel" && entry.process_id.is_none());
    (ends.count() != 1).then(|| "the end of the job is not recorded once".into())
}

#[test]
fn a_job_changes_each_account_once_on_sqlite() {
    let template = Template::sqlite();
    find_none(Wanted::of_environment(10, 1_000), |seed| run(seed, &template.open(), false));
}

#[test]
fn a_job_changes_each_account_once_on_postgres() {
    let Some(template) = Template::postgres() else { return };
    find_none(Wanted::of_environment(3, 50), |seed| run(seed, &template.open(), false));
}

/// The position of a job moves, and its batch is not committed.
#[test]
fn a_lost_batch_is_found() {
    let template = Template::sqlite();
    found(5, 10, |seed| run(seed, &template.open(), true).is_some());
}
