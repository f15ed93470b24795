//! Reads accounts, many at a time: one statement for each table.

use super::super::dialect::{Conn, Db};
use super::super::instructions;
use super::super::schema::{account_events, accounts, notes, transactions};
use super::super::statement::Bind;
use super::super::types::Timestamp;
use super::account::{self, AccountRow};
use super::added;
use super::rows::{Room, Rows};
use crate::error::{Error, Result};
use crate::schema::columns;
use crate::sealed::Sealer;
use cutover_app::port::{ImportedAccount, ImportedPage, Position};
use cutover_core::ExternalAccountNumber;
use cutover_model::service::read_account;
use cutover_model::{IntoOwned, Writer};
use diesel::define_sql_function;
use diesel::dsl::sum;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Nullable, Text};
use std::collections::HashMap;

/// Maximum number of rows that are loaded at once, unless one account alone has more.
const ROWS: i64 = 20_000;

/// Maximum size in bytes of texts that are loaded at once, unless one account alone has more. Counted are those
/// that may be as long as a payload.
const TEXTS: i64 = 4 << 20;

define_sql_function! {
    /// The size of a text in bytes. No database reads a long text for it.
    fn octet_length(text: Nullable<Text>) -> Nullable<Integer>;
}

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
    let mut count = match ids.len() {
        0 => return Ok((Vec::new(), 0)),
        1 => 1,
        _ => with_texts(conn, ids)?,
    };
    loop {
        let some = ids.get(..count).unwrap_or(ids);
        let room = if count > 1 { Room::of(ROWS) } else { Room::NO_LIMIT };
        match all(conn, sealer, some, room)? {
            Some(accounts) => return Ok((accounts, some.len())),
            None => count = some.len() / 2,
        }
    }
}

/// Returns the number of accounts that have no more texts than are loaded at once, at least one.
fn with_texts(conn: &mut Conn, ids: &[i64]) -> Result<usize> {
    /// The sums of some columns by account.
    macro_rules! sizes {
        ($table:ident: $($column:ident)*) => {
            $table::table
                .filter($table::account_id.eq_any(ids))
                .group_by($table::account_id)
                .select(($table::account_id, $(sum(octet_length($table::$column.nullable())),)*))
        };
    }
    let mut sizes: HashMap<i64, i64> = HashMap::new();
    let mut add = |id, size: Option<i64>| *sizes.entry(id).or_default() += size.unwrap_or_default();
    for (id, size) in sizes!(notes: body).load(conn)? {
        add(id, size);
    }
    for (id, size) in sizes!(account_events: description).load(conn)? {
        add(id, size);
    }
    for (id, one, other) in sizes!(transactions: note display_note).load(conn)? {
        add(id, one);
        add(id, other);
    }
    let mut total = 0;
    let fit = ids.iter().take_while(|id| {
        total += sizes.get(id).copied().unwrap_or_default();
        total <= TEXTS
    });
    Ok(fit.count().max(1))
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
