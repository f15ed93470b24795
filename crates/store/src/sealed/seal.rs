use crate::error::OpenError;
use cutover_app::port::{Encryption, StoreError};
use std::collections::{BTreeMap, BTreeSet};

/// The tables that have sealed values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum SealedTable {
    /// Accepted payloads of processes.
    Payloads,
    /// Payloads of previous attempts of processes.
    PreviousAttempts,
    /// Cards and bank accounts of imported payloads.
    PaymentInstructions,
    /// Vendors' details of instructions that were added to accounts.
    AccountInstructions,
    /// Vendors' details of instructions that were added to businesses.
    BusinessInstructions,
    /// Secrets that sign access tokens.
    SigningKeys,
    /// Private keys that sign certificates.
    CertificateKeys,
    /// The key that the words of accounts are hashed with.
    SearchKeys,
    /// Secrets that sign deliveries of webhooks.
    WebhookSecrets,
}

impl SealedTable {
    /// All tables.
    pub const ALL: [Self; 9] = [
        Self::Payloads,
        Self::PreviousAttempts,
        Self::PaymentInstructions,
        Self::AccountInstructions,
        Self::BusinessInstructions,
        Self::SigningKeys,
        Self::CertificateKeys,
        Self::SearchKeys,
        Self::WebhookSecrets,
    ];

    /// Returns true for tables of keys, which have few rows, found by a name.
    pub(crate) fn is_of_keys(self) -> bool {
        matches!(self, Self::SigningKeys | Self::CertificateKeys | Self::SearchKeys)
    }

    /// Returns its name in the database.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Payloads => "payloads",
            Self::PreviousAttempts => "previous_attempts",
            Self::PaymentInstructions => "payment_instructions",
            Self::AccountInstructions => "account_instructions",
            Self::BusinessInstructions => "business_instructions",
            Self::SigningKeys => "signing_keys",
            Self::CertificateKeys => "certificate_keys",
            Self::SearchKeys => "search_keys",
            Self::WebhookSecrets => "webhook_secrets",
        }
    }
}

/// State of a stored value.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Seal {
    /// Unsealed: anybody with the database can read it.
    Open,
    /// Sealed with the key of this name.
    Key(String, KeyState),
    /// Sealed in a format that this version does not know.
    Unknown,
}

/// Use of a key by this process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum KeyState {
    /// It seals and opens with the key.
    Seals,
    /// It only opens with the key.
    Opens,
    /// The operator has marked the key as lost.
    Lost,
    /// The process does not have it.
    Missing,
    /// The process has another key of this name.
    Wrong,
}

/// States of the stored values of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seals {
    /// The table.
    pub table: SealedTable,
    /// Number of checked values in each state.
    pub found: BTreeMap<Seal, u64>,
    /// True if all values were checked.
    pub is_all: bool,
}

/// Result of sealing the values of a table again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resealed {
    /// The table.
    pub table: SealedTable,
    /// Number of values that were sealed.
    pub sealed: u64,
    /// Number of values that the first key had sealed before.
    pub fresh: u64,
    /// Number of values that others replaced or removed meanwhile.
    pub changed: u64,
    /// Number of values in each state that were left because they cannot be opened.
    pub left: BTreeMap<Seal, u64>,
}

impl Resealed {
    pub(crate) fn of(table: SealedTable) -> Self {
        Self { table, sealed: 0, fresh: 0, changed: 0, left: BTreeMap::new() }
    }
}

/// The reason why sealing again stopped. The batches before it stay sealed.
#[derive(Debug, thiserror::Error)]
pub enum ResealError {
    /// The database could not be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The database failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Summarises the states of stored values.
pub(crate) fn encryption_of(tables: &[Seals], is_configured: bool) -> Encryption {
    let seals = || tables.iter().flat_map(|seals| seals.found.keys());
    let names = |of: &[KeyState]| {
        let named = seals().filter_map(|seal| match seal {
            Seal::Key(name, state) if of.contains(state) => Some(name.clone()),
            _ => None,
        });
        named.collect::<BTreeSet<String>>().into_iter().collect()
    };
    Encryption {
        is_configured,
        has_open_values: seals().any(|seal| *seal == Seal::Open),
        used: names(&[KeyState::Seals, KeyState::Opens]),
        missing: names(&[KeyState::Missing, KeyState::Wrong]),
        has_unknown_values: seals().any(|seal| *seal == Seal::Unknown),
    }
}
