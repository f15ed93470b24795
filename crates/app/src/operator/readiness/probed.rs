use super::Services;
use chrono::{DateTime, Utc};
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// An organisation, and true if its vendors were asked as well.
type Key = (i64, bool);

/// The last answers of services, so that a page that many look at does not ask them each time.
#[derive(Debug, Default)]
pub(crate) struct Probed(Mutex<HashMap<Key, (DateTime<Utc>, Services)>>);

impl Probed {
    /// Returns answers that are not older than a time.
    pub(super) fn get(&self, key: &Key, since: DateTime<Utc>) -> Option<Services> {
        let answers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        answers.get(key).filter(|(at, _)| *at >= since).map(|(_, services)| services.clone())
    }

    /// Keeps answers.
    pub(super) fn keep(&self, key: Key, at: DateTime<Utc>, services: Services) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(key, (at, services));
    }
}
