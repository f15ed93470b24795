use crate::App;
use crate::auth::SESSION_IDLE;
use crate::fault::{self, Point};
use crate::port::{StepWrite, StoreError, Tx, read_committed, write};
use chrono::{DateTime, Utc};
use cutover_process::{Actor, Event, Failure, Process, on_failure};

/// How many processes one transaction of a sweep takes.
const BATCH: u32 = 500;

/// How many changes of figures one transaction folds, and how often a sweep does: others want to write as well.
const FOLDED: u32 = 2_000;
const FOLDS: usize = 50;

/// What a sweep did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Swept {
    /// Claims that were taken from lost workers.
    pub released: usize,
    /// Processes whose window closed before they began.
    pub missed: usize,
}

/// Makes the steps of a sweep; how many were made. A process that cannot take its step is left: it must
/// not keep the others from theirs.
fn take_steps(
    tx: &mut dyn Tx,
    steps: impl Iterator<Item = (Process, Event)>,
    at: DateTime<Utc>,
) -> Result<usize, StoreError> {
    let mut taken = Vec::new();
    for (process, event) in steps {
        let id = process.id();
        match process.step(event, at, Actor::System) {
            Ok(step) => taken.push(step),
            Err(illegal) => tracing::error!(process = id, %illegal, "a sweep left a process as it is"),
        }
    }
    let steps: Vec<_> =
        taken.iter().map(|(process, entry)| StepWrite { process, entry, issues: None }).collect();
    Ok(tx.step_processes(&steps)?.into_iter().filter(|is_written| *is_written).count())
}

impl App {
    /// Takes up what lost workers left, and ends what missed its window.
    ///
    /// # Errors
    /// [`StoreError`]; what was swept before stays swept.
    pub fn sweep(&self) -> Result<Swept, StoreError> {
        self.put_off_interrupted()?;
        let now = self.clock.now();
        let released = self.release(now)?;
        let missed = self.end_missed(now)?;
        if released > 0 {
            self.wake.call();
        }
        Ok(Swept { released, missed })
    }

    /// Takes up every claim, whatever its lease: for a database that no other worker can be using.
    ///
    /// # Errors
    /// [`StoreError`]; what was released before stays released.
    pub fn release_all(&self) -> Result<usize, StoreError> {
        self.release(DateTime::<Utc>::MAX_UTC)
    }

    fn release(&self, before: DateTime<Utc>) -> Result<usize, StoreError> {
        let mut released = 0;
        // A whole batch: one that cannot be read is passed over, and must not hide the others.
        while !read_committed(&*self.store, |tx| tx.expired_leases(before, BATCH))?.is_empty() {
            fault::reached(Point::SweepLooked, "");
            let (now, jitter) = (self.clock.now(), self.random.number());
            let retry_time = self.settings.import_retry_time;
            let taken = write(&*self.store, move |tx| {
                let expired = tx.expired_leases_to_end(before, BATCH)?;
                fault::reached(Point::SweepRead, "");
                let steps = expired.into_iter().enumerate().map(|(i, stored)| {
                    // One draw a batch; spread so that what was lost together parts.
                    let jitter = jitter.wrapping_add((i as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15));
                    let event = on_failure(&stored.process, Failure::WorkerLost, retry_time, now, jitter);
                    (stored.process, event)
                });
                take_steps(tx, steps, now)
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
            let taken = write(&*self.store, move |tx| {
                let stored = tx.missed_windows_to_end(now, BATCH)?;
                take_steps(tx, stored.into_iter().map(|stored| (stored.process, Event::WindowMissed)), now)
            })?;
            missed += taken;
            if taken == 0 {
                break;
            }
        }
        Ok(missed)
    }

    /// Folds what changed of the figures that are kept, as far as it goes in one sweep; how much was folded. Where
    /// nothing did, nothing is written.
    ///
    /// # Errors
    /// [`StoreError`]; what was folded before stays folded.
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

    /// Removes what has expired: refresh tokens, and signing keys that no token can be signed with any more.
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
