//! The tables that have sealed values, row by row in the order of their keys.

use super::super::Conn;
use super::super::dialect::Db;
use super::super::processes::payloads::Places;
use super::super::schema::{account_instructions, business_instructions, payloads, payment_instructions};
use super::super::statement::Bind;
use crate::error::{Error, Result};
use crate::sealed::{Place, SealedTable, Sealer};
use diesel::dsl::max;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Binary, Nullable, Text};

/// The key of a row: its owner, and its position there.
pub(super) type At = (i64, i64);

/// Before every row.
pub(super) const START: At = (i64::MIN, i64::MIN);

/// A row, as far as it is looked at.
pub(super) struct Row {
    pub(super) at: At,
    /// Where its value begins, with the whole head if it is sealed; of a text all of it.
    pub(super) beginning: Vec<u8>,
    /// Bytes of its value.
    pub(super) length: usize,
}

statement! {
    Payloads { after: i64, limit: i64 } -> (BigInt, Binary, BigInt)
        = "SELECT process_id, substr(payload, 1, 64), CAST(length(payload) AS BIGINT) FROM payloads \
            WHERE process_id > " after " ORDER BY process_id LIMIT " limit
}

/// The statements of a table of instructions.
macro_rules! instructions {
    ($page:ident, $replace:ident: $table:literal of $owner:literal) => {
        statement! {
            $page { after: i64, after_position: i64, limit: i64 } -> (BigInt, BigInt, Nullable<Text>)
                = "SELECT " $owner ", position, details FROM " $table " WHERE (" $owner ", position) > ("
                    after ", " after_position ") ORDER BY " $owner ", position LIMIT " limit
        }

        statement! {
            $replace { after: String, owner: i64, position: i64, before: String }
                = "UPDATE " $table " SET details = " after " WHERE " $owner " = " owner
                    " AND position = " position " AND details = " before
        }
    };
}

instructions!(OfPayloads, ReplaceOfPayload: "payment_instructions" of "account_id");
instructions!(OfAccounts, ReplaceOfAccount: "account_instructions" of "account_id");
instructions!(OfBusinesses, ReplaceOfBusiness: "business_instructions" of "business_id");

/// The next rows after a key. What has no value is none.
pub(super) fn page(conn: &mut Conn, table: SealedTable, after: At, limit: i64) -> Result<Page> {
    let (after, after_position) = after;
    let found: Vec<(i64, i64, Option<String>)> = match table {
        SealedTable::Payloads => return payloads_after(conn, after, limit),
        SealedTable::PaymentInstructions => OfPayloads { after, after_position, limit }.load(conn)?,
        SealedTable::AccountInstructions => OfAccounts { after, after_position, limit }.load(conn)?,
        SealedTable::BusinessInstructions => OfBusinesses { after, after_position, limit }.load(conn)?,
    };
    let last = found.last().map(|(owner, position, _)| (*owner, *position));
    let row = |(owner, position, details): (i64, i64, Option<String>)| {
        let beginning = details?.into_bytes();
        Some(Row { at: (owner, position), length: beginning.len(), beginning })
    };
    Ok(Page { rows: found.into_iter().filter_map(row).collect(), last })
}

/// The row of a key.
pub(super) fn row(conn: &mut Conn, table: SealedTable, at: At) -> Result<Option<Row>> {
    let before = if table == SealedTable::Payloads { (at.0 - 1, at.1) } else { (at.0, at.1 - 1) };
    Ok(page(conn, table, before, 1)?.rows.pop().filter(|row| row.at == at))
}

/// Rows that follow one another.
pub(super) struct Page {
    pub(super) rows: Vec<Row>,
    /// The last key that was looked at; `None` if there was none.
    pub(super) last: Option<At>,
}

fn payloads_after(conn: &mut Conn, after: i64, limit: i64) -> Result<Page> {
    let found: Vec<(i64, Vec<u8>, i64)> = Payloads { after, limit }.load(conn)?;
    let row = |(id, beginning, length): (i64, Vec<u8>, i64)| Row {
        at: (id, 0),
        beginning,
        length: usize::try_from(length).unwrap_or_default(),
    };
    let rows: Vec<Row> = found.into_iter().map(row).collect();
    Ok(Page { last: rows.last().map(|row| row.at), rows })
}

