//! The files that describe an export: the progress record after each part, and the manifest at the end.

use chrono::{DateTime, Utc};
use cutover_model::Totals;
use cutover_model::rust_decimal::Decimal;
use serde::{Deserialize, Serialize};

/// Name of the record while the export is incomplete.
pub(super) const PROGRESS: &str = "progress.json";
/// Name of the description of the tables.
pub(super) const DICTIONARY: &str = "dictionary.json";
/// Name of the list of everything, which is written last.
pub(super) const MANIFEST: &str = "manifest.json";

/// The options of an export, which stay the same when it goes on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Options {
    pub(super) supplier: String,
    pub(super) format: String,
    /// `full`, `without` or `masked`.
    pub(super) personal: String,
    /// The event after which accounts must have changed.
    pub(super) after: Option<String>,
}

/// The progress record. It is replaced after each part, and removed at the end.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Progress {
    pub(super) export: u8,
    #[serde(flatten)]
    pub(super) options: Options,
    pub(super) created_at: DateTime<Utc>,
    /// The last event before the first account was read.
    pub(super) events_after: String,
    /// The key of replacements in hexadecimal digits, if personal values are masked.
    pub(super) mask_key: Option<String>,
    pub(super) reached: Reached,
    /// Number of parts so far.
    pub(super) parts: u32,
    pub(super) tables: Vec<TableFiles>,
    pub(super) totals: Counted,
}

/// The last account that is in a part.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Reached {
    /// None yet.
    Nothing,
    /// In the order of imports: the time and the store's key.
    Import(DateTime<Utc>, i64),
    /// In the order of numbers.
    Number(String),
}

/// The parts of a table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct TableFiles {
    pub(super) table: String,
    pub(super) rows: u64,
    pub(super) parts: Vec<Part>,
}

/// A file with rows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Part {
    pub(super) file: String,
    pub(super) rows: u64,
    pub(super) bytes: u64,
    pub(super) sha256: String,
}

/// The control totals of the exported accounts (contract D12), as decimals in strings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Counted {
    pub(super) accounts: u64,
    pub(super) ledger_balance: String,
    pub(super) readings: u64,
    pub(super) transactions: u64,
    pub(super) documents: u64,
}

impl Default for Counted {
    fn default() -> Self {
        Self::from(Totals::default())
    }
}

impl From<Totals> for Counted {
    fn from(totals: Totals) -> Self {
        let Totals { accounts, ledger_balance, readings, transactions, documents, .. } = totals;
        let mut balance = ledger_balance.normalize();
        balance.rescale(balance.scale().max(2));
        Self { accounts, ledger_balance: balance.to_string(), readings, transactions, documents }
    }
}

impl Counted {
    /// The totals; `None` if the balance is no decimal.
    pub(super) fn totals(&self) -> Option<Totals> {
        let Self { accounts, ledger_balance, readings, transactions, documents } = self;
        let ledger_balance: Decimal = ledger_balance.parse().ok()?;
        Some(Totals {
            accounts: *accounts,
            ledger_balance,
            readings: *readings,
            transactions: *transactions,
            documents: *documents,
            ..Totals::default()
        })
    }
}

/// The list of a complete export. `export` is the version of its form, 1.
#[derive(Debug, Serialize)]
pub(super) struct Manifest {
    export: u8,
    version: &'static str,
    #[serde(flatten)]
    options: Options,
    created_at: DateTime<Utc>,
    tables: Vec<TableFiles>,
    accounts: u64,
    totals: Counted,
    /// Numbers of accounts that were erased or undone after the event `after` and are not there any more.
    erased: Vec<String>,
    /// The event from which the next export and readers of the feed go on.
    events_after: String,
}

impl Manifest {
    pub(super) fn new(progress: &Progress, erased: Vec<String>) -> Self {
        Self {
            export: 1,
            version: env!("CARGO_PKG_VERSION"),
            options: progress.options.clone(),
            created_at: progress.created_at,
            tables: progress.tables.clone(),
            accounts: progress.totals.accounts,
            totals: progress.totals.clone(),
            erased,
            events_after: progress.events_after.clone(),
        }
    }
}
