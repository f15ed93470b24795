use crate::error::OpenError;
use cutover_app::port::StoreError;
use std::collections::BTreeMap;

/// The tables that have sealed values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum SealedTable {
    /// The accepted bytes of processes.
    Payloads,
    /// Cards and bank accounts of imported payloads.
    PaymentInstructions,
    /// What vendors show of instructions that were added to accounts.
    AccountInstructions,
    /// What vendors show of instructions that were added to businesses.
    BusinessInstructions,
    /// The secrets that access tokens are signed with.
    SigningKeys,
}

impl SealedTable {
    /// All of them.
    pub const ALL: [Self; 5] = [
        Self::Payloads,
        Self::PaymentInstructions,
        Self::AccountInstructions,
        Self::BusinessInstructions,
        Self::SigningKeys,
    ];

    /// Its name in the database.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Payloads => "payloads",
            Self::PaymentInstructions => "payment_instructions",
            Self::AccountInstructions => "account_instructions",
            Self::BusinessInstructions => "business_instructions",
            Self::SigningKeys => "signing_keys",
        }
    }
}

/// How a value lies in the database.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Seal {
    /// Open: whoever has the database reads it.
    Open,
    /// Sealed with the key of this name.
    Key(String, KeyState),
    /// Sealed in a form that this version does not know.
    Unknown,
}

/// What a process can do with a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum KeyState {
    /// It seals with it, and opens.
    Seals,
    /// It only opens with it.
    Opens,
    /// It is said to be lost.
    Lost,
    /// The process does not have it.
    Missing,
    /// The process has another key of this name.
    Wrong,
}

/// How the values of a table lie in the database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seals {
    /// The table.
    pub table: SealedTable,
    /// How many lie how, of those that were looked at.
    pub found: BTreeMap<Seal, u64>,
    /// Whether those are all there are.
    pub is_all: bool,
}

/// What sealing the values of a table anew came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resealed {
    /// The table.
    pub table: SealedTable,
    /// How many were sealed.
    pub sealed: u64,
    /// How many were sealed with the first key before.
    pub fresh: u64,
    /// How many were replaced or removed by others at that moment.
    pub changed: u64,
    /// How many stay as they are, for they cannot be opened.
    pub left: BTreeMap<Seal, u64>,
}

impl Resealed {
    pub(crate) fn of(table: SealedTable) -> Self {
        Self { table, sealed: 0, fresh: 0, changed: 0, left: BTreeMap::new() }
    }
}

/// Why sealing anew stopped. What was sealed before is.
#[derive(Debug, thiserror::Error)]
pub enum ResealError {
    /// The database could not be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// It failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}
