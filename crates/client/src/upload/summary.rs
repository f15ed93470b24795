use super::counts::Counts;
use super::sender::Items;
use crate::assemble::TableCounts;
use crate::exit::Exit;
use crate::expect::{self, Difference};
use crate::journal::{StoredTotals, Sums};
use crate::output::{document, duration, grouped, inputs, warnings};
use crate::report::{Causes, Page, alerts};
use crate::request::Selection;
use crate::validate::{SupplierZone, named, not_compared, seconds};
use cutover_core::plain;
use serde::Serialize;

/// Totals of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct Summary {
    /// What was sent, if not accounts: they are counted as accounts here, and shown by [`Sent`](super::sent::Sent).
    #[serde(skip)]
    pub(super) requests: Option<Selection>,
    /// Notes or transactions of the requests.
    #[serde(skip)]
    pub(super) items: Items,
    /// True if it was stopped before its end.
    pub(super) interrupted: bool,
    /// Fault of the service that ended the run.
    pub(super) fault: Option<String>,
    /// True if the accounts were sent as dry runs.
    pub(super) dry_run: bool,
    pub(super) files: u64,
    pub(super) unreadable_files: u64,
    /// The tables that accounts were made of, if there are any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) tables: Option<TableCounts>,
    /// Accounts that were read.
    pub(super) accounts: u64,
    /// Outcomes of this and earlier runs.
    #[serde(flatten)]
    pub(super) counts: Counts,
    /// Outcomes of accounts that were answered in earlier runs; the other counts include them.
    pub(super) in_earlier_runs: Counts,
    /// Accounts that the service had accepted in an earlier run and was sent again: it had lost them, or all are to be sent.
    pub(super) sent_again: u64,
    /// Accounts that the service had accepted in an earlier run, whose import has failed, and that were sent again.
    pub(super) errored_again: u64,
    /// Accounts that the service had refused in an earlier run and was sent again.
    pub(super) refused_again: u64,
    /// Accounts that the service had refused in an earlier run and was not sent again.
    pub(super) refused_before: u64,
    /// Copies of accounts that were not sent, because another copy counts.
    pub(super) repeated: u64,
    /// Copies that differ from the one before.
    pub(super) differing: u64,
    /// Accounts that the service had accepted in an earlier run and has lost, and that were not read from the inputs.
    pub(super) missing: u64,
    /// Accounts that the service had accepted and has lost during this run.
    pub(super) lost: u64,
    /// Accounts that a dry run skipped because the service has them to import.
    pub(super) left_out: u64,
    /// Accounts without an outcome, because the run ended before.
    pub(super) not_sent: u64,
    pub(super) warnings: u64,
    pub(super) with_warnings: u64,
    /// Warnings about what many accounts have in common; `warnings` includes them.
    pub(super) warnings_across_accounts: u64,
    /// Accounts with which later ones were not compared, or not with all of their values, because too many came before.
    pub(super) not_compared: u64,
    /// Where the inputs differ from what the source system counted; `None` if that was not compared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) differences: Option<Vec<Difference>>,
    /// Totals of the accounts that the service has; null if those of an account are not known.
    #[serde(serialize_with = "totals")]
    pub(super) totals: StoredTotals,
    #[serde(flatten)]
    pub(super) causes: Causes,
    /// The zones of the suppliers' days.
    pub(super) time_zones: Vec<SupplierZone>,
    pub(super) journal: String,
    #[serde(rename = "seconds", serialize_with = "seconds")]
    pub(super) milliseconds: u64,
}

fn totals<S: serde::Serializer>(stored: &StoredTotals, serializer: S) -> Result<S::Ok, S::Error> {
    (!stored.is_incomplete).then(|| Sums::from(stored.totals)).serialize(serializer)
}

impl Summary {
    /// Exit code.
    pub(super) fn exit(&self) -> Exit {
        if self.interrupted {
            Exit::Interrupted
        } else if self.fault.is_some()
            || self.unreadable_files > 0
            || self.not_sent > 0
            || self.missing > 0
            || self.lost > 0
            || self.counts.not_done() > 0
        {
            Exit::Failed
        } else if self.counts.not_taken() > 0
            || self.differing > 0
            || self.differences.as_ref().is_some_and(|found| !found.is_empty())
            || self.tables.is_some_and(|tables| tables.findings > 0)
        {
            Exit::Faulty
        } else {
            Exit::Success
        }
    }

    /// One JSON document for programs, about accounts.
    pub(super) fn json(&self) -> String {
        document(self)
    }

