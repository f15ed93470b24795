use chrono::{DateTime, Utc};

/// A clock. The binary uses the system's, tests one that they set.
pub trait Clock: Send + Sync {
    /// Returns the current instant in whole microseconds, the precision of the store.
    fn now(&self) -> DateTime<Utc>;
}

/// A source of randomness fit for keys. The binary uses the system's, tests a seeded one.
pub trait Random: Send + Sync {
    /// Fills the slice with random bytes.
    fn fill(&self, bytes: &mut [u8]);

    /// Returns a random number.
    fn number(&self) -> u64 {
        let mut bytes = [0; 8];
        self.fill(&mut bytes);
        u64::from_le_bytes(bytes)
    }
}
