use super::compare::{Comparison, table};
use super::differing::Differing;
use super::progress::TopCause;
use super::view;
use crate::assemble::TableCounts;
use crate::exit::Exit;
use crate::journal::Sums;
use crate::output::{document, grouped};
use crate::report::{Causes, Page};
use cutover_core::plain;
use cutover_model::{Others, Totals};
use serde::Serialize;

/// Result of the comparison: sent, imported, and why the rest is not imported.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Summary {
    pub(super) supplier: String,
    /// True if the journals are about dry runs, of which nothing is imported.
    pub(super) dry_run: bool,
    pub(super) journals: Vec<String>,
    /// True if exactly the accounts that were sent are imported.
    pub(super) agrees: bool,
    /// True if the journal has no totals of an account that the service has.
    pub(super) is_incomplete: bool,
    #[serde(flatten)]
    pub(super) comparison: Comparison,
    /// What the supplier has declared (contract D17); `None` without a manifest.
    pub(super) declared: Option<Declared>,
    /// Imported accounts whose totals differ; `None` if the service does not list them.
    pub(super) differing: Option<Differing>,
    /// The tables of which accounts of the files were made, with everything that was found about them; `None` without
    /// tables.
    pub(super) tables: Option<TableCounts>,
    pub(super) not_imported: NotImported,
    /// Errors of accounts that the service did not take, from the journal.
    #[serde(flatten)]
    pub(super) causes: Causes,
    /// Errors of imports, from the service.
    pub(super) import_errors: Vec<TopCause>,
    /// Number of the errors that are not listed.
    pub(super) other_import_errors: Others,
    /// Warnings of accounts, from the service.
    pub(super) import_warnings: Vec<TopCause>,
    /// Number of the warnings that are not listed.
    pub(super) other_import_warnings: Others,
}

/// A manifest beside what the journals have sent.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Declared {
    accounts: u64,
    #[serde(flatten)]
    sums: Sums,
    /// True if the journals have sent exactly this.
    agrees: bool,
}

impl Declared {
    pub(super) fn new(declared: Totals, sent: &Totals) -> Self {
        Self { accounts: declared.accounts, sums: declared.into(), agrees: declared == *sent }
    }

    fn text(&self) -> String {
        let Sums { ledger_balance, readings, transactions, documents } = &self.sums;
        let agrees = if self.agrees { "Sent is as declared" } else { "Sent is not as declared" };
        let [accounts, readings, transactions, documents] =
            [self.accounts, *readings, *transactions, *documents].map(grouped);
        format!(
            "{agrees}: {accounts} accounts, {} ledger balance, {readings} readings, {transactions} transactions, \
             {documents} documents.\n",
            plain(&cutover_core::grouped(ledger_balance))
        )
    }
}

/// Numbers of accounts that are not imported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub(super) struct NotImported {
    /// From the journal.
    pub(super) faulty: u64,
    pub(super) refused: u64,
    pub(super) failed: u64,
    pub(super) unconfirmed: u64,
    /// From the files and the journal.
    pub(super) not_sent: u64,
    pub(super) changed: u64,
    pub(super) differing_copies: u64,
    pub(super) unreadable_files: u64,
    /// From the service.
    pub(super) pending: u64,
    pub(super) in_progress: u64,
    pub(super) errored: u64,
    pub(super) cancelled: u64,
    pub(super) dry_run_succeeded: u64,
    pub(super) dry_run_errored: u64,
}

impl NotImported {
    /// True if every account of the files was taken by the service as it is there. Those that it took and did not import
    /// show in the sums.
    fn is_complete(&self) -> bool {
        let Self { faulty, refused, failed, unconfirmed, not_sent, changed, .. } = *self;
        let not_taken = [faulty, refused, failed, unconfirmed, not_sent, changed];
        not_taken.iter().sum::<u64>() + self.differing_copies == 0
    }
}

impl Summary {
    /// Exit code.
    pub(super) fn exit(&self) -> Exit {
        let is_as_declared = self.declared.as_ref().is_none_or(|declared| declared.agrees);
        let is_whole = self.tables.is_none_or(|tables| tables.findings == 0);
        let is_imported =
            self.agrees && is_as_declared && is_whole && !self.dry_run && self.not_imported.is_complete();
        match (self.not_imported.unreadable_files, is_imported) {
            (1.., _) => Exit::Failed,
            (0, true) => Exit::Success,
            (0, false) => Exit::Faulty,
        }
    }

