use super::Fault;
use backon::{BackoffBuilder, ExponentialBackoff, ExponentialBuilder};
use std::time::{Duration, Instant};

/// The first wait, and the longest, where the service says nothing.
const WAITS: (Duration, Duration) = (Duration::from_millis(200), Duration::from_secs(15));

/// How long passing faults are put up with.
#[derive(Debug)]
pub(crate) struct Patience {
    limit: Duration,
    waits: ExponentialBackoff,
    /// Since when nothing has gone well.
    since: Option<Instant>,
}

impl Patience {
    /// So long from the first fault on.
    pub(crate) fn new(limit: Duration) -> Self {
        Self { limit, waits: waits(), since: None }
    }

    /// Something went well: it begins anew.
    pub(crate) fn restore(&mut self) {
        if self.since.take().is_some() {
            self.waits = waits();
        }
    }

    /// Something went well at that time, be it elsewhere.
    pub(crate) fn heard(&mut self, at: Instant) {
        if self.since.is_some_and(|since| at > since) {
            self.restore();
        }
    }

    /// How long to wait before the next try.
    ///
    /// # Errors
    /// The fault, if it lasts or the patience is at its end.
    pub(crate) fn bear(&mut self, fault: Fault) -> Result<Duration, Fault> {
        let Fault::Passing { why, after } = fault else { return Err(fault) };
        let since = *self.since.get_or_insert_with(Instant::now);
        let wait = self.waits.next().unwrap_or(WAITS.1).max(after.unwrap_or_default());
        // What is asked for may be longer than what is left: who asks for much may need less.
        match self.limit.saturating_sub(since.elapsed()) {
            Duration::ZERO => Err(Fault::lasting(why)),
            left => Ok(wait.min(left)),
        }
    }

    /// Does something until it goes well or the patience is at its end.
    ///
    /// # Errors
    /// The last fault.
    pub(crate) async fn with<T>(
        mut self,
        mut what: impl AsyncFnMut() -> Result<T, Fault>,
    ) -> Result<T, Fault> {
        loop {
            match what().await {
                Ok(done) => return Ok(done),
                Err(fault) => tokio::time::sleep(self.bear(fault)?).await,
            }
        }
    }
}

/// Each about twice the one before, and not the same for everybody.
fn waits() -> ExponentialBackoff {
    let builder = ExponentialBuilder::default().with_min_delay(WAITS.0).with_max_delay(WAITS.1);
    builder.without_max_times().with_jitter().build()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_grow_up_to_a_bound_and_what_is_said_counts() {
        let mut patience = Patience::new(Duration::from_secs(3_600));
        let waits: Vec<Duration> = (0..12).map(|_| patience.bear(Fault::passing("x")).unwrap()).collect();
        assert!(waits[0] >= WAITS.0 && waits[0] <= 2 * WAITS.0, "{waits:?}");
        assert!(waits[11] >= WAITS.1 && waits[11] <= 2 * WAITS.1, "{waits:?}");
        patience.restore();
        assert!(patience.bear(Fault::passing("x")).unwrap() <= 2 * WAITS.0);
        let said = Fault::Passing { why: "x".into(), after: Some(Duration::from_secs(90)) };
        assert_eq!(patience.bear(said), Ok(Duration::from_secs(90)));
    }

    #[test]
    fn what_went_well_elsewhere_counts() {
        let (mut patience, before) = (Patience::new(Duration::from_secs(60)), Instant::now());
        patience.bear(Fault::passing("x")).unwrap();
        let since = patience.since.unwrap();
        patience.heard(before.min(since));
        assert_eq!(patience.since, Some(since));
        patience.heard(since + Duration::from_millis(1));
        assert_eq!(patience.since, None);
    }

    #[test]
    fn it_has_an_end() {
        let mut patience = Patience::new(Duration::from_secs(1));
        assert_eq!(patience.bear(Fault::lasting("no")), Err(Fault::lasting("no")));
        let long = Fault::Passing { why: "too much".into(), after: Some(Duration::from_secs(2)) };
        let wait = patience.bear(long.clone()).unwrap();
        assert!(wait <= Duration::from_secs(1) && wait > Duration::from_millis(500), "{wait:?}");
        let mut none = Patience::new(Duration::ZERO);
        assert_eq!(none.bear(long), Err(Fault::lasting("too much")));
    }
}
