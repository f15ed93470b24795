use super::{Audited, Operations, OperatorError};
use crate::port::{AuditAction, Detail, Reconciliation, Subject, Supplier};

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
            let detail = Detail::default()
                .count("accounts", declared.accounts)
                .word("ledger-balance", declared.ledger_balance);
            Ok(((), Audited { subject: Subject::supplier(&supplier), detail }))
        })
    }
}
