//! Imported accounts whose totals differ from those that were sent.

use super::compare::Comparison;
use crate::error::Error;
use crate::journal::{LatestRecords, Record};
use crate::report::{Reports, Row};
use crate::service::{Fault, Service};
use cutover_core::{Code, Level};
use cutover_model::Totals;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// Page size: the accounts are read for it.
const PAGE: usize = 1_000;
const PATIENCE: Duration = Duration::from_secs(60);
/// Maximum number of accounts that the summary names.
const MAX_NAMED: usize = 10;
/// Code of their rows in reports.
const CODE: Code = Code::TotalsDiffer;

/// The imported accounts whose totals differ from those that were sent.
#[derive(Debug, Clone, Default, Serialize)]
pub(super) struct Differing {
    pub(super) count: u64,
    /// The first ones imported; at most ten.
    pub(super) examples: Vec<DifferingAccount>,
}

/// An account whose totals differ.
#[derive(Debug, Clone, Serialize)]
pub(super) struct DifferingAccount {
    pub(super) external_account_number: String,
    pub(super) file: String,
    pub(super) line: u32,
    #[serde(flatten)]
    pub(super) comparison: Comparison,
}

/// The totals of an imported account, as the service lists them.
#[derive(Deserialize)]
struct Imported {
    external_account_number: String,
    ledger_balance: String,
    readings: u64,
    transactions: u64,
    documents: u64,
}

impl Imported {
    fn totals(&self) -> Option<Totals> {
        let ledger_balance = self.ledger_balance.parse().ok()?;
        let (readings, transactions, documents) = (self.readings, self.transactions, self.documents);
        Some(Totals { accounts: 1, ledger_balance, readings, transactions, documents, ..Totals::default() })
    }
}

/// Compares the totals of each imported account with those in the journals, and reports those that differ. Returns
/// `None` if the service is of an earlier version, which does not list them.
///
/// # Errors
/// [`Error`] if the service does not answer, or a journal or report fails.
pub(super) async fn find(
    service: &Service,
    supplier: &str,
    records: &mut LatestRecords,
    reports: &mut Reports,
) -> Result<Option<Differing>, Error> {
    let mut found = Differing::default();
    let path = ["v2", "data-import", "import-suppliers", supplier, "account-totals"];
    let each = async |account: Imported| {
        let foreign = || Fault::permanent("the list of totals has an unknown format");
        let imported = account.totals().ok_or_else(foreign)?;
        let Some(record) = records.get(supplier, &account.external_account_number)? else { return Ok(()) };
        let sent = record.totals.as_ref().filter(|_| record.outcome.is_stored());
        let Some(sent) = sent.and_then(|sums| sums.totals()) else { return Ok(()) };
        let comparison = Comparison { sent, imported };
        if !comparison.agrees() {
            found.add(supplier, account.external_account_number, &record, comparison, reports)?;
        }
        Ok(())
    };
    let is_listed = service.pages(&path, format!("page_size={PAGE}"), PATIENCE, || true, each).await?;
    Ok(is_listed.then_some(found))
}

impl Differing {
    fn add(
        &mut self,
        supplier: &str,
        number: String,
        record: &Record,
        comparison: Comparison,
        reports: &mut Reports,
    ) -> Result<(), Error> {
        self.count += 1;
        reports.add(&Row {
            file: Some(&record.file),
            line: Some(record.line.into()),
            import_supplier: Some(supplier),
            external_account_number: Some(&number),
            level: Level::Error.as_str(),
            attr: None,
            code: CODE.as_str(),
            detail: &differences(&comparison),
            source: None,
        })?;
        if self.examples.len() < MAX_NAMED {
            let (file, line) = (record.file.clone(), record.line);
            self.examples.push(DifferingAccount { external_account_number: number, file, line, comparison });
        }
        Ok(())
    }

    /// A line for each account that is named.
    pub(super) fn lines(&self) -> Vec<String> {
        let line = |account: &DifferingAccount| {
            let DifferingAccount { external_account_number: number, file, line, comparison } = account;
            format!("{number} ({file}:{line}): {}", differences(comparison))
        };
        self.examples.iter().map(line).collect()
    }
}

/// The totals that differ, in words.
fn differences(comparison: &Comparison) -> String {
    let differs = comparison.lines().into_iter().filter(|line| line.shown[0] != line.shown[1]);
    let words = differs.map(|line| {
        let [sent, imported, _] = line.shown;
        format!("{} {sent} sent, {imported} imported", line.title.to_lowercase())
    });
    words.collect::<Vec<_>>().join("; ")
}
