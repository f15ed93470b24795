//! Waves and holds under faults: stores that fail or lose answers, workers that die with their claims, operators who hold,
//! release, cancel and retry. No wave claims more accounts than it has, and no share of failures passes unnoticed.

use crate::databases::{Database, Template};
use crate::flaky::{Calm, app, apps, flaky, now, number, workers};
use crate::runs::{Wanted, find_none, found};
use crate::specs::code;
use chrono::{DateTime, Duration, Utc};
use cutover_app::App;
use cutover_app::operator::{self, OperatorError, Services, SupplierChange};
use cutover_app::port::{Gate, Hold, HoldCause, Random, Store, StoreError, Tx, WriteJob, read};
use cutover_core::{Level, SupplierCode};
use cutover_process::HistoryEntry;
use cutover_testkit::{FakeClock, SeededRandom, create_account};
use std::sync::Arc;
use std::sync::atomic::Ordering;

const ACCOUNTS: u64 = 90;
/// Steps of a run.
const STEPS: usize = 100;
/// Accounts of the waves; the rest has no bound.
const WAVES: [usize; 4] = [7, 20, 11, 25];
/// Failures that the share allows among the last accounts of its window.
const SHARE: &str = "10/50";
const LIMIT: usize = 5;
const WINDOW: usize = 50;

/// A bug that is planted in the store: sometimes it changes what a gate has counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Bug {
    None,
    /// It forgets that an account was claimed.
    LosesClaims,
    /// It counts a claim twice.
    CountsTwice,
    /// It forgets that accounts have failed, so that a release is not refused for them.
    ForgetsFailures,
}

impl Bug {
    fn spoil(self, gate: &mut Gate) {
        match self {
            Self::None => {}
            Self::LosesClaims => gate.claimed = gate.claimed.saturating_sub(1),
            Self::CountsTwice if gate.claimed > 0 => gate.claimed += 1,
            Self::CountsTwice => {}
            Self::ForgetsFailures => gate.failed = 0,
        }
    }
}

fn spoil(store: &dyn Store, job: WriteJob, bug: Bug) -> Result<(), StoreError> {
    store.write(Box::new(move |tx: &mut dyn Tx| {
        let verdict = job(tx);
        let supplier: SupplierCode = code(0).parse().unwrap();
        for (_, mut gate) in tx.lock_gates(&[supplier]).unwrap() {
            bug.spoil(&mut gate);
            tx.save_gate(&gate).unwrap();
        }
        verdict
    }))
}

