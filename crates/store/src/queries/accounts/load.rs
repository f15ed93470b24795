//! Reads accounts, many at a time: one statement for each table.

use super::super::dialect::{Conn, Db, columns};
use super::super::instructions;
use super::super::schema::accounts;
use super::super::statement::Bind;
use super::super::types::Timestamp;
use super::account::{self, AccountRow};
use super::added;
use super::rows::{Room, Rows};
use crate::error::{Error, Result};
use crate::sealed::Sealer;
use cutover_app::port::{ImportedAccount, ImportedPage, Position};
use cutover_core::ExternalAccountNumber;
use cutover_model::service::read_account;
use cutover_model::{IntoOwned, Writer};
use diesel::prelude::*;
use diesel::sql_types::BigInt;
use std::collections::HashMap;

/// Maximum number of rows that are loaded at once, unless one account alone has more.
const ROWS: i64 = 20_000;

statement! {
    /// The keys of a supplier's accounts after a position, in import order.
    After { supplier_id: i64, imported_at: Timestamp, id: i64, limit: i64 }
        -> (columns::Instant, BigInt)
        = "SELECT imported_at, id FROM accounts WHERE supplier_id = " supplier_id
            " AND (imported_at, id) > (" imported_at ", " id ") ORDER BY imported_at, id LIMIT " limit
}

/// Loads the first of some accounts: as many as there is room for, at least one. Returns them and the number of
/// keys that were looked up.
pub(super) fn first(
    conn: &mut Conn,
    sealer: &Sealer,
    ids: &[i64],
) -> Result<(Vec<(Position, ImportedAccount)>, usize)> {
    let mut count = ids.len();
    if count == 0 {
        return Ok((Vec::new(), 0));
    }
    loop {
        let some = ids.get(..count).unwrap_or(ids);
        let room = if count > 1 { Room::of(ROWS) } else { Room::NO_LIMIT };
        match all(conn, sealer, some, room)? {
            Some(accounts) => return Ok((accounts, some.len())),
            None => count = some.len() / 2,
        }
    }
}

/// Loads the accounts of a supplier after a position, in import order.
pub(super) fn page(
    conn: &mut Conn,
    sealer: &Sealer,
    supplier_id: i64,
    after: Option<Position>,
    limit: u32,
) -> Result<ImportedPage> {
    let limit = i64::from(limit.max(1));
    // No account is imported before the epoch.
    let (imported_at, id) = after.unwrap_or_default();
    let after = After { supplier_id, imported_at: imported_at.into(), id, limit: limit + 1 };
    let mut keys: Vec<(Timestamp, i64)> = after.load(conn)?;
    let has_more = keys.len() as i64 > limit;
    keys.truncate(limit as usize);
    let ids: Vec<i64> = keys.into_iter().map(|(_, id)| id).collect();
    let (accounts, count) = first(conn, sealer, &ids)?;
    Ok(ImportedPage { accounts, has_more: has_more || count < ids.len() })
}

/// Returns for each number the key of its account.
pub(super) fn ids(
    conn: &mut Conn,
    supplier_id: i64,
    numbers: &[ExternalAccountNumber],
) -> Result<Vec<Option<i64>>> {
    let numbers: Vec<&str> = numbers.iter().map(ExternalAccountNumber::as_str).collect();
    let found: Vec<(String, i64)> = accounts::table
        .filter(accounts::supplier_id.eq(supplier_id))
        .filter(accounts::external_account_number.eq_any(&numbers))
        .select((accounts::external_account_number, accounts::id))
        .load(conn)?;
    let found: HashMap<String, i64> = found.into_iter().collect();
    Ok(numbers.into_iter().map(|number| found.get(number).copied()).collect())
}

/// Loads accounts in the order of the keys; `None` if there is no room for them.
fn all(
    conn: &mut Conn,
    sealer: &Sealer,
    ids: &[i64],
    mut room: Room,
) -> Result<Option<Vec<(Position, ImportedAccount)>>> {
    let mut heads = account::load(conn, ids)?;
    let Some(mut rows) = Rows::load(conn, ids, &mut room)? else { return Ok(None) };
    let Some(mut statements) = added::statements::load(conn, ids, &mut room)? else { return Ok(None) };
    let mut instructions = instructions::load(conn, sealer, ids)?;
    let mut accounts = Vec::with_capacity(heads.len());
    for id in ids {
        let (Some((head, supplier)), Some(mut rows)) = (heads.remove(id), rows.remove(id)) else { continue };
        rows.open(sealer)?;
        let json = payload(&head, &supplier, &rows);
        let account = ImportedAccount {
            number: head.number.parse().map_err(Error::corrupt)?,
            customer_emails: head.customer_emails,
            // Checks every value again: JSON that is not a payload is corrupt.
            account: read_account(&json).map_err(Error::corrupt)?.into_owned(),
            historical_statements: statements.remove(id).unwrap_or_default(),
            verified_instructions: instructions.remove(id).unwrap_or_default(),
        };
        accounts.push(((head.imported_at.instant()?, *id), account));
    }
    Ok(Some(accounts))
}

/// Returns an account as the JSON of a payload.
fn payload(head: &AccountRow<'_>, supplier: &str, rows: &Rows<'static>) -> Vec<u8> {
    let mut writer = Writer::new();
    writer.object(|writer| {
        head.write(supplier, writer);
        rows.write(writer);
    });
    writer.into_bytes()
}
