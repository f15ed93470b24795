//! Adds transactions to the first ledger of an imported account (contract 4.2, D8).

mod add;
mod balance;
mod period;
mod placement;
mod refusal;

use super::request::{check_at_once, contents, known, number, request, valid};
use crate::App;
use crate::auth::Caller;
use crate::port::write_with_retry;
use add::Addition;
use cutover_core::{AttrPath, Code, Issue, IssueSource};
use cutover_model::{IntoOwned, TransactionResult, certificate, decode_transactions, draft};
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
        let addition = Addition {
            supplier_id: supplier.id,
            number,
            transactions: request.transactions,
            contents: contents(certificate::Addition::Transaction, body)?,
            warnings,
            query,
            now,
        };
        write_with_retry(&*self.store, move |tx| addition.commit(tx)).map_err(|refused| failed(refused, body))
    }
}

/// Returns the issue of an invalid parameter (rule STR-04).
fn faulty_parameter(name: &'static str) -> Option<Issue> {
    rule("STR-04").map(|rule| rule.issue(AttrPath::root().name(name), Code::Invalid))
}