    /// One JSON document for programs.
    pub(super) fn json(&self) -> String {
        document(self)
    }

    /// Text for people.
    pub(super) fn text(&self) -> String {
        let mut text = table(&self.comparison.lines()) + "\n" + self.verdict() + "\n";
        text += &self.declared.as_ref().map(Declared::text).unwrap_or_default();
        text += &self.tables.map(|tables| format!("Tables: {tables}.\n")).unwrap_or_default();
        let reasons = self.reasons();
        if !reasons.is_empty() {
            text += "\nNot imported\n";
            text.extend(reasons.iter().map(|(name, value)| format!("  {name:30}{value}\n")));
        }
        text += &self.differing_accounts();
        text += &self.causes.text();
        text += &view::causes("Errors", &self.import_errors, &self.other_import_errors);
        text += &view::causes("Warnings", &self.import_warnings, &self.other_import_warnings);
        text + "\nJournal  " + &plain(&self.journals.join(", ")) + "\n"
    }

    fn verdict(&self) -> &'static str {
        match (self.agrees, self.is_incomplete) {
            _ if self.dry_run => "A dry run: nothing of it is imported.",
            (true, _) => "The sums agree.",
            (_, true) => "The journal lacks the totals of some accounts that were sent.",
            _ => "The sums do not agree.",
        }
    }

    /// The accounts whose totals differ; empty if there are none.
    fn differing_accounts(&self) -> String {
        let Some(differing) = self.differing.as_ref().filter(|differing| differing.count > 0) else {
            return String::new();
        };
        let mut text = format!("\nImported with other totals: {}\n", grouped(differing.count));
        text.extend(differing.lines().iter().map(|line| format!("  {}\n", plain(line))));
        if differing.count > differing.examples.len() as u64 {
            text += "  and others; --report names all\n";
        }
        text
    }

    /// Reasons why accounts are not imported, with their numbers.
    fn reasons(&self) -> Vec<(&'static str, String)> {
        let not = &self.not_imported;
        let all = [
            ("faulty, not sent", not.faulty),
            ("refused by the service", not.refused),
            ("failed, to be sent again", not.failed),
            ("being imported when sent", not.unconfirmed),
            ("not sent yet", not.not_sent),
            ("changed since they were sent", not.changed),
            ("copies with other content", not.differing_copies),
            ("unreadable files", not.unreadable_files),
            ("pending", not.pending),
            ("in progress", not.in_progress),
            ("errored in the import", not.errored),
            ("cancelled by the operator", not.cancelled),
            ("dry run only, succeeded", not.dry_run_succeeded),
            ("dry run only, errored", not.dry_run_errored),
        ];
        let some = all.into_iter().filter(|(_, count)| *count > 0);
        some.map(|(name, count)| (name, grouped(count))).collect()
    }

    /// Content of the HTML report.
    pub(super) fn page(&self) -> Page {
        let differing = self.differing.as_ref().filter(|differing| differing.count > 0);
        let differing = differing.map(|differing| ("Imported with other totals", grouped(differing.count)));
        let tables = self.tables.map(|tables| ("Tables", tables.to_string()));
        let sums = self.comparison.lines().into_iter().map(|line| {
            let [sent, imported, difference] = line.shown;
            (line.title, format!("{sent} sent, {imported} imported, difference {difference}"))
        });
        Page {
            title: "Sent and imported",
            alerts: match (self.agrees, self.exit()) {
                (false, _) => vec![self.verdict().to_owned()],
                (true, Exit::Success) => Vec::new(),
                (true, _) => {
                    vec![
                        "Not every account or row of the files is imported, or the manifest differs."
                            .to_owned(),
                    ]
                }
            },
            sums: sums.chain(differing).chain(tables).chain(self.reasons()).collect(),
            remark: if self.agrees { self.verdict().to_owned() } else { String::new() },
            tops: self.causes.tops(),
        }
    }
}
