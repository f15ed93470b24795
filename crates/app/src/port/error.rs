/// Failure of the store.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// The database cannot be reached. A retry may succeed.
    #[error("the database is not available: {0}")]
    Unavailable(String),
    /// The disk of the database is full, or fails. Most reads succeed, and a retry may.
    #[error("the database cannot store anything: {0}")]
    Unwritable(String),
    /// The database answers, but only reads, like a server that has become a standby. A retry may succeed.
    #[error("the database is read-only: {0}")]
    ReadOnly(String),
    /// A statement, a lock or a connection took too long. A retry may succeed, or a part of the work where
    /// the whole did not.
    #[error("the database is busy: {0}")]
    Busy(String),
    /// A row that no version of this program can have written.
    #[error("the database holds corrupt data: {0}")]
    Corrupt(String),
    /// A value is encrypted with a key that this process lacks. Another process may have the key.
    #[error("a value in the database is sealed with the encryption key {0}, which this process lacks")]
    KeyMissing(String),
    /// A concurrent write, or a unique value that is taken. The caller has to read and decide again.
    #[error("the database refused the write: {0}")]
    Conflict(String),
    /// A statement failed, and a retry would fail as well.
    #[error("the database failed: {0}")]
    Failed(String),
}

impl StoreError {
    /// Returns true if the same call may succeed later.
    pub fn is_passing(&self) -> bool {
        self.is_outage() || matches!(self, Self::Busy(_))
    }

    /// Returns true if the database, or its disk, is not usable now, so that nothing else can be written either.
    pub fn is_outage(&self) -> bool {
        matches!(self, Self::Unavailable(_)) || self.refuses_writes()
    }

    /// Returns true if the database answers and stores nothing.
    pub fn refuses_writes(&self) -> bool {
        matches!(self, Self::Unwritable(_) | Self::ReadOnly(_))
    }
}
