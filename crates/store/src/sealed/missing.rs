use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Time for which a key counts as missing after it was needed. It is longer than a worker waits before it
/// claims a process again whose payload it could not open.
const REMEMBERED: Duration = Duration::from_secs(60);

/// Names of missing keys, with the time at which each was last needed.
#[derive(Debug, Default)]
pub(super) struct MissingKeys(Mutex<BTreeMap<String, Instant>>);

impl MissingKeys {
    pub(super) fn note(&self, name: &str) {
        let mut seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        seen.retain(|_, at| at.elapsed() < REMEMBERED);
        seen.insert(name.to_owned(), Instant::now());
    }

    /// Returns the keys that were needed lately.
    pub(super) fn names(&self) -> Vec<String> {
        let seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let lately = seen.iter().filter(|(_, at)| at.elapsed() < REMEMBERED);
        lately.map(|(name, _)| name.clone()).collect()
    }
}