    /// Text for people, about accounts.
    pub(super) fn text(&self) -> String {
        let mut text = self
            .sums()
            .into_iter()
            .fold(String::new(), |text, (name, value)| text + &format!("{name:17}{}\n", plain(&value)));
        text += &self.causes.text();
        text += &expect::text(self.differences.as_deref());
        if self.not_compared > 0 {
            text += &format!("\n{}\n", not_compared(self.not_compared));
        }
        if self.dry_run {
            text += "\nDry run: the service tries these accounts and imports none of them.\n";
            if self.in_earlier_runs.all() + self.refused_before > 0 {
                text += "Accounts that were answered in earlier runs were not sent, so a run of the service does not have them: \
                         --again --retry-refused sends all.\n";
            }
        }
        if self.interrupted {
            text += "\nInterrupted: run the same command again to resume.\n";
        } else if self.fault.is_some() {
            text += "\nNot all could be sent: run the same command again to resume.\n";
        }
        text
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
            ("Accounts", grouped(self.accounts)),
            ("  accepted", count(counts.accepted, before.accepted)),
            ("  already there", count(counts.already_there, before.already_there)),
            ("  refused", count(counts.refused, before.refused)),
        ]);
        if counts.failed > 0 {
            sums.push((
                "  failed",
                grouped(counts.failed) + ", by a fault of the service: run the same command again",
            ));
        }
        if counts.in_progress > 0 {
            sums.push((
                "  in progress",
                grouped(counts.in_progress) + " while they were sent: run the same command again",
            ));
        }
        sums.push(("  faulty", grouped(counts.faulty) + ", not sent"));
        if counts.cancelled > 0 {
            let text = ", cancelled at the service or undone there: --again sends them again";
            sums.push(("  left alone", grouped(counts.cancelled) + text));
        }
        if self.refused_before > 0 {
            let text = ", refused before, and nothing has changed: --retry-refused sends them again";
            sums.push(("  left alone", grouped(self.refused_before) + text));
        }
        if self.repeated > 0 {
            sums.push(("  repeated", grouped(self.repeated) + &self.of_copies()));
        }
        for (count, text) in [
            (self.sent_again, ", which had been accepted in earlier runs"),
            (self.errored_again, ", whose import had failed"),
            (self.refused_again, ", which had been refused in earlier runs"),
        ] {
            if count > 0 {
                sums.push(("  sent again", grouped(count) + text));
            }
        }
        if self.missing > 0 {
            let text = ", accepted in earlier runs, which the service has lost: not in these inputs";
            sums.push(("  missing", grouped(self.missing) + text));
        }
        if self.lost > 0 {
            let text = ", accepted, which the service has lost meanwhile: run the same command again";
            sums.push(("  lost", grouped(self.lost) + text));
        }
        if self.left_out > 0 {
            sums.push(("  left out", grouped(self.left_out) + ", which the service already has to import"));
        }
        if self.not_sent > 0 {
            sums.push(("  not sent yet", grouped(self.not_sent)));
        }
        sums.extend(self.balance());
        let warnings = warnings(self.warnings, self.with_warnings, self.warnings_across_accounts);
        sums.extend([
            ("Warnings", warnings),
            ("Time", duration(self.counts.all(), self.milliseconds)),
            ("Time zone", named(&self.time_zones)),
            ("Journal", self.journal.clone()),
        ]);
        sums
    }

    fn of_copies(&self) -> String {
        match self.differing {
            0 => ": each account is sent once".to_owned(),
            _ => format!(
                ", with other content {}: the last one of each account is sent",
                grouped(self.differing)
            ),
        }
    }

    /// Totals of what was sent.
    fn balance(&self) -> Vec<(&'static str, String)> {
        if self.totals.is_incomplete {
            return vec![("Sent", "not known for every account".to_owned())];
        }
        let totals = self.totals.totals;
        vec![
            ("Ledger balance", crate::output::money(totals.ledger_balance)),
            ("Readings", grouped(totals.readings)),
            ("Transactions", grouped(totals.transactions)),
            ("Documents", grouped(totals.documents)),
        ]
    }

    /// Content of the HTML report, about accounts.
    pub(super) fn page(&self) -> Page {
        Page {
            title: "Upload of accounts",
            alerts: alerts(self.interrupted, self.fault.as_deref(), self.unreadable_files)
                .into_iter()
                .chain(expect::alerts(self.differences.as_deref()))
                .collect(),
            sums: self.sums().into_iter().map(|(name, value)| (name.trim_start(), value)).collect(),
            remark: not_compared(self.not_compared),
            tops: self.causes.tops(),
        }
    }
}
