mod account;

use crate::output::{Answer, ZonedTime, listing, pairs};
use cutover_app::operator::{ProcessReport, References};
use cutover_app::port::StoredIssue;
use cutover_core::{Word, Zone};
use cutover_model::{ProcessStatus, WaitsFor};
use cutover_process::{HistoryEntry, State};
use serde::Serialize;
use serde_json::value::RawValue;

/// A process with its history, issues and imported account.
#[derive(Serialize)]
pub(crate) struct Shown {
    external_account_number: String,
    #[serde(flatten)]
    status: ProcessStatus,
    /// The status that a newer version wrote, if the API shows a different one.
    #[serde(skip_serializing_if = "Option::is_none")]
    stored_status: Option<String>,
    waits_for: Option<WaitsFor>,
    #[serde(skip)]
    sentence: String,
    attempt: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    archived_at: Option<ZonedTime>,
    history: Vec<Step>,
    errors: Vec<Issue>,
    warnings: Vec<Issue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    account: Option<Box<RawValue>>,
    /// A description of the additions since the import.
    #[serde(skip)]
    added: Option<String>,
    #[serde(skip)]
    times: [ZonedTime; 2],
}

/// An entry of the history.
#[derive(Serialize)]
pub(crate) struct Step {
    event: String,
    from: Option<String>,
    to: String,
    occurred_at: ZonedTime,
    attempt: u32,
    actor: String,
}

#[derive(Serialize)]
struct Issue {
    attr: String,
    /// The document, contract, tariff or meter point that it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<String>,
    code: String,
    rule: Option<String>,
    detail: String,
    /// The request that a warning is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<String>,
}

impl From<ProcessReport> for Shown {
    fn from(report: ProcessReport) -> Self {
        let zone = report.zone;
        let references = &report.references;
        let at = |at: chrono::DateTime<chrono::FixedOffset>| ZonedTime::local(at.to_utc(), zone);
        Self {
            times: [at(report.status.created_at.0), at(report.status.modified_at.0)],
            stored_status: newer(&report.stored_status),
            status: report.status,
            waits_for: report.waits_for,
            sentence: report.sentence,
            external_account_number: report.external_account_number,
            attempt: report.attempt,
            archived_at: report.archived_at.map(|instant| ZonedTime::local(instant, zone)),
            history: report.history.iter().map(|entry| Step::new(entry, zone)).collect(),
            errors: report.issues.errors.iter().map(|issue| Issue::error(issue, references)).collect(),
            warnings: report.issues.warnings.iter().map(|issue| Issue::warning(issue, references)).collect(),
            added: report.account.as_ref().and_then(account::added),
            account: report.account.as_ref().and_then(|imported| account::embedded(imported, zone)),
        }
    }
}

impl Step {
    pub(super) fn new(entry: &HistoryEntry, zone: Zone) -> Self {
        Self {
            event: entry.event.to_string(),
            from: entry.from.as_ref().map(Word::to_string),
            to: entry.to.to_string(),
            occurred_at: ZonedTime::local(entry.occurred_at, zone),
            attempt: entry.attempt,
            actor: entry.actor.to_string(),
        }
    }

    fn cells(&self) -> Vec<String> {
        let Self { event, to, occurred_at, attempt, actor, .. } = self;
        let attempt = attempt.to_string();
        vec![occurred_at.to_string(), event.clone(), to.clone(), attempt, actor.clone()]
    }
}

impl Issue {
    fn error(issue: &StoredIssue, references: &References) -> Self {
        let value = references.of(issue).map(ToOwned::to_owned);
        let StoredIssue { attr, code, rule, detail, .. } = issue.clone();
        Self { attr, value, code, rule, detail, source: None }
    }

    fn warning(issue: &StoredIssue, references: &References) -> Self {
        let source = Some(issue.source.to_string());
        Self { source, ..Self::error(issue, references) }
    }

    fn cells(&self) -> Vec<String> {
        let rule = self.rule.clone().unwrap_or_else(|| "-".to_owned());
        let source = self.source.clone();
        let at = match &self.value {
            Some(value) => format!("{} = {value}", self.attr),
            None => self.attr.clone(),
        };
        [at, self.code.clone(), rule].into_iter().chain(source).chain([self.detail.clone()]).collect()
    }
}

/// Returns a sentence about an account with the codes of its errors.
pub(crate) fn with_codes(sentence: &str, codes: &[String]) -> String {
    let colon = if codes.is_empty() { "" } else { ": " };
    format!("{sentence}{colon}{}", codes.join(", "))
}

/// Returns the status if only a newer version knows it.
pub(crate) fn newer(stored: &Word<State>) -> Option<String> {
    stored.known().is_none().then(|| stored.to_string())
}

impl Shown {
    fn status_text(&self) -> String {
        let shown = self.status.status;
        self.stored_status.as_ref().map_or(shown.to_string(), |newer| {
            format!("{newer} (a newer version wrote it; the API shows {shown})")
        })
    }

    fn summary(&self) -> String {
        let mut rows = vec![
            ("number", self.external_account_number.clone()),
            ("status", self.status_text()),
            ("now", self.sentence.clone()),
            (
                "account",
                self.status
                    .service_identifier
                    .as_ref()
                    .map_or("none yet", |number| number.as_str())
                    .to_owned(),
            ),
            ("attempt", self.attempt.to_string()),
            ("created", self.times[0].to_string()),
            ("modified", self.times[1].to_string()),
        ];
        rows.extend(self.archived_at.map(|at| ("archived", at.to_string())));
        rows.extend(self.added.clone().map(|added| ("added since", added)));
        rows.extend(self.status.latest_error.as_ref().map(|error| ("error", error.code.to_string())));
        pairs(&rows)
    }
}

impl Answer for Shown {
    fn text(&self) -> String {
        let steps =
            listing(&["WHEN", "EVENT", "STATUS", "ATTEMPT", "BY"], self.history.iter().map(Step::cells));
        let mut parts = vec![self.summary(), steps];
        if !self.errors.is_empty() {
            parts.push(listing(&["AT", "ERROR", "RULE", "DETAIL"], self.errors.iter().map(Issue::cells)));
        }
        if !self.warnings.is_empty() {
            let heads = ["AT", "WARNING", "RULE", "OF", "DETAIL"];
            parts.push(listing(&heads, self.warnings.iter().map(Issue::cells)));
        }
        if self.account.is_some() {
            parts.push("With --json the imported account is shown too.".to_owned());
        }
        parts.join("\n\n")
    }
}

#[cfg(test)]
mod tests;
