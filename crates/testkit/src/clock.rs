use chrono::{DateTime, Duration, Utc};
use cutover_app::port::Clock;
use std::sync::{Mutex, PoisonError};

/// A clock that stands still until it is set.
#[derive(Debug)]
pub struct FakeClock(Mutex<DateTime<Utc>>);

impl FakeClock {
    /// Returns a clock at this instant.
    pub fn new(now: DateTime<Utc>) -> Self {
        Self(Mutex::new(now))
    }

    /// The clock of the fixtures: 21 November 2026, 02:00 UTC.
    pub fn of_fixtures() -> Self {
        Self::new(DateTime::from_timestamp(1_795_226_400, 0).unwrap_or_default())
    }

    /// Sets the clock.
    pub fn set(&self, now: DateTime<Utc>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = now;
    }

    /// Moves the clock forward, or back by a negative duration.
    pub fn advance(&self, by: Duration) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) += by;
    }
}

impl Clock for FakeClock {
    fn now(&self) -> DateTime<Utc> {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_shows_what_it_is_set_to() {
        let clock = FakeClock::of_fixtures();
        assert_eq!(clock.now().to_rfc3339(), "2026-11-21T02:00:00+00:00");
        clock.advance(Duration::hours(-1));
        assert_eq!(clock.now().to_rfc3339(), "2026-11-21T01:00:00+00:00");
        clock.set(DateTime::UNIX_EPOCH);
        assert_eq!(clock.now(), DateTime::UNIX_EPOCH);
    }
}
