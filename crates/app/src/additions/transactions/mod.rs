//! Adds transactions to the first ledger of an imported account (contract 4.2, D8).

mod add;
mod balance;
mod period;
mod placement;
mod refusal;

use super::AddRefused;
use super::request::{check_at_once, contents, known, number, request, valid};
use crate::App;
use crate::account::profile;
use crate::auth::Caller;
use crate::port::{MayConflict, StoreError, write_with_retry};
use add::Addition;
use cutover_core::{AttrPath, Code, Issue, IssueSource};
use cutover_model::{
    IntoOwned, TransactionResult, TransactionStatus, certificate, decode_transactions, draft,
};
use cutover_rules::service::PST_19;
use cutover_rules::{check_transactions, rule};
pub use refusal::TransactionsRefused;
use refusal::failed;

request!(TransactionsRequest: decode_transactions, check_transactions, import_supplier);

/// The query parameters of the request (contract 4.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AddTransactions {
    /// If set, transactions that the account has are skipped.
    pub check_previously_added: bool,
    /// If set, transactions outside of the open statement period are moved into it.
    pub force_add_to_current_statement: bool,
}

impl Default for AddTransactions {
    fn default() -> Self {
        Self { check_previously_added: true, force_add_to_current_statement: true }
    }
}

impl App {
    /// Adds transactions to an imported account (contract 4.2, D8), all of them or none, and updates the
    /// ledger's balance. An invalid query is passed as the names of its invalid parameters, which are
    /// reported with the other errors (contract D4).
    ///
    /// # Errors
    /// [`TransactionsRefused`]; nothing is stored then.
    pub fn add_transactions(
        &self,
        caller: &Caller,
        body: &[u8],
        query: Result<AddTransactions, Vec<&'static str>>,
    ) -> Result<Vec<TransactionResult>, TransactionsRefused> {
        let mut checked = check_at_once::<draft::TransactionsRequest<'_>>(self, caller, body)?;
        let query = query.unwrap_or_else(|names| {
            checked.report.errors.extend(names.into_iter().filter_map(faulty_parameter));
            AddTransactions::default()
        });
        let warnings = checked.warnings(IssueSource::Transactions);
        let (request, supplier, now) = checked.accepted().map_err(|refused| failed(refused, body))?;
        let request = valid(request.into_valid())?.into_owned();
        let supplier = known(supplier)?;
        let number = number(&request.external_account_number)?;
        let is_dry_run = request.dry_run.unwrap_or_default();
        let addition = Addition {
            supplier_id: supplier.id,
            number,
            transactions: request.transactions,
            contents: contents(certificate::Addition::Transaction, body)?,
            warnings,
            charged_twice: profile(Some(&supplier)).level(&PST_19),
            query,
            now,
        };
        let written = write_with_retry(&*self.store, move |tx| {
            let results = addition.commit(tx)?;
            // The store takes back what a job has done that fails.
            if is_dry_run { Err(Undone::DryRun(results)) } else { Ok(results) }
        });
        match written {
            Ok(results) => Ok(results),
            Err(Undone::DryRun(results)) => Ok(results.into_iter().map(not_kept).collect()),
            Err(Undone::Refused(refused)) => Err(failed(refused, body)),
        }
    }
}

/// Why nothing is kept of a request.
enum Undone {
    /// It is refused.
    Refused(AddRefused),
    /// It is a dry run with these results.
    DryRun(Vec<TransactionResult>),
}

impl From<AddRefused> for Undone {
    fn from(refused: AddRefused) -> Self {
        Self::Refused(refused)
    }
}

impl From<StoreError> for Undone {
    fn from(error: StoreError) -> Self {
        Self::Refused(error.into())
    }
}

impl MayConflict for Undone {
    fn is_conflict(&self) -> bool {
        matches!(self, Self::Refused(refused) if refused.is_conflict())
    }
}

/// The result of a transaction in a dry run: one that it added has no number.
fn not_kept(result: TransactionResult) -> TransactionResult {
    match result.status {
        TransactionStatus::Added => TransactionResult { added_transaction_id: None, ..result },
        TransactionStatus::Exists => result,
    }
}

/// Returns the issue of an invalid parameter (rule STR-04).
fn faulty_parameter(name: &'static str) -> Option<Issue> {
    rule("STR-04").map(|rule| rule.issue(AttrPath::root().name(name), Code::Invalid))
}
