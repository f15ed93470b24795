use chrono::{DateTime, Duration, Utc};

/// Maximum number of attempts of a submission. The claim counts them, so that a payload that kills its worker
/// ends too (contract D6). An attempt that an outage ended does not count: outages are bounded by time
/// instead.
pub const MAX_ATTEMPTS: u32 = 8;

/// Default time for which an outage is retried (contract D6).
pub const RETRY_TIME: Duration = Duration::hours(24);

/// If a process was due for longer than this before it was claimed, its supplier was paused or no worker ran,
/// and the wait does not count as outage.
pub const IDLE: Duration = Duration::hours(1);

/// Duration of a lease: a claim expires if its worker does not renew it in time.
pub const LEASE: Duration = Duration::seconds(30);

/// Interval of the sweep for expired leases.
pub const SWEEP: Duration = Duration::seconds(5);

/// The longest wait before another attempt.
pub const BACKOFF_CAP: Duration = Duration::minutes(5);

/// The reason why an attempt failed without a verdict on the account.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Failure {
    /// Document storage or database could not be reached, or did not answer in time.
    Outage,
    /// The import failed by a fault of ours, for example a row that cannot be read.
    Defect,
    /// The import panicked; its worker survived.
    Panic,
    /// The lease ran out.
    WorkerLost,
}

/// The current outage of a process: consecutive attempts failed by outages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Outage {
    /// Time at which the first of these attempts failed, moved forward by idle time ([`IDLE`]).
    pub since: DateTime<Utc>,
    /// Number of attempts that have failed since.
    pub tries: u32,
}

impl Outage {
    /// The outage after another failed attempt.
    pub(crate) fn after_failure(before: Option<Self>, at: DateTime<Utc>) -> Self {
        let since = before.map_or(at, |outage| outage.since.min(at));
        Self { since, tries: before.map_or(0, |outage| outage.tries).saturating_add(1) }
    }

    /// The outage of a process that was due at `due_at` and is claimed at `at`.
    pub(crate) fn at_claim(self, due_at: DateTime<Utc>, at: DateTime<Utc>) -> Self {
        let waited = at - due_at;
        let since = self.since.checked_add_signed(waited).filter(|_| waited > IDLE);
        Self { since: since.unwrap_or(self.since), ..self }
    }
}

/// The wait after failed attempt number `attempt`, counted from 1. Its bound is one second after the first
/// attempt and doubles with each further one, up to [`BACKOFF_CAP`].
///
/// `jitter` is any random number. The wait is spread evenly over the upper half of the bound, so that
/// processes that failed together are not retried together.
pub fn backoff(attempt: u32, jitter: u64) -> Duration {
    let cap = BACKOFF_CAP.num_milliseconds();
    let doublings = attempt.saturating_sub(1).min(20);
    let bound = (1_000_i64 << doublings).min(cap);
    let half = bound / 2;
    let spread = i64::try_from(jitter % (half.unsigned_abs() + 1)).unwrap_or(half);
    Duration::milliseconds(half + spread)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The bound of the wait after an attempt: twice the wait without jitter.
    fn bound(attempt: u32) -> i64 {
        2 * backoff(attempt, 0).num_milliseconds()
    }

    #[test]
    fn the_bound_doubles_up_to_the_cap() {
        let bounds: Vec<_> = (1..=11).map(|attempt| bound(attempt) / 1_000).collect();
        assert_eq!(bounds, [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300]);
        assert_eq!(bound(u32::MAX), 300_000);
        assert_eq!(bound(0), 1_000);
    }

    #[test]
    fn all_attempts_together_outlast_a_minute_of_outage() {
        let shortest: i64 = (1..MAX_ATTEMPTS).map(|attempt| backoff(attempt, 0).num_milliseconds()).sum();
        assert!(shortest > 60_000, "{shortest} ms");
    }

    proptest! {
        #[test]
        fn waits_stay_in_the_upper_half_of_their_bound(attempt: u32, jitter: u64) {
            let wait = backoff(attempt, jitter).num_milliseconds();
            prop_assert!(bound(attempt) / 2 <= wait && wait <= bound(attempt));
            prop_assert!(wait <= BACKOFF_CAP.num_milliseconds());
            prop_assert!(bound(attempt) <= bound(attempt.saturating_add(1)));
        }

        #[test]
        fn jitter_reaches_every_wait(attempt in 1..=MAX_ATTEMPTS, part in 0_i64..=1_000) {
            let half = bound(attempt) / 2;
            let spread = half * part / 1_000;
            let jitter = u64::try_from(spread).unwrap();
            prop_assert_eq!(backoff(attempt, jitter).num_milliseconds(), half + spread);
        }
    }
}
