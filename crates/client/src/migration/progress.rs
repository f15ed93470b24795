use crate::error::Error;
use crate::journal::Sums;
use crate::service::{Backoff, Fault, Service};
use chrono::{DateTime, FixedOffset};
use cutover_core::State;
use cutover_model::{HoldShown, Others, RowCounts, Totals};
use reqwest::StatusCode;
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::time::Duration;

/// Progress of a migration (contract D12).
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(super) struct MigrationProgress {
    counts: BTreeMap<String, u64>,
    /// The most frequent errors.
    pub(super) top_errors: Vec<TopCause>,
    /// Number of the errors that are not listed; a service of an earlier version does not tell.
    #[serde(default)]
    pub(super) other_errors: Others,
    /// The most frequent warnings; a service of an earlier version has none.
    #[serde(default)]
    pub(super) top_warnings: Vec<TopCause>,
    #[serde(default)]
    pub(super) other_warnings: Others,
    rate_per_minute: Value,
    estimated_finish_at: Option<String>,
    totals: Imported,
    /// The hold of the imports; a service of an earlier version has none.
    #[serde(default)]
    pub(super) hold: Option<HoldShown>,
    /// The manifest beside what was sent and imported; a service of an earlier version has none.
    #[serde(default)]
    pub(super) manifest: Option<DeclaredAndSent>,
}

/// What the supplier has declared, beside what the service was sent.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(super) struct DeclaredAndSent {
    declared: Imported,
    sent: Imported,
    imported: Imported,
}

impl DeclaredAndSent {
    /// The declared totals; `None` if the balance is not a number.
    pub(super) fn declared(&self) -> Option<Totals> {
        self.declared.totals()
    }

    /// The tables with other numbers of rows than declared, each with those that were imported, sent and declared.
    pub(super) fn differing_tables(&self) -> Vec<(&'static str, [u64; 3])> {
        let all = [&self.imported, &self.sent, &self.declared];
        let numbers = |table| all.map(|of| of.counts.get(table).unwrap_or_default());
        let differing = self.sent.counts.minus(&self.declared.counts);
        differing.iter().filter(|(_, rows)| *rows != 0).map(|(table, _)| (table, numbers(table))).collect()
    }

    /// The totals of what was sent.
    pub(super) fn sent(&self) -> Option<Totals> {
        self.sent.totals()
    }
}

/// The code of an error or a warning with the pattern of its path, its number of accounts, and some of them.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, serde::Serialize)]
pub(super) struct TopCause {
    #[serde(deserialize_with = "crate::service::read_code")]
    pub(super) code: String,
    #[serde(default, deserialize_with = "crate::service::read_attr")]
    pub(super) attr: Option<String>,
    pub(super) count: u64,
    pub(super) examples: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
struct Imported {
    accounts: u64,
    #[serde(flatten)]
    sums: Sums,
    /// A service of an earlier version has none.
    #[serde(default)]
    counts: RowCounts,
}

impl Imported {
    fn totals(&self) -> Option<Totals> {
        Some(Totals { accounts: self.accounts, ..self.sums.totals()? })
    }
}

/// Statuses of version 2 (contract 3) and their names for people.
pub(super) const STATUSES: [(State, &str); State::ALL.len()] = [
    (State::Pending, "pending"),
    (State::InProgress, "in progress"),
    (State::Processed, "imported"),
    (State::Errored, "errored"),
    (State::Cancelled, "cancelled"),
    (State::DryRunSucceeded, "dry run ok"),
    (State::DryRunErrored, "dry run error"),
];

impl MigrationProgress {
    /// Fetches the progress; waits for `patience` while the service is away.
    ///
    /// # Errors
    /// [`Error`] if the service stays away or does not know the supplier.
    pub(super) async fn fetch(
        service: &Service,
        supplier: &str,
        patience: Duration,
    ) -> Result<(Self, Value), Error> {
        let url = service.url(&["v2", "data-import", "import-suppliers", supplier, "progress"], "");
        let reply = Backoff::new(patience).run(async || service.get(&url).await).await?;
        if reply.status == StatusCode::NOT_FOUND {
            return Err(Error::refused(format!("the service knows no import supplier {supplier}")));
        }
        let body = reply.ok()?;
        let foreign = |_| Fault::permanent("the progress has an unknown format");
        let progress: Self = serde_json::from_value(body.clone()).map_err(foreign)?;
        Ok((progress, body))
    }

    /// Number of accounts with a status.
    pub(super) fn count(&self, status: State) -> u64 {
        self.counts.get(status.as_str()).copied().unwrap_or_default()
    }

    /// Number of accounts that are pending or in progress.
    pub(super) fn open(&self) -> u64 {
        self.count(State::Pending) + self.count(State::InProgress)
    }

    /// Number of accounts that ended in an error.
    pub(super) fn errored(&self) -> u64 {
        self.count(State::Errored) + self.count(State::DryRunErrored)
    }

    /// Number of all accounts.
    pub(super) fn all(&self) -> u64 {
        self.counts.values().sum()
    }

    /// Accounts per minute, with the digits of the service.
    pub(super) fn rate(&self) -> String {
        match &self.rate_per_minute {
            Value::String(text) => text.clone(),
            Value::Number(number) => number.to_string(),
            _ => "0".to_owned(),
        }
    }

    /// Estimated time of the end.
    pub(super) fn finish(&self) -> Option<DateTime<FixedOffset>> {
        DateTime::parse_from_rfc3339(self.estimated_finish_at.as_deref()?).ok()
    }

    /// Control totals of the imported accounts; `None` if the balance is not a number.
    pub(super) fn totals(&self) -> Option<Totals> {
        self.totals.totals()
    }
}
