use crate::refusal::Refusal;
use std::collections::HashMap;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::{AcquireError, OwnedSemaphorePermit, Semaphore};
use tokio::task::{JoinError, JoinHandle};
use tokio::time::timeout;

/// Time limit of a use case, after which the client is told to come again: longer than the default statement
/// timeout. Without it, a use case would wait forever for a database that is silent on an open connection.
pub(crate) const SILENCE: Duration = Duration::from_secs(20);

/// Use cases on threads at a time: many, since some wait for a commit. One organisation has half of them, and
/// no more than half of the connections to the database: a use case that waits there for a lock keeps its
/// connection.
pub(crate) const BLOCKING: usize = 64;

/// Time that a request waits for a slot.
pub(crate) const PATIENCE: Duration = Duration::from_secs(2);

/// Returns the refusal of a use case that took too long.
pub(crate) fn silent() -> Refusal {
    Refusal::Unavailable("the store did not answer in time".into())
}

/// Takes one of these slots, to be held while it is used.
///
/// # Errors
/// [`Refusal::Unavailable`] if none was free in time.
pub(crate) async fn slot(
    slots: &Arc<Semaphore>,
    patience: Duration,
) -> Result<OwnedSemaphorePermit, Refusal> {
    slots_for(slots, 1, patience).await
}

/// Takes several of these slots.
///
/// # Errors
/// [`Refusal::Unavailable`] if not enough were free in time.
pub(crate) async fn slots_for(
    slots: &Arc<Semaphore>,
    count: u32,
    patience: Duration,
) -> Result<OwnedSemaphorePermit, Refusal> {
    // Saves the timer. Those that wait have been given what is free.
    if let Ok(slots) = slots.clone().try_acquire_many_owned(count) {
        return Ok(slots);
    }
    match timeout(patience, slots.clone().acquire_many_owned(count)).await {
        Ok(Ok(slot)) => Ok(slot),
        _ => Err(no_slot()),
    }
}

fn no_slot() -> Refusal {
    Refusal::Unavailable("no slot for a job in time".into())
}

/// Slots for concurrent jobs. One organisation has a share of them, so that others find some free however
/// long its jobs take.
pub(crate) struct Slots {
    all: Arc<Semaphore>,
    of_each: usize,
    /// The share of each organisation that ever came: there are not many.
    shares: Mutex<HashMap<i64, Arc<Semaphore>>>,
}

/// A slot that is taken until it is dropped.
pub(crate) struct Slot {
    _share: Option<OwnedSemaphorePermit>,
    _permit: OwnedSemaphorePermit,
}

impl Slots {
    /// Creates `all` slots, `of_each` of them (at least one) for one organisation.
    pub(crate) fn new(all: usize, of_each: usize) -> Self {
        let of_each = of_each.clamp(1, all.max(1));
        Self { all: Arc::new(Semaphore::new(all)), of_each, shares: Mutex::default() }
    }

    fn share(&self, organisation: i64) -> Arc<Semaphore> {
        let mut shares = self.shares.lock().unwrap_or_else(PoisonError::into_inner);
        shares.entry(organisation).or_insert_with(|| Arc::new(Semaphore::new(self.of_each))).clone()
    }

    /// Takes a slot for a job of an organisation, if that is known, without a time limit. Jobs that wait for
    /// their organisation's share hold no slot meanwhile.
    ///
    /// # Errors
    /// If the slots are closed.
    pub(crate) async fn take(&self, organisation: Option<i64>) -> Result<Slot, AcquireError> {
        let share = match organisation {
            Some(id) => Some(self.share(id).acquire_owned().await?),
            None => None,
        };
        Ok(Slot { _share: share, _permit: self.all.clone().acquire_owned().await? })
    }

    /// Takes a slot, and waits for it at most this long.
    ///
    /// # Errors
    /// [`Refusal::Unavailable`] if none was free in time.
    pub(crate) async fn take_within(
        &self,
        patience: Duration,
        organisation: Option<i64>,
    ) -> Result<Slot, Refusal> {
        match timeout(patience, self.take(organisation)).await {
            Ok(Ok(slot)) => Ok(slot),
            _ => Err(no_slot()),
        }
    }
}

/// Runs blocking jobs off the event loops: a bounded number at a time, on as many threads, with a bounded
/// wait for a slot. The pools of the event loops are not used: each has its own, and each thread retains some
/// memory.
pub(crate) struct Blocking {
    slots: Slots,
    patience: Duration,
    /// Only its blocking threads are used; shutdown does not wait for them.
    threads: Option<Runtime>,
}

impl Drop for Blocking {
    fn drop(&mut self) {
        if let Some(threads) = self.threads.take() {
            threads.shutdown_background();
        }
    }
}

impl Blocking {
    /// Creates `slots` threads, `of_each` of them for one organisation. A job that waits longer than
    /// `patience` for a slot is refused.
    ///
    /// # Errors
    /// If no thread can be created.
    pub(crate) fn new(name: &str, slots: usize, of_each: usize, patience: Duration) -> io::Result<Self> {
        let threads = Builder::new_current_thread().max_blocking_threads(slots).thread_name(name).build()?;
        Ok(Self { slots: Slots::new(slots, of_each), patience, threads: Some(threads) })
    }