/// The last owner of a table.
pub(super) fn last(conn: &mut Conn, table: SealedTable) -> Result<Option<i64>> {
    Ok(match table {
        SealedTable::Payloads => payloads::table.select(max(payloads::process_id)).get_result(conn)?,
        SealedTable::PaymentInstructions => {
            payment_instructions::table.select(max(payment_instructions::account_id)).get_result(conn)?
        }
        SealedTable::AccountInstructions => {
            account_instructions::table.select(max(account_instructions::account_id)).get_result(conn)?
        }
        SealedTable::BusinessInstructions => {
            business_instructions::table.select(max(business_instructions::business_id)).get_result(conn)?
        }
    })
}

/// Values as they are stored, with what they are opened and sealed by. Of those that are gone, nothing.
pub(super) struct Values {
    table: SealedTable,
    places: Places,
    pub(super) stored: Vec<(At, Vec<u8>)>,
}

impl Values {
    pub(super) fn of(conn: &mut Conn, table: SealedTable, rows: Vec<Row>) -> Result<Self> {
        if table != SealedTable::Payloads {
            let stored = rows.into_iter().map(|row| (row.at, row.beginning)).collect();
            return Ok(Self { table, places: Places::none(), stored });
        }
        let ids: Vec<i64> = rows.iter().map(|row| row.at.0).collect();
        let places = Places::of(conn, ids.iter().copied())?;
        let stored: Vec<(i64, Vec<u8>)> = payloads::table
            .filter(payloads::process_id.eq_any(ids))
            .select((payloads::process_id, payloads::payload))
            .load(conn)?;
        Ok(Self {
            table,
            places,
            stored: stored.into_iter().map(|(id, payload)| ((id, 0), payload)).collect(),
        })
    }

    fn place(&self, (owner, position): At) -> Result<Place<'_>> {
        if self.table != SealedTable::Payloads {
            return Ok(Place::Row { table: self.table.as_str(), owner, position });
        }
        self.places.get(owner).ok_or_else(|| Error::corrupt("a payload has no process"))
    }

    /// A stored value, opened.
    pub(super) fn opened(&self, sealer: &Sealer, at: At, stored: Vec<u8>) -> Result<Vec<u8>> {
        match self.table {
            SealedTable::Payloads => sealer.open(self.place(at)?, stored),
            _ => Ok(sealer.open_text(self.place(at)?, text(stored)?)?.into_bytes()),
        }
    }

    /// A value as it is to be stored from now on.
    pub(super) fn sealed(&self, sealer: &Sealer, at: At, value: Vec<u8>) -> Result<Vec<u8>> {
        match self.table {
            SealedTable::Payloads => Ok(sealer.seal(self.place(at)?, &value)?.into_owned()),
            _ => Ok(sealer.seal_text(self.place(at)?, text(value)?)?.into_bytes()),
        }
    }
}

fn text(bytes: Vec<u8>) -> Result<String> {
    String::from_utf8(bytes).map_err(Error::corrupt)
}

/// Puts a value in the place of another; whether that was still there.
pub(super) fn replace(
    conn: &mut Conn,
    table: SealedTable,
    (owner, position): At,
    before: Vec<u8>,
    after: Vec<u8>,
) -> Result<bool> {
    if table == SealedTable::Payloads {
        let same =
            payloads::table.filter(payloads::process_id.eq(owner)).filter(payloads::payload.eq(before));
        return Ok(diesel::update(same).set(payloads::payload.eq(after)).execute(conn)? > 0);
    }
    let (before, after) = (text(before)?, text(after)?);
    let changed = match table {
        SealedTable::AccountInstructions => {
            ReplaceOfAccount { after, owner, position, before }.execute(conn)?
        }
        SealedTable::BusinessInstructions => {
            ReplaceOfBusiness { after, owner, position, before }.execute(conn)?
        }
        _ => ReplaceOfPayload { after, owner, position, before }.execute(conn)?,
    };
    Ok(changed > 0)
}
