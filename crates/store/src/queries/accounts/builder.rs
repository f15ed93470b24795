use super::super::types::{Json, Timestamp};
use super::rows::Rows;
use crate::error::{Error, Result};
use cutover_app::port::NewAccount;
use cutover_core::Zone;
use cutover_model::{DateTime, Encode, Text, Writer};
use std::borrow::Cow;

/// Builds the rows of an account.
pub(super) struct Builder<'a> {
    pub(super) account_id: i64,
    zone: Zone,
    pub(super) rows: Rows<'a>,
}

impl<'a> Builder<'a> {
    /// Creates a builder for an account. `zone` applies to times without an offset.
    pub(super) fn new(account_id: i64, zone: Zone) -> Self {
        Self { account_id, zone, rows: Rows::default() }
    }

    pub(super) fn rows_of(new: &'a NewAccount) -> Result<Rows<'a>> {
        let mut builder = Self::new(new.process_id, new.zone);
        let account = &new.account;
        builder.customers(account.customers.as_deref().unwrap_or_default());
        let addresses = account.supply_addresses.as_deref().unwrap_or_default();
        builder.supply_addresses(new.organisation_id, addresses)?;
        builder.ledgers(account.ledgers.as_deref().unwrap_or_default());
        builder.payment_instructions(account.payment_instructions.as_deref().unwrap_or_default());
        builder.payment_schedules(account.payment_schedules.as_deref().unwrap_or_default());
        builder.statements(account.statements.as_deref().unwrap_or_default());
        builder.notes(account.notes.as_deref().unwrap_or_default(), new.imported_at.into())?;
        builder.account_events(account.events.as_deref().unwrap_or_default())?;
        Ok(builder.rows)
    }

    /// Returns the members of an object that have no columns or rows of their own.
    pub(super) fn details(&self, object: &impl Encode, others: &[&str]) -> Option<Json<'static>> {
        details(object, others, self.zone)
    }

    pub(super) fn instant(&self, datetime: &DateTime<'_>) -> Result<Timestamp> {
        let instant =
            datetime.instant(self.zone).ok_or(Error::Unfit("a time lies outside the years 1 to 9999"));
        instant.map(Timestamp::from)
    }

    pub(super) fn instant_if(&self, datetime: Option<&DateTime<'_>>) -> Result<Option<Timestamp>> {
        datetime.map(|datetime| self.instant(datetime)).transpose()
    }
}

/// Returns the members of an object except some, with times in UTC.
pub(super) fn details(object: &impl Encode, others: &[&str], zone: Zone) -> Option<Json<'static>> {
    let mut writer = Writer::normal(zone, Zone::UTC);
    object.encode_without(others, &mut writer);
    Json::written(writer)
}

/// Returns the position of the next row of a table.
pub(super) fn next<R>(rows: &[R]) -> i64 {
    rows.len() as i64
}

/// Returns a text as sent.
pub(super) fn text<'a>(text: &'a Text<'_>) -> Cow<'a, str> {
    text.as_sent().into()
}

/// Returns an identity, which is stored trimmed (contract D1).
pub(super) fn identity<'a>(text: &'a Text<'_>) -> Cow<'a, str> {
    text.trimmed().into()
}
