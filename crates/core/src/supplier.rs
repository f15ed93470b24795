use std::fmt;
use std::str::FromStr;

/// Whether an import supplier takes accounts (contract 2.1). Set by the operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SupplierStatus {
    /// Accepting new accounts.
    Ongoing,
    /// Migrations paused; more accounts expected.
    Paused,
    /// Migrations finished; no more expected. Behaves as `Paused`.
    Complete,
}

impl SupplierStatus {
    /// Every status.
    pub const ALL: [Self; 3] = [Self::Ongoing, Self::Paused, Self::Complete];

    /// The contract's word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Ongoing => "Ongoing",
            Self::Paused => "Paused",
            Self::Complete => "Complete",
        }
    }
}

impl fmt::Display for SupplierStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl AsRef<str> for SupplierStatus {
    fn as_ref(&self) -> &str {
        self.as_str()
    }
}

/// The word names no supplier status.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a supplier status is ongoing, paused or complete, not {0:?}")]
pub struct InvalidStatus(String);

impl FromStr for SupplierStatus {
    type Err = InvalidStatus;

    /// Reads the word in any case.
    fn from_str(word: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|s| s.as_str().eq_ignore_ascii_case(word))
            .ok_or_else(|| InvalidStatus(word.to_owned()))
    }
}
