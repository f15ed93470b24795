use crate::refusal::Refusal;
use actix_web::web;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Semaphore;
use tokio::time::timeout;

/// Runs what blocks off the event loops: a bounded number at a time, and nobody waits long for a place.
pub(crate) struct Blocking {
    places: Arc<Semaphore>,
    patience: Duration,
}

impl Blocking {
    /// So many jobs at a time; one that waits longer for a place is refused.
    pub(crate) fn new(places: usize, patience: Duration) -> Self {
        Self { places: Arc::new(Semaphore::new(places)), patience }
    }

    /// Runs a job. It runs to its end even if nobody waits for it any more, and keeps its place until then.
    ///
    /// # Errors
    /// Of the job; [`Refusal::Unavailable`] if there was no place in time; [`Refusal::Unexpected`] if it
    /// panicked.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        job: impl FnOnce() -> Result<T, Refusal> + Send + 'static,
    ) -> Result<T, Refusal> {
        let waiting = timeout(self.patience, self.places.clone().acquire_owned());
        let Ok(Ok(place)) = waiting.await else {
            return Err(Refusal::Unavailable("no place for a blocking job in time".into()));
        };
        let job = move || {
            let _place = place;
            job()
        };
        web::block(job).await.unwrap_or_else(|_| Err(Refusal::Unexpected("a blocking job panicked".into())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;

    #[actix_web::test]
    async fn without_a_place_a_job_is_refused() {
        let blocking = Blocking::new(1, Duration::ZERO);
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
            finish.send(()).unwrap();
        };
        let (long, ()) = futures_util::join!(long, meanwhile);
        assert!(long.is_ok());
        assert!(blocking.run(|| Ok(())).await.is_ok());
    }

    #[actix_web::test]
    async fn a_panic_is_an_unexpected_refusal_and_frees_the_place() {
        let blocking = Blocking::new(1, Duration::ZERO);
        let refused = blocking.run(|| -> Result<(), Refusal> { panic!("on purpose") }).await;
        assert!(matches!(refused, Err(Refusal::Unexpected(_))));
        assert!(blocking.run(|| Ok(())).await.is_ok());
    }
}
