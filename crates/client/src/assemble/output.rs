//! The receiver of accounts and other requests that are made of tables.

use super::lineage::MadeAccount;
use crate::error::Error;
use crate::origin::TableFinding;
use cutover_model::tables::Row;

/// Takes accounts and findings.
pub(super) trait Output {
    /// Takes a finding. Those about the rows of an account follow each other, and come before the account.
    ///
    /// # Errors
    /// [`Error`] if it cannot be written.
    fn finding(&mut self, finding: &TableFinding<'_>) -> Result<(), Error>;

    /// Takes the rows of an account, whether they make one or not.
    fn rows(&mut self, _rows: &[Row<'_>]) {}

    /// Takes an account. There is none if the rows do not make one.
    ///
    /// # Errors
    /// [`Error`] if it cannot be written.
    fn account(&mut self, account: &MadeAccount<'_>) -> Result<(), Error>;
}
