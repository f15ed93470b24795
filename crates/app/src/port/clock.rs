use chrono::{DateTime, Utc};

/// The time. The binary has the system's; tests have one that they set.
pub trait Clock: Send + Sync {
    /// The current instant, in whole microseconds: what the store can hold.
    fn now(&self) -> DateTime<Utc>;
}

/// Randomness fit for keys. The binary has the system's; tests have a seeded one.
pub trait Random: Send + Sync {
    /// Fills the bytes.
    fn fill(&self, bytes: &mut [u8]);

    /// A random number.
    fn number(&self) -> u64 {
        let mut bytes = [0; 8];
        self.fill(&mut bytes);
        u64::from_le_bytes(bytes)
    }
}
