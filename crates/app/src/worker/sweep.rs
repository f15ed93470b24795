use crate::App;
use crate::auth::SESSION_IDLE;
use crate::fault::{self, Point};
use crate::gate::{self, Ending};
use crate::port::{StepWrite, StoreError, Tx, read_committed, write};
use chrono::{DateTime, Utc};
use cutover_process::{Actor, Event, Failure, Process, on_failure};

/// Maximum number of processes per transaction of a sweep.
const BATCH: u32 = 500;

/// Maximum number of changes of figures per transaction, and of such transactions per sweep: other writers
/// wait.
const FOLDED: u32 = 2_000;
const FOLDS: usize = 50;

/// Result of a sweep.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Swept {
    /// Claims of lost workers that were released.
    pub released: usize,
    /// Processes whose window closed before they began.
    pub missed: usize,
}

/// Writes the steps of a sweep and returns their number. Skips a process that cannot take its step, so that
/// the others can.
fn take_steps(
    tx: &mut dyn Tx,
    steps: impl Iterator<Item = (Process, Event)>,
    ending: Ending,
) -> Result<usize, StoreError> {
    let mut taken = Vec::new();
    for (process, event) in steps {
        let id = process.id();
        match process.step(event, ending.at, Actor::System) {
            Ok(step) => taken.push(step),
            Err(illegal) => tracing::error!(process = id, %illegal, "a sweep skipped a process"),
        }
    }
    let steps: Vec<_> =
        taken.iter().map(|(process, entry)| StepWrite { process, entry, issues: None, sent: None }).collect();
    Ok(gate::end_processes(tx, &steps, ending)?.into_iter().filter(|is_written| *is_written).count())
}

impl App {
    /// Releases the claims of lost workers, and ends processes that missed their window.
    ///
    /// # Errors
    /// [`StoreError`]; steps that were committed before remain.
    pub fn sweep(&self) -> Result<Swept, StoreError> {
        self.defer_interrupted()?;
        let now = self.clock.now();
        let released = self.release(now)?;
        let missed = self.end_missed(now)?;
        self.end_waves()?;
        if released > 0 {
            self.wake.notify_all();
        }
        Ok(Swept { released, missed })
    }

    /// Holds suppliers whose wave has ended without a step: its last accounts were erased.
    fn end_waves(&self) -> Result<(), StoreError> {
        let ended = read_committed(&*self.store, |tx| tx.ended_waves())?;
        if ended.is_empty() {
            return Ok(());
        }
        let clock = self.clock.clone();
        write(&*self.store, move |tx| gate::end_waves(tx, &ended, &*clock))
    }

    /// Releases every claim, of processes, of jobs and of deliveries, whatever its lease. Returns the number of processes. Only for a database that no other worker can be using.
    ///
    /// # Errors
    /// [`StoreError`]; claims that were released before remain so.
    pub fn release_all(&self) -> Result<usize, StoreError> {
        let now = self.clock.now();
        write(&*self.store, move |tx| {
            tx.release_jobs(now)?;
            tx.release_deliveries(now)
        })?;
        self.release(DateTime::<Utc>::MAX_UTC)
    }

    fn release(&self, before: DateTime<Utc>) -> Result<usize, StoreError> {
        let mut released = 0;
        // A whole batch: an unreadable process is skipped, and must not hide the others.
        while !read_committed(&*self.store, |tx| tx.expired_leases(before, BATCH))?.is_empty() {
            fault::reached(Point::SweepLooked, "");
            let (clock, jitter) = (self.clock.clone(), self.random.number());
            let retry_time = self.settings.import_retry_time;
            let taken = write(&*self.store, move |tx| {
                let ending = Ending::of_any(tx, &*clock)?;
                let now = ending.at;
                let expired = tx.expired_leases_to_end(before, BATCH)?;
                fault::reached(Point::SweepRead, "");
                let steps = expired.into_iter().enumerate().map(|(i, stored)| {
                    // One random number per batch, spread so that processes lost together are retried apart.
                    let jitter = jitter.wrapping_add((i as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15));
                    let event = on_failure(&stored.process, Failure::WorkerLost, retry_time, now, jitter);
                    (stored.process, event)
                });
                take_steps(tx, steps, ending)
            })?;
            released += taken;
            if taken == 0 {
                break;
            }
        }
        Ok(released)
    }

    fn end_missed(&self, now: DateTime<Utc>) -> Result<usize, StoreError> {
        let mut missed = 0;
        while !read_committed(&*self.store, |tx| tx.missed_windows(now, BATCH))?.is_empty() {
            let clock = self.clock.clone();
            let taken = write(&*self.store, move |tx| {
                let ending = Ending::of_any(tx, &*clock)?;
                let stored = tx.missed_windows_to_end(now, BATCH)?;
                let steps = stored.into_iter().map(|stored| (stored.process, Event::WindowMissed));
                take_steps(tx, steps, ending)
            })?;
            missed += taken;
            if taken == 0 {
                break;
            }
        }
        Ok(missed)
    }

    /// Folds changes of figures, up to a limit, and returns their number. Writes nothing if nothing changed.
    ///
    /// # Errors
    /// [`StoreError`]; changes that were folded before remain so.
    pub fn fold_figures(&self) -> Result<usize, StoreError> {
        let mut all = 0;
        for _ in 0..FOLDS {
            if !read_committed(&*self.store, |tx| tx.has_changes())? {
                break;
            }
            let folded = write(&*self.store, |tx| tx.fold(FOLDED))?;
            all += folded;
            if folded < FOLDED as usize {
                break;
            }
        }
        Ok(all)
    }

    /// Adds partitions for the next processes, if there are few left.
    ///
    /// # Errors
    /// [`StoreError`]; the next call tries again.
    pub fn add_partitions(&self) -> Result<(), StoreError> {
        if !read_committed(&*self.store, |tx| tx.has_partitions())? {
            write(&*self.store, |tx| tx.add_partitions())?;
        }
        Ok(())
    }

    /// Removes expired refresh tokens, and signing keys whose last token has expired.
    ///
    /// # Errors
    /// [`StoreError`]; nothing is removed then.
    pub fn remove_expired(&self) -> Result<(), StoreError> {
        let now = self.clock.now();
        let superseded = now - self.settings.access_token_lifetime.max(SESSION_IDLE);
        write(&*self.store, move |tx| {
            tx.remove_expired_tokens(now)?;
            tx.remove_signing_keys_superseded_before(superseded)?;
            Ok(())
        })
    }
}
