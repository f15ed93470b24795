use super::counts::Counts;
use super::sender::Items;
use super::summary::Summary;
use crate::assemble::TableCounts;
use crate::output::{document, duration, grouped, inputs, warnings};
use crate::report::{Causes, Page, alerts};
use crate::request::Selection;
use crate::validate::{SupplierZone, named, seconds};
use cutover_core::plain;
use serde::Serialize;

/// Totals of a run of `send`.
#[derive(Serialize)]
pub(super) struct Sent<'s> {
    what: Selection,
    interrupted: bool,
    fault: &'s Option<String>,
    files: u64,
    /// The tables that requests were made of, if there are any.
    #[serde(skip_serializing_if = "Option::is_none")]
    tables: Option<TableCounts>,
    unreadable_files: u64,
    /// Requests that were read.
    requests: u64,
    #[serde(flatten)]
    counts: Outcomes,
    in_earlier_runs: Outcomes,
    /// Notes or transactions of the requests that this run has sent.
    items: Items,
    sent_again: u64,
    refused_again: u64,
    refused_before: u64,
    repeated: u64,
    differing: u64,
    /// Requests that the service had accepted and may have lost during this run.
    lost: u64,
    not_sent: u64,
    warnings: u64,
    with_warnings: u64,
    #[serde(flatten)]
    causes: &'s Causes,
    time_zones: &'s [SupplierZone],
    journal: &'s str,
    #[serde(rename = "seconds", serialize_with = "seconds")]
    milliseconds: u64,
}

/// Numbers of requests by outcome.
#[derive(Serialize)]
struct Outcomes {
    accepted: u64,
    already_there: u64,
    refused: u64,
    failed: u64,
    faulty: u64,
}

impl From<Counts> for Outcomes {
    fn from(counts: Counts) -> Self {
        let Counts { accepted, already_there, refused, failed, faulty, .. } = counts;
        Self { accepted, already_there, refused, failed, faulty }
    }
}

impl<'s> Sent<'s> {
    pub(super) fn of(what: Selection, run: &'s Summary) -> Self {
        Self {
            what,
            interrupted: run.interrupted,
            fault: &run.fault,
            files: run.files,
            tables: run.tables,
            unreadable_files: run.unreadable_files,
            requests: run.accounts,
            counts: run.counts.into(),
            in_earlier_runs: run.in_earlier_runs.into(),
            items: run.items,
            sent_again: run.sent_again,
            refused_again: run.refused_again,
            refused_before: run.refused_before,
            repeated: run.repeated,
            differing: run.differing,
            lost: run.lost,
            not_sent: run.not_sent,
            warnings: run.warnings,
            with_warnings: run.with_warnings,
            causes: &run.causes,
            time_zones: &run.time_zones,
            journal: &run.journal,
            milliseconds: run.milliseconds,
        }
    }

    /// One JSON document for programs.
    pub(super) fn json(&self) -> String {
        document(self)
    }

    /// Text for people.
    pub(super) fn text(&self) -> String {
        let lines = self.sums().into_iter().map(|(name, value)| format!("{name:17}{}\n", plain(&value)));
        let end = match (self.interrupted, self.fault) {
            (true, _) => "\nInterrupted: run the same command again to resume.\n",
            (false, Some(_)) => "\nNot all could be sent: run the same command again to resume.\n",
            (false, None) => "",
        };
        lines.collect::<String>() + &self.causes.text() + end
    }

    fn sums(&self) -> Vec<(&'static str, String)> {
        let (counts, before) = (&self.counts, &self.in_earlier_runs);
        let count = |now: u64, before: u64| match before {
            0 => grouped(now),
            _ => format!("{}, of them {} in earlier runs", grouped(now), grouped(before)),
        };
        let mut sums = vec![("Files", inputs(self.files, self.unreadable_files))];
        sums.extend(self.tables.map(|tables| ("Tables", tables.to_string())));
        sums.extend([
            (self.label(), grouped(self.requests)),
            ("  accepted", count(counts.accepted, before.accepted)),
            ("  already there", count(counts.already_there, before.already_there)),
            ("  refused", count(counts.refused, before.refused)),
            ("  faulty", grouped(counts.faulty) + ", not sent"),
        ]);
        for (count, name, text) in [
            (
                counts.failed,
                "  failed",
                ", by a fault of the service or of a vendor: run the same command again",
            ),
            (
                self.refused_before,
                "  left alone",
                ", refused before as too large: --retry-refused sends them again",
            ),
            (self.repeated, "  repeated", ", copies of others"),
            (self.sent_again, "  sent again", ", which had been accepted in earlier runs"),
            (self.refused_again, "  sent again", ", which had been refused in earlier runs"),
            (
                self.lost,
                "  unsure",
                ", which the service may have lost meanwhile: run the same command again",
            ),
            (self.not_sent, "  not sent yet", ""),
        ] {
            if count > 0 {
                sums.push((name, grouped(count) + text));
            }
        }
        if matches!(self.what, Selection::Notes | Selection::Transactions) {
            let Items { added, already_there } = self.items;
            let name = if self.what == Selection::Notes { "Notes" } else { "Transactions" };
            sums.push((name, format!("{} added, {} already there", grouped(added), grouped(already_there))));
        }
        let done = counts.accepted + counts.already_there + counts.refused + counts.failed + counts.faulty;
        let noun = self.label().to_lowercase();
        sums.push(("Warnings", warnings(self.warnings, self.with_warnings, 0).replace("accounts", &noun)));
        sums.push(("Time", duration(done, self.milliseconds).replace("accounts", &noun)));
        if self.what != Selection::Documents {
            sums.push(("Time zone", named(self.time_zones)));
        }
        sums.push(("Journal", self.journal.to_owned()));
        sums
    }

    /// Name of what is counted.
    fn label(&self) -> &'static str {
        if self.what == Selection::Documents { "Documents" } else { "Requests" }
    }

    /// Content of the HTML report.
    pub(super) fn page(&self) -> Page {
        Page {
            title: match self.what {
                Selection::Businesses => "Sending of businesses",
                Selection::Notes => "Sending of notes",
                Selection::Transactions => "Sending of transactions",
                Selection::HistoricalStatements => "Sending of historical statements",
                Selection::PaymentInstructions => "Sending of payment instructions",
                Selection::Documents => "Upload of documents",
            },
            alerts: alerts(self.interrupted, self.fault.as_deref(), self.unreadable_files),
            sums: self.sums().into_iter().map(|(name, value)| (name.trim_start(), value)).collect(),
            remark: String::new(),
            tops: self.causes.tops(),
        }
    }
}
