//! Bulk operations under faults: stores that fail or lose answers, runners that die in the middle of a job or come back
//! after their lease, operators who stop, resume, and change single accounts. In the end each account was changed once.

use crate::databases::{Database, Template};
use crate::flaky::{Calm, app, apps, flaky, number};
use crate::runs::{Wanted, find_none, found};
use crate::specs::code;
use chrono::Duration;
use cutover_app::App;
use cutover_app::job::JobRunner;
use cutover_app::operator::{AuditScope, BulkRequest, JobOwner};
use cutover_app::port::{Job, JobKind, JobState, Random, Store, StoreError, Tx, Verdict, WriteJob, write};
use cutover_testkit::{FakeClock, SeededRandom, create_account};
use std::sync::atomic::Ordering;
use std::sync::{Arc, mpsc};

/// Accounts of a run: more than two batches.
const ACCOUNTS: u64 = 230;
/// Steps of a run.
const STEPS: usize = 60;

/// Writes the row of the job of a batch, and not its steps: the planted bug.
fn lose(store: &dyn Store, job: WriteJob) -> Result<(), StoreError> {
    let (sender, moved) = mpsc::sync_channel(1);
    let written = store.write(Box::new(move |tx: &mut dyn Tx| {
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
        Ok(job) => write(store, move |tx| tx.change_job(&job).map(drop)),
        Err(_) => written,
    }
}

/// Performs a run; returns the fault that it found.
fn run(seed: u64, database: &Database, loses_batches: bool) -> Option<String> {
    let random = SeededRandom::new(seed);
    let (clock, is_calm) = (Arc::new(FakeClock::of_fixtures()), Calm::default());
    let stores = flaky(database.stores(), seed, &is_calm, move |store, job, draw| match draw {
        2..5 if loses_batches => lose(store, job),
        _ => store.write(job),
    });
    let runner = |app| JobRunner::new(app, Arc::default());
    let runners: Vec<JobRunner> = apps(stores, &clock, seed).into_iter().map(runner).collect();
    let truth = app(database.truth(), &clock, seed ^ 32);
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
        is_undone: false,
        error_code,
        before,
        numbers,
    };
    let job = truth.as_command().begin_bulk(&request, JobOwner::Workers).unwrap().name;
    // Accounts that an operator cancels before the job comes to them.
    let mut single = 0;
    for _ in 0..STEPS {
        clock.advance(Duration::milliseconds(1));
        let account = number(random.number() % ACCOUNTS);
        match random.number() % 16 {
            // A turn fails if its store does, and leaves the job to its lease as if the runner had died.
            0..8 => drop(runners[random.number() as usize % runners.len()].run_once()),
            8..11 => clock.advance(Duration::seconds((random.number() % 12) as i64)),
            11 => drop(truth.as_command().stop_job(&job)),
            12..14 => drop(truth.as_command().resume_job(&job)),
            14 => single += u64::from(truth.as_command().cancel_process(&supplier, &account).is_ok()),
            // Back in the state that the job began from.
            _ => drop(truth.as_command().retry_process(&supplier, &account)),
        }
    }
    is_calm.store(true, Ordering::SeqCst);
    if truth.as_command().show_job(&job).unwrap().state == JobState::Stopped {
        truth.as_command().resume_job(&job).unwrap();
    }
    clock.advance(Duration::minutes(1));
    while runners[0].run_once().unwrap() {}
    check(&truth, &supplier, &job, single)
}

fn check(truth: &App, supplier: &str, job: &str, single: u64) -> Option<String> {
    let job = truth.as_command().show_job(job).unwrap();
    if job.state != JobState::Done || job.matched != ACCOUNTS || job.matched != job.changed + job.skipped {
        return Some(format!("the job ended as {job:?}"));
    }
    let mut cancelled = 0;
    for n in 0..ACCOUNTS {
        let history = truth.as_command().show_process(supplier, &number(n)).unwrap().history;
        let times = history.iter().filter(|entry| entry.event.as_str() == "cancelled").count() as u64;
        if times == 0 {
            return Some(format!("the job left out {}", number(n)));
        }
        cancelled += times;
    }
    if cancelled != job.changed + single {
        return Some(format!("{cancelled} were cancelled: {} by the job and {single} else", job.changed));
    }
    let trail = truth.as_command().audit(&AuditScope { limit: 1_000, ..AuditScope::default() }).unwrap();
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
