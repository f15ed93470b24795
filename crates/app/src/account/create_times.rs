use chrono::{DateTime, TimeDelta, Utc};
use std::sync::{Arc, Mutex, PoisonError};

/// The times of creates of one account that are made one after the other: each is later than the one before, although the
/// clock may stand still or be set back. Clones share them. By default a create has the time of the clock.
#[derive(Debug, Clone, Default)]
pub struct CreateTimes(Option<Arc<Mutex<DateTime<Utc>>>>);

impl CreateTimes {
    /// Returns times for creates of one account.
    pub fn of_account() -> Self {
        Self(Some(Arc::new(Mutex::new(DateTime::<Utc>::MIN_UTC))))
    }

    /// Returns the time of the next create or refusal. `now` is the time of the clock.
    pub(super) fn next(&self, now: DateTime<Utc>) -> DateTime<Utc> {
        let Some(last) = &self.0 else { return now };
        let mut last = last.lock().unwrap_or_else(PoisonError::into_inner);
        // Databases keep microseconds.
        let after = last.checked_add_signed(TimeDelta::microseconds(1)).unwrap_or(now);
        *last = now.max(after);
        *last
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_one_account_only_grow() {
        let at = |ms| DateTime::UNIX_EPOCH + TimeDelta::milliseconds(ms);
        let times = CreateTimes::of_account();
        let given = [5, 5, 3, 9].map(|now| times.clone().next(at(now)));
        let microsecond = TimeDelta::microseconds(1);
        assert_eq!(given, [at(5), at(5) + microsecond, at(5) + microsecond * 2, at(9)]);
        assert_eq!(CreateTimes::default().next(at(3)), at(3));
    }
}