/// Sends the accounts; the last of each `fails` will fail.
fn send(truth: &App, database: &Database, fails: u64) {
    for n in 0..ACCOUNTS {
        let customers = if n % fails == fails - 1 { "[]" } else { r#"[{"family_name":"B"}]"# };
        let body = format!(
            r#"{{"import_supplier":"{}","external_account_number":"{}","customers":{customers}}}"#,
            code(0),
            number(n)
        );
        create_account(truth, &database.credentials.callers[0], None, body.as_bytes()).unwrap();
    }
}

/// Steps of all accounts since the running wave began, and since the last release.
#[derive(Debug, Default)]
struct Since {
    /// Accounts that the wave has claimed.
    claimed: usize,
    /// Those of them that are claimed, or whose claim was given back.
    open: usize,
    /// Since the release, as the other counts.
    ended: usize,
    failed: usize,
    /// Accounts whose last step is a failure.
    still_failed: usize,
}

impl Since {
    fn of(store: &dyn Store, processes: &[i64], wave: &Wave) -> Self {
        let histories = |tx: &mut dyn Tx| processes.iter().map(|id| tx.history(*id)).collect();
        let histories: Vec<Vec<HistoryEntry>> = read(store, histories).unwrap();
        let mut since = Self::default();
        for history in histories {
            let (mut was_claimed, mut is_open, mut has_failed) = (false, false, false);
            for entry in history {
                if entry.occurred_at < wave.began_at {
                    continue;
                }
                let failed = matches!(entry.event.as_str(), "rejected" | "retries_exhausted");
                match entry.event.as_str() {
                    "claimed" => (was_claimed, is_open) = (true, true),
                    "imported" | "rejected" | "retries_exhausted" | "cancelled" => is_open = false,
                    _ => {}
                }
                if entry.occurred_at >= wave.released_at {
                    has_failed = failed;
                    since.ended += usize::from(failed || entry.event.as_str() == "imported");
                    since.failed += usize::from(failed);
                }
            }
            since.claimed += usize::from(was_claimed);
            since.open += usize::from(is_open);
            since.still_failed += usize::from(has_failed);
        }
        since
    }
}

/// The running wave, as releases should have begun it.
#[derive(Debug)]
struct Wave {
    number: usize,
    began_at: DateTime<Utc>,
    released_at: DateTime<Utc>,
}

impl Wave {
    fn size(&self) -> Option<usize> {
        WAVES.get(self.number.wrapping_sub(1)).copied()
    }

    /// A release: only a wave that has ended without too many failures is followed by the next.
    fn release(&mut self, held: &Hold, before: &Since, at: DateTime<Utc>) {
        let has_failed = held.is_by(HoldCause::ErrorRate) || before.failed > LIMIT;
        let is_over = self.size() == Some(before.claimed) && before.open == 0;
        let is_next = self.number == 0 || (!has_failed && is_over);
        self.number += usize::from(is_next);
        if is_next || has_failed {
            self.began_at = at;
        }
        self.released_at = at;
    }
}

/// Compares the gate with the histories.
fn check(since: &Since, wave: &Wave, hold: Option<&Hold>) -> Option<String> {
    let size = wave.size();
    let wave = wave.number;
    if size.is_some_and(|size| since.claimed > size) {
        return Some(format!("wave {wave} claimed too many: {since:?}"));
    }
    let cause = hold.and_then(|hold| hold.first.by.known().copied());
    let is_right = match cause {
        // An account that was retried ends twice, so the window may not have all failures.
        None => since.ended > WINDOW || since.failed <= LIMIT,
        Some(HoldCause::Operator | HoldCause::Supplier) => true,
        Some(HoldCause::ErrorRate) => hold.is_some_and(|hold| hold.failed == LIMIT as u64 + 1),
        Some(HoldCause::Wave) => since.open == 0 && Some(since.claimed) == size,
    };
    if !is_right {
        return Some(format!("wave {wave} is held as {hold:?} after {since:?}"));
    }
    let is_over = size == Some(since.claimed) && since.open == 0;
    (cause.is_none() && is_over).then(|| format!("wave {wave} is not held after {since:?}"))
}

/// The answer to a release.
enum Release {
    /// With true if it was forced.
    Accepted(bool),
    Refused,
}

/// Releases a supplier, by force if a check of its readiness speaks against it and `forces` is set.
fn release(truth: &App, supplier: &str, forces: bool) -> Release {
    let set = |level: Level| {
        let rules = [("ACC-04".to_owned(), Some(level))].into();
        let change = SupplierChange { rules, ..SupplierChange::default() };
        truth.as_command().set_supplier(supplier, change).unwrap();
    };
    // The sample of the wave would speak against accounts that are going to fail. Those that have failed are to do so.
    set(Level::Warning);
    let released = ask_to_release(truth, supplier, forces);
    set(Level::Error);
    released
}

fn ask_to_release(truth: &App, supplier: &str, forces: bool) -> Release {
    let ask = |is_forced: bool| {
        let because = is_forced.then(|| "on purpose".to_owned());
        let shown = truth.as_command().show_hold(supplier)?;
        let release = operator::Release { because, is_forced, ..operator::Release::of(shown.as_ref()) };
        truth.as_command().release_supplier(supplier, &release, &Services::default())
    };
    match ask(false) {
        Ok(_) => Release::Accepted(false),
        Err(OperatorError::Refused(_)) if forces => {
            ask(true).unwrap();
            Release::Accepted(true)
        }
        Err(OperatorError::Refused(_)) => Release::Refused,
        Err(error) => panic!("{error}"),
    }
}

/// Says what was wrong with a release that was accepted, from the steps of the accounts before it.
fn wrongly_released(held: &Hold, before: &Since, is_forced: bool) -> Option<String> {
    let allowed = if held.is_by(HoldCause::ErrorRate) { LIMIT } else { LIMIT.max(before.ended / 10) };
    let is_wrong = before.still_failed > allowed && !is_forced;
    is_wrong.then(|| format!("it was released from {held:?} after {before:?}"))
}

/// Performs a run; returns the fault that it found.
fn run(seed: u64, database: &Database, bug: Bug) -> Option<String> {
    let random = SeededRandom::new(seed);
    let (clock, is_calm) = (Arc::new(FakeClock::of_fixtures()), Calm::default());
    let stores = flaky(database.stores(), seed, &is_calm, move |store, job, draw| match draw {
        2..5 if bug != Bug::None => spoil(store, job, bug),
        _ => store.write(job),
    });
    let nodes = workers(apps(stores, &clock, seed));
    let (store, truth) = (database.truth(), app(database.truth(), &clock, seed ^ 32));
    let supplier = code(0);
    truth.as_command().hold_supplier(&supplier, None).unwrap();
    // Waves are small, so many have to fail for a hold because of errors.
    send(&truth, database, if bug == Bug::ForgetsFailures { 2 } else { 10 });
    let processes = read(&*store, |tx| {
        let supplier = tx.supplier(&supplier.parse().unwrap())?.unwrap();
        let id = |n| Ok(tx.process(supplier.id, &number(n).parse().unwrap())?.unwrap().process.id());
        (0..ACCOUNTS).map(id).collect::<Result<Vec<i64>, StoreError>>()
    })
    .unwrap();
    let sizes = WAVES.map(|size| size.to_string()).join(",");
    let change = SupplierChange {
        waves: Some(sizes.parse().unwrap()),
        hold_on_errors: Some(Some(SHARE.parse().unwrap())),
        rules: [("ACC-04".to_owned(), Some(Level::Error))].into(),
        ..SupplierChange::default()
    };
    let revision = Some(truth.as_command().show_supplier(&supplier).unwrap().revision);
    truth.as_command().set_supplier(&supplier, SupplierChange { revision, ..change }).unwrap();
    let never = DateTime::<Utc>::MAX_UTC;
    let mut wave = Wave { number: 0, began_at: never, released_at: never };
    for step in 0..STEPS {
        clock.advance(Duration::milliseconds(1));
        let account = number(random.number() % ACCOUNTS);
        let (app, worker) = &nodes[random.number() as usize % nodes.len()];
        match random.number() % 16 {
            // A turn fails if its store does, and leaves its claims to their leases as if the worker had died.
            0..9 => drop(worker.run_once()),
            9 => clock.advance(Duration::seconds((random.number() % 40) as i64)),
            10 => drop(app.sweep()),
            11 => drop(truth.as_command().cancel_process(&supplier, &account)),
            12 => drop(truth.as_command().retry_process(&supplier, &account)),
            13 if step % 3 == 0 => drop(truth.as_command().hold_supplier(&supplier, None).unwrap()),
            _ => {
                if let Some(held) = truth.as_command().show_hold(&supplier).unwrap() {
                    let at = now(&clock);
                    let before = Since::of(&*store, &processes, &wave);
                    match release(&truth, &supplier, random.number().is_multiple_of(3)) {
                        Release::Accepted(is_forced) => {
                            if let Some(fault) = wrongly_released(&held, &before, is_forced) {
                                return Some(format!("step {step}: {fault}"));
                            }
                            wave.release(&held, &before, at);
                        }
                        // A release that was refused changes nothing.
                        Release::Refused
                            if truth.as_command().show_hold(&supplier).unwrap() != Some(held) =>
                        {
                            return Some(format!("step {step}: a refused release changed the hold"));
                        }
                        Release::Refused => {}
                    }
                    clock.advance(Duration::milliseconds(1));
                }
            }
        }
        let since = Since::of(&*store, &processes, &wave);
        let fault = check(&since, &wave, truth.as_command().show_hold(&supplier).unwrap().as_ref());
        if fault.is_some() {
            return fault.map(|fault| format!("step {step}: {fault}"));
        }
    }
    is_calm.store(true, Ordering::SeqCst);
    None
}

#[test]
fn waves_and_holds_are_exact_on_sqlite() {
    let template = Template::sqlite();
    find_none(Wanted::of_environment(3, 1_000), |seed| run(seed, &template.open(), Bug::None));
}

#[test]
fn waves_and_holds_are_exact_on_postgres() {
    let Some(template) = Template::postgres() else { return };
    find_none(Wanted::of_environment(1, 50), |seed| run(seed, &template.open(), Bug::None));
}

/// Claims that the wave does not count, or counts twice.
#[test]
fn wrong_counts_are_found() {
    let template = Template::sqlite();
    for bug in [Bug::LosesClaims, Bug::CountsTwice] {
        found(1, 6, |seed| run(seed, &template.open(), bug).is_some());
    }
}

/// A release ignores the failures of its wave.
#[test]
fn a_release_that_ignores_failures_is_found() {
    let template = Template::sqlite();
    let finds = |seed| {
        let fault = run(seed, &template.open(), Bug::ForgetsFailures);
        fault.is_some_and(|fault| fault.contains("it was released from"))
    };
    found(2, 4, finds);
}
