use crate::App;
use crate::port::{StoreError, Tx, write};
use chrono::{DateTime, Utc};
use cutover_process::{Actor, Event, Failure, Process, on_failure};

/// How many processes one transaction of a sweep takes.
const BATCH: u32 = 500;

/// What a sweep did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Swept {
    /// Claims that were taken from lost workers.
    pub released: usize,
    /// Processes whose window closed before they began.
    pub missed: usize,
}

/// Makes the step of a sweep; 1 if it was made. A process that cannot take it is left: it must not
/// keep the others from theirs.
fn swept(tx: &mut dyn Tx, process: Process, event: Event, at: DateTime<Utc>) -> Result<usize, StoreError> {
    let id = process.id();
    match process.step(event, at, Actor::System) {
        Ok((process, entry)) => Ok(usize::from(tx.step_process(&process, &entry)?)),
        Err(illegal) => {
            tracing::error!(process = id, %illegal, "a sweep left a process as it is");
            Ok(0)
        }
    }
}

impl App {
    /// Takes up what lost workers left, ends what missed its window, and removes what expired.
    ///
    /// # Errors
    /// [`StoreError`]; what was swept before stays swept.
    pub fn sweep(&self) -> Result<Swept, StoreError> {
        let now = self.clock.now();
        let released = self.release(now)?;
        let missed = self.end_missed(now)?;
        self.remove_expired(now)?;
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
        loop {
            let (now, jitter) = (self.clock.now(), self.random.number());
            let taken = write(&*self.store, move |tx| {
                let expired = tx.expired_leases(before, BATCH)?;
                let mut taken = 0;
                for (i, stored) in expired.into_iter().enumerate() {
                    // One draw a batch; spread so that what was lost together parts.
                    let jitter = jitter.wrapping_add((i as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15));
                    let event = on_failure(&stored.process, Failure::WorkerLost, now, jitter);
                    taken += swept(tx, stored.process, event, now)?;
                }
                Ok::<_, StoreError>(taken)
            })?;
            released += taken;
            if taken == 0 {
                return Ok(released);
            }
        }
    }

    fn end_missed(&self, now: DateTime<Utc>) -> Result<usize, StoreError> {
        let mut missed = 0;
        loop {
            let taken = write(&*self.store, move |tx| {
                let mut taken = 0;
                for stored in tx.missed_windows(now, BATCH)? {
                    taken += swept(tx, stored.process, Event::WindowMissed, now)?;
                }
                Ok::<_, StoreError>(taken)
            })?;
            missed += taken;
            if taken == 0 {
                return Ok(missed);
            }
        }
    }

    fn remove_expired(&self, now: DateTime<Utc>) -> Result<(), StoreError> {
        let superseded = now - self.settings.access_token_lifetime;
        write(&*self.store, move |tx| {
            tx.remove_expired_tokens(now)?;
            tx.remove_signing_keys_superseded_before(superseded)?;
            Ok(())
        })
    }
}
