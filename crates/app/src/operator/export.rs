use super::erase::locked;
use super::processes::report;
use super::{OperatorError, ProcessReport, Told};
use crate::App;
use crate::codec::unpack;
use crate::port::{AuditAction, Subject};
use chrono::{DateTime, Utc};

/// All that is kept of an account.
#[derive(Debug, Clone)]
pub struct AccountExport {
    /// The code of its supplier.
    pub supplier: String,
    /// When this was so.
    pub at: DateTime<Utc>,
    /// Its import, and what was imported with all that was added since.
    pub report: ProcessReport,
    /// The JSON that was accepted, as it was sent; `None` if it is archived.
    pub payload: Option<Vec<u8>>,
}

impl App {
    /// All that is kept of an account, to be handed out: that is told first. It is of one state of the
    /// account.
    ///
    /// # Errors
    /// [`OperatorError::NotFound`] if there is no such supplier or process.
    pub fn export_account(&self, supplier: &str, number: &str) -> Result<AccountExport, OperatorError> {
        let (code, number) = (supplier.to_owned(), number.to_owned());
        self.act(&self.operator, AuditAction::AccountExported, move |tx, at| {
            let (supplier, stored) = locked(tx, &code, &number)?;
            let id = stored.process.id();
            let staged = tx.staged(id)?;
            let export = AccountExport {
                supplier: supplier.code.to_string(),
                at,
                report: report(tx, &supplier, &stored)?,
                payload: staged.map(|staged| unpack(&staged.payload)).transpose()?,
            };
            Ok((export, Told::of(Subject::process(&supplier, id))))
        })
    }
}
