use crate::error::Error;
use crate::service::{Fault, Patience, Service};
use chrono::{DateTime, FixedOffset};
use cutover_core::State;
use cutover_model::Totals;
use cutover_model::rust_decimal::Decimal;
use reqwest::StatusCode;
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::time::Duration;

/// How far a migration is (contract D12).
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(super) struct Standing {
    counts: BTreeMap<String, u64>,
    /// The errors that most accounts stand with.
    pub(super) top_errors: Vec<TopError>,
    rate_per_minute: Value,
    estimated_finish_at: Option<String>,
    totals: Imported,
}

/// A code, how many accounts stand with it, and some of them.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, serde::Serialize)]
pub(super) struct TopError {
    #[serde(deserialize_with = "crate::service::read_code")]
    pub(super) code: String,
    pub(super) count: u64,
    pub(super) examples: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
struct Imported {
    accounts: u64,
    ledger_balance: String,
    readings: u64,
    transactions: u64,
    documents: u64,
}

/// The statuses of version 2 (contract 3), and what people call them.
pub(super) const STATUSES: [(State, &str); State::ALL.len()] = [
    (State::Pending, "pending"),
    (State::InProgress, "in progress"),
    (State::Processed, "imported"),
    (State::Errored, "errored"),
    (State::Cancelled, "cancelled"),
    (State::DryRunSucceeded, "tried, well"),
    (State::DryRunErrored, "tried, errored"),
];

impl Standing {
    /// Asks for it. A service that is away for some minutes is waited for.
    ///
    /// # Errors
    /// [`Error`] if it stays away, or knows no such supplier.
    pub(super) async fn ask(
        service: &Service,
        supplier: &str,
        patience: Duration,
    ) -> Result<(Self, Value), Error> {
        let url = service.url(&["v2", "data-import", "import-suppliers", supplier, "progress"], "");
        let reply = Patience::new(patience).with(async || service.get(&url).await).await?;
        if reply.status == StatusCode::NOT_FOUND {
            return Err(Error::refused(format!("the service knows no import supplier {supplier}")));
        }
        let body = reply.ok()?;
        let foreign = |_| Fault::lasting("the service tells of progress in another way");
        let standing: Self = serde_json::from_value(body.clone()).map_err(foreign)?;
        Ok((standing, body))
    }

    /// How many accounts have a status.
    pub(super) fn count(&self, status: State) -> u64 {
        self.counts.get(status.as_str()).copied().unwrap_or_default()
    }

    /// Accounts that wait or are worked on.
    pub(super) fn open(&self) -> u64 {
        self.count(State::Pending) + self.count(State::InProgress)
    }

    /// Accounts that ended in an error.
    pub(super) fn errored(&self) -> u64 {
        self.count(State::Errored) + self.count(State::DryRunErrored)
    }

    /// All accounts.
    pub(super) fn all(&self) -> u64 {
        self.counts.values().sum()
    }

    /// Accounts a minute, with its digits.
    pub(super) fn rate(&self) -> String {
        match &self.rate_per_minute {
            Value::String(text) => text.clone(),
            Value::Number(number) => number.to_string(),
            _ => "0".to_owned(),
        }
    }

    /// When it is done at this rate.
    pub(super) fn finish(&self) -> Option<DateTime<FixedOffset>> {
        DateTime::parse_from_rfc3339(self.estimated_finish_at.as_deref()?).ok()
    }

    /// What the imported accounts come to; none if that is no amount.
    pub(super) fn totals(&self) -> Option<Totals> {
        let Imported { accounts, ledger_balance, readings, transactions, documents } = &self.totals;
        Some(Totals {
            accounts: *accounts,
            ledger_balance: Decimal::from_str_exact(ledger_balance).ok()?,
            readings: *readings,
            transactions: *transactions,
            documents: *documents,
        })
    }
}
