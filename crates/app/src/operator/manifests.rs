use super::{Audited, Operations, OperatorError};
use crate::account::{NumberDifference, NumbersPage, number_examples, page_of_numbers};
use crate::port::{AuditAction, Detail, Reconciliation, Subject, Supplier};

/// Maximum number of examples.
const EXAMPLES: usize = 10;

/// The account numbers that a supplier has declared, beside its accounts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeclaredNumbers {
    /// Number of account numbers.
    pub declared: u64,
    /// Some that were not sent.
    pub missing: Vec<String>,
    /// Some accounts that were sent and are not declared.
    pub unexpected: Vec<String>,
}

impl Operations<'_> {
    /// Returns what a supplier has declared, sent and got imported (contract D17).
    ///
    /// # Errors
    /// [`OperatorError::NotFound`] if there is no such supplier.
    pub fn show_reconciliation(&self, code: &str) -> Result<(Supplier, Reconciliation), OperatorError> {
        self.read(|tx| {
            let supplier = tx.supplier(code)?;
            let figures = tx.reconciliation(supplier.id)?;
            Ok((supplier, figures))
        })
    }

    /// Returns a page of the accounts of a supplier that are missing, or too many, beside the account numbers that it has
    /// declared.
    ///
    /// # Errors
    /// [`OperatorError`]: no such supplier, or it has declared none.
    pub fn number_differences(
        &self,
        code: &str,
        difference: NumberDifference,
        after: &str,
        limit: u32,
    ) -> Result<NumbersPage, OperatorError> {
        self.read(|tx| {
            let supplier = tx.supplier(code)?;
            let page = page_of_numbers(tx.rows(), supplier.id, difference, after, limit)?;
            page.ok_or_else(|| OperatorError::Refused("it has declared no account numbers".into()))
        })
    }

    /// Returns how many account numbers a supplier has declared, and the first accounts that are missing and too many, at most
    /// ten each; `None` if it has declared none.
    ///
    /// # Errors
    /// [`OperatorError::NotFound`] if there is no such supplier.
    pub fn show_numbers(&self, code: &str) -> Result<Option<DeclaredNumbers>, OperatorError> {
        self.read(|tx| {
            let supplier = tx.supplier(code)?;
            let Some(declared) = tx.number_lists(supplier.id)?.and_then(|lists| lists.declared) else {
                return Ok(None);
            };
            let mut some = |difference| number_examples(tx.rows(), supplier.id, difference, EXAMPLES);
            let missing = some(NumberDifference::Missing)?;
            Ok(Some(DeclaredNumbers { declared, missing, unexpected: some(NumberDifference::Unexpected)? }))
        })
    }

    /// Removes the manifest of a supplier, for example one that is wrong and that nobody can replace.
    ///
    /// # Errors
    /// [`OperatorError`]: no such supplier, or it has declared none.
    pub fn remove_manifest(&self, code: &str) -> Result<(), OperatorError> {
        let code = code.to_owned();
        self.act(AuditAction::ManifestRemoved, move |tx, _| {
            let supplier = tx.supplier(&code)?;
            let manifest = tx.manifest(supplier.id)?;
            let none = || OperatorError::Refused("it has declared no manifest".into());
            let declared = manifest.ok_or_else(none)?.declared;
            tx.set_manifest(supplier.id, None)?;
            tx.drop_numbers(supplier.id)?;
            let detail = Detail::default()
                .count("accounts", declared.accounts)
                .word("ledger-balance", declared.ledger_balance);
            Ok(((), Audited { subject: Subject::supplier(&supplier), detail }))
        })
    }
}
