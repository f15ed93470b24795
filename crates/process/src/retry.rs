use chrono::{DateTime, Duration, Utc};

/// The attempts that a submission has. They count at the claim, so a payload that kills its worker
/// comes to an end too (contract D6). An attempt that an outage ended is taken off again: outages
/// are bounded by time instead.
pub const MAX_ATTEMPTS: u32 = 8;

/// How long an outage is retried if the operator does not set it otherwise (contract D6).
pub const RETRY_TIME: Duration = Duration::hours(24);

/// A process that was due for longer than this before it was claimed was not tried meanwhile, because
/// its supplier was paused or no worker ran. That time does not count as outage.
pub const IDLE: Duration = Duration::hours(1);

/// How long a claim holds without a sign of its worker.
pub const LEASE: Duration = Duration::seconds(30);

/// How often leases that ran out are looked for.
pub const SWEEP: Duration = Duration::seconds(5);

/// The longest wait before another attempt.
pub const BACKOFF_CAP: Duration = Duration::minutes(5);

/// Why an attempt came to nothing without a verdict on the account.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Failure {
    /// Document storage or database could not be reached, or did not answer in time.
    Outage,
    /// The import failed for a reason that is its own, such as a row that cannot be read.
    Defect,
    /// The import panicked; its worker lives.
    Panic,
    /// The lease ran out.
    WorkerLost,
}

/// The outage that a process is in: its attempts have failed by outages since then, one after another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Outage {
    /// When the first of these attempts failed, later by the time in which nobody tried ([`IDLE`]).
    pub since: DateTime<Utc>,
    /// How many attempts failed since.
    pub tries: u32,
}

impl Outage {
    /// The outage after another attempt has failed by it.
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

/// The wait after the failed attempt number `attempt`, counted from 1: a second at most after the
/// first, twice that after each further one, up to [`BACKOFF_CAP`].
///
/// `jitter` is any random number; it places the wait in the upper half of its bound, evenly, so
/// that what failed together does not come back together, nor at once.
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

    /// The longest wait after an attempt: the jitter that equals the half of its bound.
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