    /// Runs a job of an organisation, if that is known. It runs to its end and holds its slot even if its
    /// caller has gone.
    ///
    /// # Errors
    /// The job's refusal; [`Refusal::Unavailable`] if no slot was free in time or the job takes too long;
    /// [`Refusal::Unexpected`] if it panicked.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        organisation: Option<i64>,
        job: impl FnOnce() -> Result<T, Refusal> + Send + 'static,
    ) -> Result<T, Refusal> {
        let slot = self.slots.take_within(self.patience, organisation).await?;
        self.at(slot, job).await
    }

    /// Runs a job for a response that has begun: it waits for a slot without a time limit, since the response
    /// can no longer be refused.
    ///
    /// # Errors
    /// The job's refusal; [`Refusal::Unexpected`] if it panicked.
    pub(crate) async fn run_when_free<T: Send + 'static>(
        &self,
        organisation: Option<i64>,
        job: impl FnOnce() -> Result<T, Refusal> + Send + 'static,
    ) -> Result<T, Refusal> {
        match self.slots.take(organisation).await {
            Ok(slot) => self.at(slot, job).await,
            Err(error) => Err(Refusal::Unexpected(error.to_string())),
        }
    }

    /// Like [`run_when_free`](Self::run_when_free), without a time limit for the job. It ends even if the caller does not
    /// wait.
    ///
    /// # Errors
    /// The job's refusal; [`Refusal::Unexpected`] if it panicked.
    pub(crate) async fn run_to_end<T: Send + 'static>(
        &self,
        organisation: Option<i64>,
        job: impl FnOnce() -> Result<T, Refusal> + Send + 'static,
    ) -> Result<T, Refusal> {
        match self.slots.take(organisation).await {
            Ok(slot) => self.spawned(slot, job)?.await.unwrap_or_else(panicked),
            Err(error) => Err(Refusal::Unexpected(error.to_string())),
        }
    }

    async fn at<T: Send + 'static>(
        &self,
        slot: Slot,
        job: impl FnOnce() -> Result<T, Refusal> + Send + 'static,
    ) -> Result<T, Refusal> {
        let done = self.spawned(slot, job)?;
        timeout(SILENCE, done).await.map_err(|_| silent())?.unwrap_or_else(panicked)
    }

    fn spawned<T: Send + 'static>(
        &self,
        slot: Slot,
        job: impl FnOnce() -> Result<T, Refusal> + Send + 'static,
    ) -> Result<JoinHandle<Result<T, Refusal>>, Refusal> {
        let job = move || {
            let _slot = slot;
            job()
        };
        let ended = || Refusal::Unexpected("the threads for blocking jobs have ended".into());
        Ok(self.threads.as_ref().ok_or_else(ended)?.spawn_blocking(job))
    }
}

fn panicked<T>(_: JoinError) -> Result<T, Refusal> {
    Err(Refusal::Unexpected("a blocking job panicked".into()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::FutureExt;
    use std::sync::mpsc;

    #[actix_web::test]
    async fn without_a_slot_a_job_is_refused() {
        let blocking = Blocking::new("jobs", 1, 1, Duration::ZERO).unwrap();
        let (finish, finished) = mpsc::channel::<()>();
        let (begin, begun) = tokio::sync::oneshot::channel::<()>();
        let long = blocking.run(None, move || {
            let _ = begin.send(());
            finished.recv().map_err(|e| Refusal::Unexpected(e.to_string()))
        });
        let meanwhile = async {
            begun.await.unwrap();
            let refused = blocking.run(None, || Ok(())).await;
            assert!(matches!(refused, Err(Refusal::Unavailable(_))));
            let mut patient = std::pin::pin!(blocking.run_when_free(None, || Ok(())));
            assert!(futures_util::poll!(patient.as_mut()).is_pending());
            finish.send(()).unwrap();
            patient.await
        };
        let (long, patient) = futures_util::join!(long, meanwhile);
        assert!(long.is_ok() && patient.is_ok());
        assert!(blocking.run(None, || Ok(())).await.is_ok());
    }

    /// Failure 17: an organisation whose jobs take long leaves half of the slots to the others.
    #[actix_web::test]
    async fn one_organisation_has_at_most_its_share_of_slots() {
        let slots = Slots::new(4, 2);
        let now = async |organisation| slots.take(organisation).now_or_never();
        let (_first, second) = (now(Some(1)).await.unwrap(), now(Some(1)).await.unwrap());
        let mut third = std::pin::pin!(slots.take(Some(1)));
        assert!(futures_util::poll!(third.as_mut()).is_pending());
        let others = [now(Some(2)).await, now(None).await];
        assert!(others.iter().all(Option::is_some), "a job that waits for its share holds no slot");
        assert!(now(None).await.is_none(), "the total is limited as well");
        drop(second);
        assert!(futures_util::poll!(third.as_mut()).is_ready());
    }

    #[actix_web::test]
    async fn a_panic_is_an_unexpected_refusal_and_frees_the_slot() {
        let blocking = Blocking::new("jobs", 1, 1, Duration::ZERO).unwrap();
        let refused = blocking.run(None, || -> Result<(), Refusal> { panic!("on purpose") }).await;
        assert!(matches!(refused, Err(Refusal::Unexpected(_))));
        assert!(blocking.run(None, || Ok(())).await.is_ok());
    }
}
