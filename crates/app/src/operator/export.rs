use super::erase::locked;
use super::processes::report;
use super::{Audited, Operations, OperatorError, ProcessReport};
use crate::codec::unpack;
use crate::port::{AuditAction, Subject};
use chrono::{DateTime, Utc};

/// All data of an account.
#[derive(Debug, Clone)]
pub struct AccountExport {
    /// The code of its supplier.
    pub supplier: String,
    /// Time of the export.
    pub at: DateTime<Utc>,
    /// The report on its import, with the imported account and all additions.
    pub report: ProcessReport,
    /// The accepted JSON, as it was sent; `None` if it is archived.
    pub payload: Option<Vec<u8>>,
}

impl Operations<'_> {
    /// Exports all data of an account in one consistent state, and records that in the audit trail.
    ///
    /// # Errors
    /// [`OperatorError::NotFound`] if there is no such supplier or process.
    pub fn export_account(&self, supplier: &str, number: &str) -> Result<AccountExport, OperatorError> {
        let (code, number) = (supplier.to_owned(), number.to_owned());
        self.act(AuditAction::AccountExported, move |tx, clock| {
            let (supplier, stored) = locked(tx, &code, &number)?;
            let id = stored.process.id();
            let staged = tx.staged(id)?;
            let export = AccountExport {
                supplier: supplier.code.to_string(),
                at: clock.now(),
                report: report(tx.rows(), &supplier, &stored, clock.now())?,
                payload: staged.map(|staged| unpack(&staged.payload)).transpose()?,
            };
            Ok((export, Audited::of(Subject::process(&supplier, id))))
        })
    }
}
