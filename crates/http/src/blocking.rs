use crate::refusal::Refusal;
use std::io;
use std::sync::Arc;
use std::time::Duration;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

/// How long a use case may take before its client is told to come again: longer than a statement may by default. A
/// database that has taken a question and says nothing, on a connection that nobody closes, would have it wait for ever.
pub(crate) const SILENCE: Duration = Duration::from_secs(20);

/// What a client is told that has waited so long.
pub(crate) fn silent() -> Refusal {
    Refusal::Unavailable("the store did not answer in time".into())
}

/// One of these places, to be held for as long as it is used.
///
/// # Errors
/// [`Refusal::Unavailable`] if there was none in time.
pub(crate) async fn place(
    places: &Arc<Semaphore>,
    patience: Duration,
) -> Result<OwnedSemaphorePermit, Refusal> {
    places_for(places, 1, patience).await
}

/// The same for what takes several.
///
/// # Errors
/// [`Refusal::Unavailable`] if there were not as many in time.
pub(crate) async fn places_for(
    places: &Arc<Semaphore>,
    count: u32,
    patience: Duration,
) -> Result<OwnedSemaphorePermit, Refusal> {
    match timeout(patience, places.clone().acquire_many_owned(count)).await {
        Ok(Ok(place)) => Ok(place),
        _ => Err(Refusal::Unavailable("no place for a job in time".into())),
    }
}

/// Runs what blocks off the event loops: a bounded number at a time, on as many threads, and nobody waits long for a
/// place. The event loops have threads for it too, but each its own, and each thread keeps some memory.
pub(crate) struct Blocking {
    places: Arc<Semaphore>,
    patience: Duration,
    /// Only its threads that may block are used; none of them waits to be joined.
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
    /// So many jobs at a time; one that waits longer for a place is refused.
    ///
    /// # Errors
    /// If the system has nothing left for it.
    pub(crate) fn new(name: &str, places: usize, patience: Duration) -> io::Result<Self> {
        let threads = Builder::new_current_thread().max_blocking_threads(places).thread_name(name).build()?;
        Ok(Self { places: Arc::new(Semaphore::new(places)), patience, threads: Some(threads) })
    }

    /// Runs a job. It runs to its end even if nobody waits for it any more, and keeps its place until then.
    ///
    /// # Errors
    /// Of the job; [`Refusal::Unavailable`] if there was no place in time, or it takes too long; [`Refusal::Unexpected`]
    /// if it panicked.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        job: impl FnOnce() -> Result<T, Refusal> + Send + 'static,
    ) -> Result<T, Refusal> {
        self.at(place(&self.places, self.patience).await?, job).await
    }

    /// The same for a part of an answer that has begun: it waits for its turn as long as that takes, for it
    /// can be refused no more.
    ///
    /// # Errors
    /// Of the job; [`Refusal::Unexpected`] if it panicked.
    pub(crate) async fn run_in_turn<T: Send + 'static>(
        &self,
        job: impl FnOnce() -> Result<T, Refusal> + Send + 'static,
    ) -> Result<T, Refusal> {
        match self.places.clone().acquire_owned().await {
            Ok(place) => self.at(place, job).await,
            Err(error) => Err(Refusal::Unexpected(error.to_string())),
        }
    }

    async fn at<T: Send + 'static>(
        &self,
        place: OwnedSemaphorePermit,
        job: impl FnOnce() -> Result<T, Refusal> + Send + 'static,
    ) -> Result<T, Refusal> {
        let job = move || {
            let _place = place;
            job()
        };
        let ended = || Refusal::Unexpected("the threads for blocking jobs have ended".into());
        let done = self.threads.as_ref().ok_or_else(ended)?.spawn_blocking(job);
        let panicked = |_| Err(Refusal::Unexpected("a blocking job panicked".into()));
        timeout(SILENCE, done).await.map_err(|_| silent())?.unwrap_or_else(panicked)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;

    #[actix_web::test]
    async fn without_a_place_a_job_is_refused() {
        let blocking = Blocking::new("jobs", 1, Duration::ZERO).unwrap();
        let (finish, finished) = mpsc::channel::<()>();
        let (begin, begun) = tokio::sync::oneshot::channel::<()>();
        let long = blocking.run(move || {
            let _ = begin.send(());
            finished.recv().map_err(|e| Refusal::Unexpected(e.to_string()))
        });
        let meanwhile = async {
            begun.await.unwrap();
            let refused = blocking.run(|| Ok(())).await;
            assert!(matches!(refused, Err(Refusal::Unavailable(_))));
            let mut patient = std::pin::pin!(blocking.run_in_turn(|| Ok(())));
            assert!(futures_util::poll!(patient.as_mut()).is_pending());
            finish.send(()).unwrap();
            patient.await
        };
        let (long, patient) = futures_util::join!(long, meanwhile);
        assert!(long.is_ok() && patient.is_ok());
        assert!(blocking.run(|| Ok(())).await.is_ok());
    }

    #[actix_web::test]
    async fn a_panic_is_an_unexpected_refusal_and_frees_the_place() {
        let blocking = Blocking::new("jobs", 1, Duration::ZERO).unwrap();
        let refused = blocking.run(|| -> Result<(), Refusal> { panic!("on purpose") }).await;
        assert!(matches!(refused, Err(Refusal::Unexpected(_))));
        assert!(blocking.run(|| Ok(())).await.is_ok());
    }
}
