use super::lookup::find;
use super::{Audited, OperatorError};
use crate::App;
use crate::port::{AuditAction, Detail, Reconciliation, StoreError, Subject, Supplier, read};

impl App {
    /// Returns what a supplier has declared, sent and got imported (contract D17).
    ///
    /// # Errors
    /// [`OperatorError::NotFound`] if there is no such supplier.
    pub fn show_reconciliation(&self, code: &str) -> Result<(Supplier, Reconciliation), OperatorError> {
        let found = read(&*self.store, |tx| {
            let Some(supplier) = find(tx, code)? else { return Ok(None) };
            let figures = tx.reconciliation(supplier.id)?;
            Ok::<_, StoreError>(Some((supplier, figures)))
        })?;
        found.ok_or_else(|| OperatorError::not_found("supplier", code))
    }

    /// Removes the manifest of a supplier, for example one that is wrong and that nobody can replace.
    ///
    /// # Errors
    /// [`OperatorError`]: no such supplier, or it has declared none.
    pub fn remove_manifest(&self, code: &str) -> Result<(), OperatorError> {
        let code = code.to_owned();
        self.run_audited(&self.operator, AuditAction::ManifestRemoved, move |tx, _| {
            let supplier = find(tx, &code)?.ok_or_else(|| OperatorError::not_found("supplier", &code))?;
            let manifest = tx.manifest(supplier.id)?;
            let none = || OperatorError::Refused("it has declared no manifest".into());
            let declared = manifest.ok_or_else(none)?.declared;
            tx.set_manifest(supplier.id, None)?;
            let detail = Detail::default()
                .count("accounts", declared.accounts)
                .word("ledger-balance", declared.ledger_balance);
            Ok::<_, OperatorError>(((), Audited { subject: Subject::supplier(&supplier), detail }))
        })
    }
}
