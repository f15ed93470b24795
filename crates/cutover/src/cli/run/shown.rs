use crate::output::{Answer, Row, ZonedTime, pairs, plain};
use cutover_app::operator::RunReport;
use cutover_app::port::CauseCount;
use cutover_model::{ControlTotals, Others, Totals};
use serde::Serialize;
use std::collections::BTreeMap;

/// Totals, the balance with its digits.
#[derive(Debug, Serialize)]
pub(super) struct ShownTotals {
    pub(super) accounts: u64,
    pub(super) ledger_balance: String,
    pub(super) readings: u64,
    pub(super) transactions: u64,
    pub(super) documents: u64,
}

impl From<Totals> for ShownTotals {
    fn from(totals: Totals) -> Self {
        let ControlTotals { accounts, ledger_balance, readings, transactions, documents, .. } = totals.into();
        Self { accounts, ledger_balance, readings, transactions, documents }
    }
}

/// An error that accounts have.
#[derive(Debug, Serialize)]
pub(super) struct ShownCause {
    code: String,
    attr: Option<String>,
    count: u64,
}

impl From<CauseCount> for ShownCause {
    fn from(CauseCount { cause, accounts }: CauseCount) -> Self {
        Self { code: cause.code, attr: cause.attr, count: accounts }
    }
}

/// Accounts that were refused.
#[derive(Debug, Serialize)]
struct ShownRefused {
    accounts: u64,
    top_errors: Vec<ShownCause>,
    other_errors: Others,
}

/// A run with its figures.
#[derive(Debug, Serialize)]
pub(super) struct Shown {
    name: String,
    started_at: ZonedTime,
    ended_at: Option<ZonedTime>,
    /// Number of accounts by status.
    counts: BTreeMap<&'static str, u64>,
    /// Of the accounts that passed.
    totals: ShownTotals,
    top_errors: Vec<ShownCause>,
    other_errors: Others,
    refused: ShownRefused,
    first_at: Option<ZonedTime>,
    last_at: Option<ZonedTime>,
    rate_per_minute: String,
}

impl From<RunReport> for Shown {
    fn from(report: RunReport) -> Self {
        let time = |at| ZonedTime::local(at, report.zone);
        let causes = |of: Vec<CauseCount>| of.into_iter().map(ShownCause::from).collect();
        Self {
            name: report.run.name,
            started_at: time(report.run.started_at),
            ended_at: report.run.ended_at.map(time),
            counts: report.counts.into_iter().map(|(state, count)| (state.as_str(), count)).collect(),
            totals: report.totals.into(),
            top_errors: causes(report.top_errors),
            other_errors: report.other_errors,
            refused: ShownRefused {
                accounts: report.refused,
                top_errors: causes(report.top_refused),
                other_errors: report.other_refused,
            },
            first_at: report.first_at.map(time),
            last_at: report.last_at.map(time),
            rate_per_minute: report.rate_per_minute.to_string(),
        }
    }
}

fn or_dash(time: Option<&ZonedTime>) -> String {
    time.map_or_else(|| "-".to_owned(), ToString::to_string)
}

impl Answer for Shown {
    fn text(&self) -> String {
        let ended = self.ended_at.as_ref().map_or_else(|| "open".to_owned(), ToString::to_string);
        let mut rows = vec![
            ("run", plain(&self.name)),
            ("started", self.started_at.to_string()),
            ("ended", ended),
            ("first account", or_dash(self.first_at.as_ref())),
            ("last account", or_dash(self.last_at.as_ref())),
            ("per minute", self.rate_per_minute.clone()),
        ];
        let counted = self.counts.iter().filter(|(_, count)| **count > 0);
        rows.extend(counted.map(|(status, count)| (*status, count.to_string())));
        if self.refused.accounts > 0 {
            rows.push(("refused", self.refused.accounts.to_string()));
        }
        rows.extend([
            ("ledger balance", self.totals.ledger_balance.clone()),
            ("readings", self.totals.readings.to_string()),
            ("transactions", self.totals.transactions.to_string()),
            ("documents", self.totals.documents.to_string()),
        ]);
        let cause = |cause: &ShownCause| {
            let attr = cause.attr.as_ref().map(|attr| format!(" at {}", plain(attr)));
            format!("{} {}{}", cause.count, plain(&cause.code), attr.unwrap_or_default())
        };
        for (name, top, others) in [
            ("error", &self.top_errors, &self.other_errors),
            ("refused for", &self.refused.top_errors, &self.refused.other_errors),
        ] {
            rows.extend(top.iter().map(|of| (name, cause(of))));
            rows.extend(others.words().map(|words| (name, words)));
        }
        pairs(&rows)
    }
}

/// A run in the list.
#[derive(Debug, Serialize)]
#[serde(transparent)]
pub(super) struct Listed(Shown);

impl From<RunReport> for Listed {
    fn from(report: RunReport) -> Self {
        Self(report.into())
    }
}

impl Row for Listed {
    const HEADS: &'static [&'static str] =
        &["NAME", "STARTED", "ENDED", "PASSED", "FAILED", "REFUSED", "PER MINUTE"];
    const EMPTY: &'static str = "No runs yet. `cutover run start SUPPLIER NAME` starts one.";

    fn cells(&self) -> Vec<String> {
        let run = &self.0;
        let count = |words: [&str; 2]| words.iter().filter_map(|word| run.counts.get(word)).sum::<u64>();
        vec![
            plain(&run.name),
            run.started_at.to_string(),
            run.ended_at.as_ref().map_or_else(|| "open".to_owned(), ToString::to_string),
            count(["PROCESSED", "DRY_RUN_SUCCEEDED"]).to_string(),
            count(["ERRORED", "DRY_RUN_ERRORED"]).to_string(),
            run.refused.accounts.to_string(),
            run.rate_per_minute.clone(),
        ]
    }
}
