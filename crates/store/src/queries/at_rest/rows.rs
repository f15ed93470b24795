//! The tables that have sealed values, row by row in the order of their keys.

use super::super::Conn;
use super::super::dialect::Db;
use super::super::processes::payloads::Places;
use super::super::schema::{
    account_instructions, business_instructions, payloads, payment_instructions, signing_keys,
};
use super::super::statement::Bind;
use crate::error::{Error, Result};
use crate::sealed::{Place, SealedTable, Sealer};
use diesel::dsl::max;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Binary, Nullable, Text};

/// The key of a row.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum At {
    /// Its owner, and its position there.
    Row(i64, i64),
    /// The id of a signing key.
    Kid(String),
}

/// Before every row of any table.
pub(super) const START: At = At::Row(i64::MIN, i64::MIN);

impl At {
    /// Its owner and its position; those before every row if it is no such key.
    fn row(&self) -> (i64, i64) {
        match self {
            Self::Row(owner, position) => (*owner, *position),
            Self::Kid(_) => START.row(),
        }
    }

    /// The id of a signing key; the one before all if it is no such key.
    fn kid(&self) -> &str {
        match self {
            Self::Row(..) => "",
            Self::Kid(kid) => kid,
        }
    }
}

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
pub(super) fn page(conn: &mut Conn, table: SealedTable, after: &At, limit: i64) -> Result<Page> {
    let kid = after.kid();
    let (after, after_position) = after.row();
    let found: Vec<(i64, i64, Option<String>)> = match table {
        SealedTable::Payloads => return payloads_after(conn, after, limit),
        SealedTable::SigningKeys => return signing_keys_after(conn, kid, limit),
        SealedTable::PaymentInstructions => OfPayloads { after, after_position, limit }.load(conn)?,
        SealedTable::AccountInstructions => OfAccounts { after, after_position, limit }.load(conn)?,
        SealedTable::BusinessInstructions => OfBusinesses { after, after_position, limit }.load(conn)?,
    };
    let last = found.last().map(|(owner, position, _)| At::Row(*owner, *position));
    let row = |(owner, position, details): (i64, i64, Option<String>)| {
        let beginning = details?.into_bytes();
        Some(Row { at: At::Row(owner, position), length: beginning.len(), beginning })
    };
    Ok(Page { rows: found.into_iter().filter_map(row).collect(), last })
}

/// The row of a key.
pub(super) fn row(conn: &mut Conn, table: SealedTable, at: &At) -> Result<Option<Row>> {
    let (owner, position) = at.row();
    let before = match table {
        SealedTable::SigningKeys => return Ok(signing_key(conn, at.kid())?.map(of_signing_key)),
        SealedTable::Payloads => At::Row(owner - 1, position),
        _ => At::Row(owner, position - 1),
    };
    Ok(page(conn, table, &before, 1)?.rows.pop().filter(|row| row.at == *at))
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
        at: At::Row(id, 0),
        beginning,
        length: usize::try_from(length).unwrap_or_default(),
    };
    let rows: Vec<Row> = found.into_iter().map(row).collect();
    Ok(Page { last: rows.last().map(|row| row.at.clone()), rows })
}

/// The id of a signing key, and its secret as it is stored.
type StoredSecret = (String, Vec<u8>);

fn signing_keys_after(conn: &mut Conn, kid: &str, limit: i64) -> Result<Page> {
    let found: Vec<StoredSecret> = signing_keys::table
        .filter(signing_keys::kid.gt(kid))
        .order(signing_keys::kid)
        .limit(limit)
        .select((signing_keys::kid, signing_keys::secret))
        .load(conn)?;
    let rows: Vec<Row> = found.into_iter().map(of_signing_key).collect();
    Ok(Page { last: rows.last().map(|row| row.at.clone()), rows })
}

fn signing_key(conn: &mut Conn, kid: &str) -> Result<Option<StoredSecret>> {
    let key = signing_keys::table.find(kid).select((signing_keys::kid, signing_keys::secret));
    Ok(key.get_result(conn).optional()?)
}

fn of_signing_key((kid, secret): StoredSecret) -> Row {
    Row { at: At::Kid(kid), length: secret.len(), beginning: secret }
}

/// The last owner of a table; of one without owners there is none.
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
        SealedTable::SigningKeys => None,
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
        let ids: Vec<i64> = rows.iter().map(|row| row.at.row().0).collect();
        let places = Places::of(conn, ids.iter().copied())?;
        let stored: Vec<(i64, Vec<u8>)> = payloads::table
            .filter(payloads::process_id.eq_any(ids))
            .select((payloads::process_id, payloads::payload))
            .load(conn)?;
        Ok(Self {
            table,
            places,
            stored: stored.into_iter().map(|(id, payload)| (At::Row(id, 0), payload)).collect(),
        })
    }

    fn place<'p>(&'p self, at: &'p At) -> Result<Place<'p>> {
        let (owner, position) = at.row();
        match self.table {
            SealedTable::Payloads => {
                self.places.get(owner).ok_or_else(|| Error::corrupt("a payload has no process"))
            }
            SealedTable::SigningKeys => Ok(Place::SigningKey { kid: at.kid() }),
            _ => Ok(Place::Row { table: self.table.as_str(), owner, position }),
        }
    }

    /// A stored value, opened.
    pub(super) fn opened(&self, sealer: &Sealer, at: &At, stored: Vec<u8>) -> Result<Vec<u8>> {
        match self.table {
            SealedTable::Payloads | SealedTable::SigningKeys => sealer.open(self.place(at)?, stored),
            _ => Ok(sealer.open_text(self.place(at)?, text(stored)?)?.into_bytes()),
        }
    }

    /// A value as it is to be stored from now on.
    pub(super) fn sealed(&self, sealer: &Sealer, at: &At, value: Vec<u8>) -> Result<Vec<u8>> {
        match self.table {
            SealedTable::Payloads | SealedTable::SigningKeys => {
                Ok(sealer.seal(self.place(at)?, &value)?.into_owned())
            }
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
    at: &At,
    before: Vec<u8>,
    after: Vec<u8>,
) -> Result<bool> {
    let (owner, position) = at.row();
    if table == SealedTable::Payloads {
        let same =
            payloads::table.filter(payloads::process_id.eq(owner)).filter(payloads::payload.eq(before));
        return Ok(diesel::update(same).set(payloads::payload.eq(after)).execute(conn)? > 0);
    }
    if table == SealedTable::SigningKeys {
        let same = signing_keys::table.find(at.kid()).filter(signing_keys::secret.eq(before));
        return Ok(diesel::update(same).set(signing_keys::secret.eq(after)).execute(conn)? > 0);
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
