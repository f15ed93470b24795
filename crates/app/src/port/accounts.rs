use super::{Position, StoreError, VerifiedInstruction};
use chrono::{DateTime, NaiveDate, Utc};
use cutover_core::{ExternalAccountNumber, ServiceAccountNumber, Zone};
use cutover_model::{Account, Encode, HistoricalStatement, RowCounts, Totals, Writer};
use cutover_rules::{MeterPointHolder, MeterPointKey};

/// An account to be written, with everything in its payload.
#[derive(Debug, Clone)]
pub struct NewAccount {
    /// Its unique number at this service.
    pub number: ServiceAccountNumber,
    /// The process that imports it.
    pub process_id: i64,
    /// Its supplier.
    pub supplier_id: i64,
    /// The supplier's organisation.
    pub organisation_id: i64,
    /// If set, the retailer's mailer may write to its customers (contract D1).
    pub customer_emails: bool,
    /// The zone of its datetimes without offset.
    pub zone: Zone,
    /// Time of the import.
    pub imported_at: DateTime<Utc>,
    /// The account of the payload.
    pub account: Account<'static>,
    /// The totals of the account.
    pub totals: Totals,
}

/// An account as stored, with what was added since its import.
#[derive(Debug, Clone, PartialEq)]
pub struct ImportedAccount {
    /// Its number at this service.
    pub number: ServiceAccountNumber,
    /// If set, the retailer's mailer may write to its customers.
    pub customer_emails: bool,
    /// The stored account in the shape of the payload, with what was added to its lists, and its datetimes in UTC.
    pub account: Account<'static>,
    /// Statements added since the import, oldest first.
    pub historical_statements: Vec<HistoricalStatement<'static>>,
    /// Payment instructions added since the import and confirmed by their vendors, oldest first.
    pub verified_instructions: Vec<VerifiedInstruction>,
}

impl ImportedAccount {
    /// The stored account in the shape of the payload, as JSON: decimals as strings with the digits sent, datetimes
    /// with the offset of the zone.
    pub fn account_json(&self, zone: Zone) -> Vec<u8> {
        let mut writer = Writer::normal(Zone::UTC, zone);
        self.account.encode(&mut writer);
        writer.into_bytes()
    }

    /// The control totals without rows, with everything that was added since the import (contract D12).
    pub fn totals(&self, zone: Zone) -> Totals {
        let statements = self.historical_statements.iter();
        let named = statements
            .filter(|statement| cutover_model::service::names_document(statement.statement_path.as_ref()));
        let totals = Totals::of(&self.account, zone);
        Totals { documents: totals.documents + named.count() as u64, rows: RowCounts::default(), ..totals }
    }

    /// Everything as one JSON object: the members of [`account_json`](Self::account_json); before them are
    /// `service_account_number` and `customer_emails`, after them `historical_statements` and
    /// `verified_payment_instructions`, if any were added.
    pub fn to_json(&self, zone: Zone) -> Vec<u8> {
        let payload = self.account_json(zone);
        let members = payload.strip_prefix(b"{").and_then(|rest| rest.strip_suffix(b"}"));
        let members = members.and_then(|members| std::str::from_utf8(members).ok()).unwrap_or_default();
        let mut writer = Writer::new().into(Vec::with_capacity(payload.len() + 256));
        writer.object(|writer| {
            writer.name("service_account_number");
            writer.string(self.number.as_str());
            writer.name("customer_emails");
            writer.raw(if self.customer_emails { "true" } else { "false" });
            writer.raw(members);
            if !self.historical_statements.is_empty() {
                writer.name("historical_statements");
                writer
                    .array(|writer| self.historical_statements.iter().for_each(|added| added.encode(writer)));
            }
            if !self.verified_instructions.is_empty() {
                writer.name("verified_payment_instructions");
                writer.array(|writer| {
                    self.verified_instructions.iter().for_each(|added| added.write(zone, writer))
                });
            }
        });
        writer.into_bytes()
    }
}

/// A page of the imported accounts of a supplier. It may have fewer than requested although others follow, but at least
/// one if any follow.
#[derive(Debug, Clone, PartialEq)]
pub struct ImportedPage {
    /// The accounts in import order, each with its position: the time of its import and the key of its process.
    pub accounts: Vec<(Position, ImportedAccount)>,
    /// True if others follow.
    pub has_more: bool,
}

/// Asks if a meter point is taken: another imported account of the organisation has it, with no end of supply
/// or one after the start of the supply in question.
#[derive(Debug, Clone, Copy)]
pub struct MeterPointQuestion<'a> {
    /// The organisation whose accounts are searched.
    pub organisation_id: i64,
    /// The supplier of the account that is not searched.
    pub supplier_id: i64,
    /// The number of the account that is not searched.
    pub number: &'a ExternalAccountNumber,
    /// The meter point and the start of its supply.
    pub sought: &'a MeterPointKey,
}

/// An imported account that has a meter point, and the values by which it is chosen from several.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeldMeterPoint {
    /// The account's key, which is that of its process.
    pub account_id: i64,
    /// The end of the supply, if it has one.
    pub supply_end: Option<NaiveDate>,
    /// The account as rules name it.
    pub holder: MeterPointHolder,
}

/// Queries of imported accounts.
pub trait Accounts {
    /// Writes accounts with everything that belongs to them.
    ///
    /// # Errors
    /// [`StoreError::Conflict`] if a number is taken or a process has an account.
    fn insert_accounts(&mut self, accounts: &[&NewAccount]) -> Result<(), StoreError>;

    /// Locks an account until the transaction ends. Reads after it see everything that earlier holders of the
    /// lock added. Returns false if there is no such account: it may have been erased during the wait.
    fn lock_account(&mut self, account_id: i64) -> Result<bool, StoreError>;

    /// Returns the accounts that processes imported, in the order of the keys, each with its position in import order. Not
    /// all are looked up if they are large. Returns how many keys were: at least one, if there are any.
    fn imported_accounts(
        &mut self,
        process_ids: &[i64],
    ) -> Result<(Vec<(Position, ImportedAccount)>, usize), StoreError>;

    /// Returns the account that a process imported.
    fn imported_account(&mut self, process_id: i64) -> Result<Option<ImportedAccount>, StoreError> {
        let (mut found, _) = self.imported_accounts(&[process_id])?;
        Ok(found.pop().map(|(_, account)| account))
    }

    /// Returns the accounts of a supplier after a position, or from the first one on, in import order. An account that
    /// is committed later may have an earlier position; its event is then after [`Feed::feed_end`](super::Feed::feed_end)
    /// as it was before the first page was read.
    fn imported_page(
        &mut self,
        supplier_id: i64,
        after: Option<Position>,
        limit: u32,
    ) -> Result<ImportedPage, StoreError>;

    /// Returns for each number the key of the process that imported the account, if there is one.
    fn imported_ids(
        &mut self,
        supplier_id: i64,
        numbers: &[ExternalAccountNumber],
    ) -> Result<Vec<Option<i64>>, StoreError>;

    /// Returns for each question the account that has its meter point, if there is one (rule PST-12): of several the
    /// one whose supply ends last, and of those the one with the highest key.
    fn meter_point_holders(
        &mut self,
        questions: &[MeterPointQuestion<'_>],
    ) -> Result<Vec<Option<HeldMeterPoint>>, StoreError>;

    /// Locks these meter points until the transaction ends: others that lock one of them wait, and see what it wrote.
    fn lock_meter_points(&mut self, questions: &[MeterPointQuestion<'_>]) -> Result<(), StoreError>;
}
