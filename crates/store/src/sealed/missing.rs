use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How long a key counts as missing after it was needed: longer than a worker waits until it claims again what it could
/// not open.
const REMEMBERED: Duration = Duration::from_secs(60);

/// The keys that were needed and not there, by their names, with when that was.
#[derive(Debug, Default)]
pub(super) struct MissingKeys(Mutex<BTreeMap<String, Instant>>);

impl MissingKeys {
    pub(super) fn note(&self, name: &str) {
        let mut seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        seen.retain(|_, at| at.elapsed() < REMEMBERED);
        seen.insert(name.to_owned(), Instant::now());
    }

    /// Those that were needed lately.
    pub(super) fn names(&self) -> Vec<String> {
        let seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let lately = seen.iter().filter(|(_, at)| at.elapsed() < REMEMBERED);
        lately.map(|(name, _)| name.clone()).collect()
    }
}
