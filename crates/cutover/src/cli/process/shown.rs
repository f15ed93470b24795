mod account;

use crate::output::{Answer, At, listing, pairs};
use cutover_app::account::shown_status;
use cutover_app::operator::ProcessReport;
use cutover_app::port::StoredIssue;
use cutover_core::Zone;
use cutover_model::ProcessStatus;
use cutover_process::HistoryEntry;
use serde::Serialize;
use serde_json::value::RawValue;

/// All that is known of a process (decisions D11).
#[derive(Serialize)]
pub(crate) struct Shown {
    external_account_number: String,
    #[serde(flatten)]
    status: ProcessStatus,
    attempt: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    archived_at: Option<At>,
    history: Vec<Step>,
    errors: Vec<Issue>,
    warnings: Vec<Issue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    account: Option<Box<RawValue>>,
    /// How much was added since the import, in words.
    #[serde(skip)]
    added: Option<String>,
    #[serde(skip)]
    times: [At; 2],
}

/// An entry of the history.
#[derive(Serialize)]
pub(crate) struct Step {
    event: &'static str,
    from: Option<&'static str>,
    to: &'static str,
    occurred_at: At,
    attempt: u32,
    actor: String,
}

#[derive(Serialize)]
struct Issue {
    attr: String,
    code: String,
    detail: String,
}

impl From<ProcessReport> for Shown {
    fn from(report: ProcessReport) -> Self {
        let zone = report.zone;
        let at = |at: chrono::DateTime<chrono::FixedOffset>| At::local(at.to_utc(), zone);
        Self {
            times: [at(report.status.created_at), at(report.status.modified_at)],
            status: shown_status(&report.status),
            external_account_number: report.external_account_number,
            attempt: report.attempt,
            archived_at: report.archived_at.map(|instant| At::local(instant, zone)),
            history: report.history.iter().map(|entry| Step::new(entry, zone)).collect(),
            errors: report.issues.errors.into_iter().map(Issue::from).collect(),
            warnings: report.issues.warnings.into_iter().map(Issue::from).collect(),
            added: report.account.as_ref().and_then(account::added),
            account: report.account.as_ref().and_then(|imported| account::embedded(imported, zone)),
        }
    }
}

impl Step {
    pub(super) fn new(entry: &HistoryEntry, zone: Zone) -> Self {
        Self {
            event: entry.event.as_str(),
            from: entry.from.map(|state| state.as_str()),
            to: entry.to.as_str(),
            occurred_at: At::local(entry.occurred_at, zone),
            attempt: entry.attempt,
            actor: entry.actor.to_string(),
        }
    }

    fn cells(&self) -> Vec<String> {
        let Self { event, to, occurred_at, attempt, actor, .. } = self;
        let attempt = attempt.to_string();
        vec![occurred_at.to_string(), (*event).to_owned(), (*to).to_owned(), attempt, actor.clone()]
    }
}

impl From<StoredIssue> for Issue {
    fn from(StoredIssue { attr, code, detail }: StoredIssue) -> Self {
        Self { attr, code, detail }
    }
}

impl Shown {
    fn summary(&self) -> String {
        let mut rows = vec![
            ("number", self.external_account_number.clone()),
            ("status", self.status.status.to_owned()),
            ("account", self.status.service_identifier.as_deref().unwrap_or("none yet").to_owned()),
            ("attempt", self.attempt.to_string()),
            ("created", self.times[0].to_string()),
            ("modified", self.times[1].to_string()),
        ];
        rows.extend(self.archived_at.map(|at| ("archived", at.to_string())));
        rows.extend(self.added.clone().map(|added| ("added since", added)));
        rows.extend(self.status.latest_error.as_ref().map(|error| ("error", error.code.to_owned())));
        pairs(&rows)
    }
}

impl Answer for Shown {
    fn text(&self) -> String {
        let steps =
            listing(&["WHEN", "EVENT", "STATUS", "ATTEMPT", "BY"], self.history.iter().map(Step::cells));
        let mut parts = vec![self.summary(), steps];
        for (heads, issues) in [("ERROR", &self.errors), ("WARNING", &self.warnings)] {
            if !issues.is_empty() {
                let cells = |i: &Issue| vec![i.attr.clone(), i.code.clone(), i.detail.clone()];
                parts.push(listing(&["AT", heads, "DETAIL"], issues.iter().map(cells)));
            }
        }
        if self.account.is_some() {
            parts.push("With --json the account that was imported is shown too.".to_owned());
        }
        parts.join("\n\n")
    }
}

#[cfg(test)]
mod tests;
