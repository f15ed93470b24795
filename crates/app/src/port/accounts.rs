use super::{StoreError, VerifiedInstruction};
use chrono::{DateTime, Utc};
use cutover_core::{ExternalAccountNumber, ServiceAccountNumber, Zone};
use cutover_model::{Account, HistoricalStatement};
use cutover_rules::SoughtMeterPoint;

/// An account to be written: all of a payload, or nothing.
#[derive(Debug, Clone)]
pub struct NewAccount {
    /// Its number at this service; unique.
    pub number: ServiceAccountNumber,
    /// The process that imports it.
    pub process_id: i64,
    /// Its supplier.
    pub supplier_id: i64,
    /// Whether the retailer's mailer may write to its customers (contract D1).
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
    /// Statements that were added since, oldest first.
    pub historical_statements: Vec<HistoricalStatement<'static>>,
    /// Payment instructions that were added since and confirmed by their vendors, oldest first.
    pub verified_instructions: Vec<VerifiedInstruction>,
}

/// Whether a meter point is taken: whether an imported account of the organisation, other than that of this
/// supplier and number, has it without an end of supply, or with one after the start sought.
#[derive(Debug, Clone, Copy)]
pub struct MeterPointQuestion<'a> {
    /// Whose accounts are looked at.
    pub organisation_id: i64,
    /// With the number: the account that may have it.
    pub supplier_id: i64,
    /// Of the account that may have it.
    pub number: &'a ExternalAccountNumber,
    /// The meter point and the start of its supply.
    pub sought: &'a SoughtMeterPoint,
}

/// Imported accounts.
pub trait Accounts {
    /// Writes accounts, each with all that belongs to it.
    ///
    /// # Errors
    /// [`StoreError::Conflict`] if a number is taken or a process has an account.
    fn insert_accounts(&mut self, accounts: &[&NewAccount]) -> Result<(), StoreError>;

    /// Holds other transactions that do the same off until this one ends: what is then read of the account
    /// and added to it comes after all that they added. Whether there is such an account: it may have been
    /// erased while others were waited for.
    fn lock_account(&mut self, account_id: i64) -> Result<bool, StoreError>;

    /// The account that a process imported.
    fn imported_account(
        &mut self,
        process_id: i64,
        zone: Zone,
    ) -> Result<Option<ImportedAccount>, StoreError>;

    /// For each question, whether its meter point is taken (rules PST-12).
    fn are_meter_points_taken(
        &mut self,
        questions: &[MeterPointQuestion<'_>],
    ) -> Result<Vec<bool>, StoreError>;
}
