use crate::request::Kind;
use cutover_model::rust_decimal::Decimal;
use cutover_model::{RowCounts, Totals};
use serde::{Deserialize, Serialize};

/// Result of an account in a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Outcome {
    /// The service stored it: 201.
    Accepted,
    /// The service already had it: it is imported.
    AlreadyThere,
    /// The service refused it.
    Refused,
    /// The service failed at it repeatedly; the next run sends it again.
    Failed,
    /// It was being imported, which may still end otherwise; the next run sends it again.
    InProgress,
    /// It breaks the rules and was not sent.
    Faulty,
}

impl Outcome {
    /// True if the service has the account.
    pub(crate) fn is_stored(self) -> bool {
        matches!(self, Self::Accepted | Self::AlreadyThere)
    }
}

/// Path and code of a fault in an account; never a value of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Problem {
    /// Path in the account.
    pub(crate) attr: String,
    /// Stable code.
    #[serde(deserialize_with = "crate::service::read_code")]
    pub(crate) code: String,
}

/// Control totals of an account without rows (contract D12). The balance is text, so that its digits are kept.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct Sums {
    pub(crate) ledger_balance: String,
    pub(crate) readings: u64,
    pub(crate) transactions: u64,
    pub(crate) documents: u64,
}

impl From<Totals> for Sums {
    fn from(totals: Totals) -> Self {
        let Totals { ledger_balance, readings, transactions, documents, .. } = totals;
        Self { ledger_balance: ledger_balance.to_string(), readings, transactions, documents }
    }
}

impl Sums {
    /// Converts to the totals of one account; `None` if the balance is not a number.
    pub(crate) fn totals(&self) -> Option<Totals> {
        Some(Totals {
            accounts: 1,
            ledger_balance: Decimal::from_str_exact(&self.ledger_balance).ok()?,
            readings: self.readings,
            transactions: self.transactions,
            documents: self.documents,
            ..Totals::default()
        })
    }
}

/// Control totals of the accounts that the service has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct StoredTotals {
    pub(crate) totals: Totals,
    /// True if the totals of an account are not known.
    pub(crate) is_incomplete: bool,
}

impl StoredTotals {
    pub(crate) fn add(&mut self, account: Option<Totals>) {
        // The journal has no rows.
        let account = account.map(|account| Totals { rows: RowCounts::default(), ..account });
        match account.and_then(|account| self.totals.checked_add(account)) {
            Some(totals) => self.totals = totals,
            None => self.is_incomplete = true,
        }
    }
}

/// A record of the journal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Record {
    /// Input and line of the account.
    pub(crate) file: String,
    pub(crate) line: u32,
    /// What it is, if not an account.
    #[serde(default, skip_serializing_if = "Kind::is_account")]
    pub(crate) request: Kind,
    /// Supplier and account number in the account, or the identifier of the business.
    pub(crate) import_supplier: Option<String>,
    pub(crate) external_account_number: Option<String>,
    /// First 8 bytes of the BLAKE3 hash of its bytes, in hexadecimal.
    pub(crate) fingerprint: String,
    pub(crate) outcome: Outcome,
    /// HTTP status of the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) status: Option<u16>,
    /// Reasons why it was not taken.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) errors: Vec<Problem>,
    /// Its control totals, if the service has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) totals: Option<Sums>,
}
