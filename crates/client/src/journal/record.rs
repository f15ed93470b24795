use cutover_model::Totals;
use cutover_model::rust_decimal::Decimal;
use serde::{Deserialize, Serialize};

/// What became of an account that was met.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Outcome {
    /// The service has it, durably: 201.
    Accepted,
    /// The service had it: it is imported, or being imported.
    AlreadyThere,
    /// The service does not take it as it is.
    Refused,
    /// The service failed at it again and again; it is sent anew by the next run.
    Failed,
    /// It was being imported, and may yet end otherwise; it is sent anew by the next run.
    InProgress,
    /// It was not sent: it is faulty by the rules.
    Faulty,
}

impl Outcome {
    /// Whether the service has the account.
    pub(crate) fn is_there(self) -> bool {
        matches!(self, Self::Accepted | Self::AlreadyThere)
    }
}

/// Where an account was found wrong, and how; never a value of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Problem {
    /// The path in the account.
    pub(crate) attr: String,
    /// The stable code.
    #[serde(deserialize_with = "crate::service::read_code")]
    pub(crate) code: String,
}

/// What an account comes to (contract D12); the balance with its digits, as text.
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
    /// The totals of one account; `None` if the balance is no number.
    pub(crate) fn totals(&self) -> Option<Totals> {
        Some(Totals {
            accounts: 1,
            ledger_balance: Decimal::from_str_exact(&self.ledger_balance).ok()?,
            readings: self.readings,
            transactions: self.transactions,
            documents: self.documents,
        })
    }
}

/// A line of the journal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Record {
    /// The input and the line that it stood in.
    pub(crate) file: String,
    pub(crate) line: u32,
    /// The supplier that it names, and its number there.
    pub(crate) import_supplier: Option<String>,
    pub(crate) external_account_number: Option<String>,
    /// The beginning of the BLAKE3 hash of its bytes, in hexadecimal digits.
    pub(crate) fingerprint: String,
    /// What became of it.
    pub(crate) outcome: Outcome,
    /// The status that the service answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) status: Option<u16>,
    /// Why it was not taken.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) errors: Vec<Problem>,
    /// What it comes to, where the service has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) totals: Option<Sums>,
}
