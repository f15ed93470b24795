use super::Fault;
use backon::{BackoffBuilder, ExponentialBackoff, ExponentialBuilder};
use std::time::{Duration, Instant};

/// First and longest wait if the service names none.
const WAITS: (Duration, Duration) = (Duration::from_millis(200), Duration::from_secs(15));

/// Retry schedule for transient faults, limited to a time after the last success.
#[derive(Debug)]
pub(crate) struct Backoff {
    limit: Duration,
    waits: ExponentialBackoff,
    /// Time of the first fault since the last success.
    since: Option<Instant>,
}

impl Backoff {
    /// A schedule that gives up `limit` after the first fault.
    pub(crate) fn new(limit: Duration) -> Self {
        Self { limit, waits: waits(), since: None }
    }

    /// Starts again after a success.
    pub(crate) fn reset(&mut self) {
        if self.since.take().is_some() {
            self.waits = waits();
        }
    }

    /// Starts again if the last success, which may be that of another request, was after the first fault.
    pub(crate) fn succeeded_at(&mut self, at: Instant) {
        if self.since.is_some_and(|since| at > since) {
            self.reset();
        }
    }

    /// Time to wait before the next try.
    ///
    /// # Errors
    /// The fault, if it is permanent or the time limit is reached.
    pub(crate) fn next_wait(&mut self, fault: Fault) -> Result<Duration, Fault> {
        let Fault::Transient { why, after } = fault else { return Err(fault) };
        let since = *self.since.get_or_insert_with(Instant::now);
        let wait = self.waits.next().unwrap_or(WAITS.1).max(after.unwrap_or_default());
        // The wait that the service asks for may exceed the limit, but it may need less.
        match self.limit.saturating_sub(since.elapsed()) {
            Duration::ZERO => Err(Fault::permanent(why)),
            left => Ok(wait.min(left)),
        }
    }

    /// Retries an operation until it succeeds or the time limit is reached.
    ///
    /// # Errors
    /// The last fault.
    pub(crate) async fn run<T>(
        mut self,
        mut operation: impl AsyncFnMut() -> Result<T, Fault>,
    ) -> Result<T, Fault> {
        loop {
            match operation().await {
                Ok(done) => return Ok(done),
                Err(fault) => tokio::time::sleep(self.next_wait(fault)?).await,
            }
        }
    }
}

/// Waits that double each time, with random jitter.
fn waits() -> ExponentialBackoff {
    let builder = ExponentialBuilder::default().with_min_delay(WAITS.0).with_max_delay(WAITS.1);
    builder.without_max_times().with_jitter().build()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_grow_up_to_a_bound_and_the_service_may_name_a_longer_one() {
        let mut backoff = Backoff::new(Duration::from_secs(3_600));
        let waits: Vec<Duration> =
            (0..12).map(|_| backoff.next_wait(Fault::transient("x")).unwrap()).collect();
        assert!(waits[0] >= WAITS.0 && waits[0] <= 2 * WAITS.0, "{waits:?}");
        assert!(waits[11] >= WAITS.1 && waits[11] <= 2 * WAITS.1, "{waits:?}");
        backoff.reset();
        assert!(backoff.next_wait(Fault::transient("x")).unwrap() <= 2 * WAITS.0);
        let said = Fault::Transient { why: "x".into(), after: Some(Duration::from_secs(90)) };
        assert_eq!(backoff.next_wait(said), Ok(Duration::from_secs(90)));
    }

    #[test]
    fn a_success_of_another_request_counts() {
        let (mut backoff, before) = (Backoff::new(Duration::from_secs(60)), Instant::now());
        backoff.next_wait(Fault::transient("x")).unwrap();
        let since = backoff.since.unwrap();
        backoff.succeeded_at(before.min(since));
        assert_eq!(backoff.since, Some(since));
        backoff.succeeded_at(since + Duration::from_millis(1));
        assert_eq!(backoff.since, None);
    }

    #[test]
    fn it_gives_up_after_its_limit() {
        let mut backoff = Backoff::new(Duration::from_secs(3_600));
        assert_eq!(backoff.next_wait(Fault::permanent("no")), Err(Fault::permanent("no")));
        let long = Fault::Transient { why: "too much".into(), after: Some(Duration::from_secs(7_200)) };
        let wait = backoff.next_wait(long.clone()).unwrap();
        assert!(wait <= Duration::from_secs(3_600) && wait > Duration::from_secs(1_800), "{wait:?}");
        let mut none = Backoff::new(Duration::ZERO);
        assert_eq!(none.next_wait(long), Err(Fault::permanent("too much")));
    }
}
