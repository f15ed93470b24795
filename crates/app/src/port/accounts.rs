use super::StoreError;
use chrono::{DateTime, Utc};
use cutover_core::{ServiceAccountNumber, Zone};
use cutover_model::Account;

/// An account to be written: all of a payload, or nothing.
#[derive(Debug, Clone)]
pub struct NewAccount {
    /// Its number at this service; unique.
    pub number: ServiceAccountNumber,
    /// The process that imports it.
    pub process_id: i64,
    /// Its supplier.
    pub supplier_id: i64,
    /// Whether the retailer's mailer may write to its customers (decisions D1).
    pub customer_emails: bool,
    /// Where its datetimes without offset are.
    pub zone: Zone,
    /// When it is imported.
    pub imported_at: DateTime<Utc>,
    /// What is imported.
    pub account: Account<'static>,
}

/// An account as stored, with what was added since its import.
#[derive(Debug, Clone, PartialEq)]
pub struct ImportedAccount {
    /// Its number at this service.
    pub number: ServiceAccountNumber,
    /// Whether the retailer's mailer may write to its customers.
    pub customer_emails: bool,
    /// What is stored of it, in the shape of the payload: decimals as strings with the digits sent,
    /// datetimes with the offset of the zone that was asked for.
    pub account: Account<'static>,
}

/// Imported accounts.
pub trait Accounts {
    /// Writes an account with all that belongs to it.
    ///
    /// # Errors
    /// [`StoreError::Conflict`] if the number is taken or the process has an account.
    fn insert_account(&mut self, account: &NewAccount) -> Result<(), StoreError>;

    /// The account that a process imported.
    fn imported_account(
        &mut self,
        process_id: i64,
        zone: Zone,
    ) -> Result<Option<ImportedAccount>, StoreError>;
}
