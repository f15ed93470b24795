//! Rows of the tables that have sealed values, in the order of their keys.

use super::super::Conn;
use super::super::dialect::Db;
use super::super::processes::payloads::PayloadLocations;
use super::super::schema::{
    account_instructions, business_instructions, payloads, payment_instructions, previous_attempts,
    webhook_secrets,
};
use super::super::statement::Bind;
use crate::error::{Error, Result};
use crate::sealed::{Location, SealedTable, Sealer};
use diesel::dsl::max;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Binary, Nullable, Text};

/// The key of a row.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum RowKey {
    /// Its owner and its position.
    Row(i64, i64),
    /// The id of a key that signs.
    Kid(String),
}

/// The key before every row of any table.
pub(super) const START: RowKey = RowKey::Row(i64::MIN, i64::MIN);

impl RowKey {
    /// Returns its owner and its position, or those before every row for a key that signs.
    fn row(&self) -> (i64, i64) {
        match self {
            Self::Row(owner, position) => (*owner, *position),
            Self::Kid(_) => START.row(),
        }
    }

    /// Returns the id of a key that signs, or the one before all for other rows.
    fn kid(&self) -> &str {
        match self {
            Self::Row(..) => "",
            Self::Kid(kid) => kid,
        }
    }
}

/// A row without most of its value.
pub(super) struct Row {
    pub(super) key: RowKey,
    /// The beginning of its value, with the whole head if it is sealed. A text is complete.
    pub(super) beginning: Vec<u8>,
    /// Length of its value in bytes.
    pub(super) length: usize,
}

statement! {
    Payloads { after: i64, limit: i64 } -> (BigInt, Binary, BigInt)
        = "SELECT process_id, substr(payload, 1, 64), CAST(length(payload) AS BIGINT) FROM payloads \
            WHERE process_id > " after " ORDER BY process_id LIMIT " limit
}

statement! {
    Previous { after: i64, limit: i64 } -> (BigInt, Binary, BigInt)
        = "SELECT process_id, substr(payload, 1, 64), CAST(length(payload) AS BIGINT) FROM previous_attempts \
            WHERE process_id > " after " ORDER BY process_id LIMIT " limit
}

/// Declares the statements of a table with sealed texts.
macro_rules! texts {
    ($page:ident, $replace:ident: $column:literal in $table:literal of $owner:literal) => {
        statement! {
            $page { after: i64, after_position: i64, limit: i64 } -> (BigInt, BigInt, Nullable<Text>)
                = "SELECT " $owner ", position, " $column " FROM " $table " WHERE (" $owner ", position) > ("
                    after ", " after_position ") ORDER BY " $owner ", position LIMIT " limit
        }

        statement! {
            $replace { after: String, owner: i64, position: i64, before: String }
                = "UPDATE " $table " SET " $column " = " after " WHERE " $owner " = " owner
                    " AND position = " position " AND " $column " = " before
        }
    };
}

texts!(OfPayloads, ReplaceOfPayload: "details" in "payment_instructions" of "account_id");
texts!(OfAccounts, ReplaceOfAccount: "details" in "account_instructions" of "account_id");
texts!(OfBusinesses, ReplaceOfBusiness: "details" in "business_instructions" of "business_id");
texts!(OfWebhooks, ReplaceOfWebhook: "secret" in "webhook_secrets" of "webhook_id");

/// Returns the next rows after a key, without those that have no value.
pub(super) fn page(conn: &mut Conn, table: SealedTable, after: &RowKey, limit: i64) -> Result<Page> {
    let kid = after.kid();
    let (after, after_position) = after.row();
    let rows: Vec<(i64, i64, Option<String>)> = match table {
        SealedTable::Payloads => return Ok(payloads_page(Payloads { after, limit }.load(conn)?)),
        SealedTable::PreviousAttempts => return Ok(payloads_page(Previous { after, limit }.load(conn)?)),
        SealedTable::SigningKeys => return of_tokens::after(conn, kid, limit),
        SealedTable::CertificateKeys => return of_certificates::after(conn, kid, limit),
        SealedTable::SearchKeys => return of_words::after(conn, kid, limit),
        SealedTable::PaymentInstructions => OfPayloads { after, after_position, limit }.load(conn)?,
        SealedTable::AccountInstructions => OfAccounts { after, after_position, limit }.load(conn)?,
        SealedTable::BusinessInstructions => OfBusinesses { after, after_position, limit }.load(conn)?,
        SealedTable::WebhookSecrets => OfWebhooks { after, after_position, limit }.load(conn)?,
    };
    let last = rows.last().map(|(owner, position, _)| RowKey::Row(*owner, *position));
    let row = |(owner, position, details): (i64, i64, Option<String>)| {
        let beginning = details?.into_bytes();
        Some(Row { key: RowKey::Row(owner, position), length: beginning.len(), beginning })
    };
    Ok(Page { rows: rows.into_iter().filter_map(row).collect(), last })
}

/// Returns the row of a key.
pub(super) fn row(conn: &mut Conn, table: SealedTable, key: &RowKey) -> Result<Option<Row>> {
    let (owner, position) = key.row();
    let before = match table {
        SealedTable::SigningKeys => return of_tokens::one(conn, key.kid()),
        SealedTable::CertificateKeys => return of_certificates::one(conn, key.kid()),
        SealedTable::SearchKeys => return of_words::one(conn, key.kid()),
        SealedTable::Payloads | SealedTable::PreviousAttempts => RowKey::Row(owner - 1, position),
        _ => RowKey::Row(owner, position - 1),
    };
    Ok(page(conn, table, &before, 1)?.rows.pop().filter(|row| row.key == *key))
}

/// Consecutive rows.
pub(super) struct Page {
    pub(super) rows: Vec<Row>,
    /// The last key that was read; `None` if there was none.
    pub(super) last: Option<RowKey>,
}

fn payloads_page(payloads: Vec<(i64, Vec<u8>, i64)>) -> Page {
    let row = |(id, beginning, length): (i64, Vec<u8>, i64)| Row {
        key: RowKey::Row(id, 0),
        beginning,
        length: usize::try_from(length).unwrap_or_default(),
    };
    let rows: Vec<Row> = payloads.into_iter().map(row).collect();
    Page { last: rows.last().map(|row| row.key.clone()), rows }
}

/// The name of a key and its stored secret.
type StoredSecret = (String, Vec<u8>);

/// Declares the queries of a table of keys, whose rows are found by a name.
macro_rules! keys {
    ($module:ident: $table:ident by $name:ident) => {
        mod $module {
            use super::super::super::schema::$table;
            use super::{Conn, Page, Result, StoredSecret, of_key};
            use diesel::prelude::*;

            pub(super) fn after(conn: &mut Conn, name: &str, limit: i64) -> Result<Page> {
                let after = $table::table.filter($table::$name.gt(name)).order($table::$name).limit(limit);
                let secrets: Vec<StoredSecret> = after.select(($table::$name, $table::secret)).load(conn)?;
                let rows: Vec<_> = secrets.into_iter().map(of_key).collect();
                Ok(Page { last: rows.last().map(|row| row.key.clone()), rows })
            }

            pub(super) fn one(conn: &mut Conn, name: &str) -> Result<Option<super::Row>> {
                let key = $table::table.find(name).select(($table::$name, $table::secret));
                let secret: Option<StoredSecret> = key.get_result(conn).optional()?;
                Ok(secret.map(of_key))
            }

            pub(super) fn replace(
                conn: &mut Conn,
                name: &str,
                before: Vec<u8>,
                after: Vec<u8>,
            ) -> Result<bool> {
                let same = $table::table.find(name).filter($table::secret.eq(before));
                Ok(diesel::update(same).set($table::secret.eq(after)).execute(conn)? > 0)
            }
        }
    };
}

keys!(of_tokens: signing_keys by kid);
keys!(of_certificates: certificate_keys by key_id);
keys!(of_words: search_keys by name);

fn of_key((kid, secret): StoredSecret) -> Row {
    Row { key: RowKey::Kid(kid), length: secret.len(), beginning: secret }
}

/// Returns the last owner in a table, if its rows have owners.
pub(super) fn last(conn: &mut Conn, table: SealedTable) -> Result<Option<i64>> {
    Ok(match table {
        SealedTable::Payloads => payloads::table.select(max(payloads::process_id)).get_result(conn)?,
        SealedTable::PreviousAttempts => {
            previous_attempts::table.select(max(previous_attempts::process_id)).get_result(conn)?
        }
        SealedTable::PaymentInstructions => {
            payment_instructions::table.select(max(payment_instructions::account_id)).get_result(conn)?
        }
        SealedTable::AccountInstructions => {
            account_instructions::table.select(max(account_instructions::account_id)).get_result(conn)?
        }
        SealedTable::BusinessInstructions => {
            business_instructions::table.select(max(business_instructions::business_id)).get_result(conn)?
        }
        SealedTable::WebhookSecrets => {
            webhook_secrets::table.select(max(webhook_secrets::webhook_id)).get_result(conn)?
        }
        SealedTable::SigningKeys | SealedTable::CertificateKeys | SealedTable::SearchKeys => None,
    })
}

/// Returns true for tables of payloads, whose locations have to be looked up.
fn is_of_payloads(table: SealedTable) -> bool {
    matches!(table, SealedTable::Payloads | SealedTable::PreviousAttempts)
}

/// Stored values with the locations that they are bound to. Values that were removed meanwhile are left out.
pub(super) struct Values {
    table: SealedTable,
    locations: PayloadLocations,
    pub(super) stored: Vec<(RowKey, Vec<u8>)>,
}

impl Values {
    pub(super) fn of(conn: &mut Conn, table: SealedTable, rows: Vec<Row>) -> Result<Self> {
        if !is_of_payloads(table) {
            let stored = rows.into_iter().map(|row| (row.key, row.beginning)).collect();
            return Ok(Self { table, locations: PayloadLocations::none(), stored });
        }
        let ids: Vec<i64> = rows.iter().map(|row| row.key.row().0).collect();
        let locations = PayloadLocations::of(conn, ids.iter().copied())?;
        let stored: Vec<(i64, Vec<u8>)> = match table {
            SealedTable::PreviousAttempts => previous_attempts::table
                .filter(previous_attempts::process_id.eq_any(ids))
                .select((previous_attempts::process_id, previous_attempts::payload))
                .load(conn)?,
            _ => payloads::table
                .filter(payloads::process_id.eq_any(ids))
                .select((payloads::process_id, payloads::payload))
                .load(conn)?,
        };
        Ok(Self {
            table,
            locations,
            stored: stored.into_iter().map(|(id, payload)| (RowKey::Row(id, 0), payload)).collect(),
        })
    }

    fn location<'p>(&'p self, key: &'p RowKey) -> Result<Location<'p>> {
        let (owner, position) = key.row();
        match self.table {
            SealedTable::Payloads | SealedTable::PreviousAttempts => {
                self.locations.get(owner).ok_or_else(|| Error::corrupt("a payload has no process"))
            }
            SealedTable::SigningKeys => Ok(Location::SigningKey { kid: key.kid() }),
            SealedTable::CertificateKeys => Ok(Location::CertificateKey { key_id: key.kid() }),
            SealedTable::SearchKeys => Ok(Location::SearchKey),
            _ => Ok(Location::Row { table: self.table.as_str(), owner, position }),
        }
    }

    /// Opens a stored value.
    pub(super) fn opened(&self, sealer: &Sealer, key: &RowKey, stored: Vec<u8>) -> Result<Vec<u8>> {
        match self.table {
            SealedTable::Payloads
            | SealedTable::PreviousAttempts
            | SealedTable::SigningKeys
            | SealedTable::CertificateKeys
            | SealedTable::SearchKeys => sealer.open(self.location(key)?, stored),
            _ => Ok(sealer.open_text(self.location(key)?, text(stored)?)?.into_bytes()),
        }
    }

    /// Returns a value in its stored form.
    pub(super) fn sealed(&self, sealer: &Sealer, key: &RowKey, value: Vec<u8>) -> Result<Vec<u8>> {
        match self.table {
            SealedTable::Payloads
            | SealedTable::PreviousAttempts
            | SealedTable::SigningKeys
            | SealedTable::CertificateKeys
            | SealedTable::SearchKeys => Ok(sealer.seal(self.location(key)?, &value)?.into_owned()),
            _ => Ok(sealer.seal_text(self.location(key)?, text(value)?)?.into_bytes()),
        }
    }
}

fn text(bytes: Vec<u8>) -> Result<String> {
    String::from_utf8(bytes).map_err(Error::corrupt)
}

/// Replaces a value. Returns false if it has changed meanwhile.
pub(super) fn replace(
    conn: &mut Conn,
    table: SealedTable,
    key: &RowKey,
    before: Vec<u8>,
    after: Vec<u8>,
) -> Result<bool> {
    let (owner, position) = key.row();
    if table == SealedTable::PreviousAttempts {
        let of = previous_attempts::table.find(owner);
        let same = of.filter(previous_attempts::payload.eq(before));
        return Ok(diesel::update(same).set(previous_attempts::payload.eq(after)).execute(conn)? > 0);
    }
    if table == SealedTable::Payloads {
        let same =
            payloads::table.filter(payloads::process_id.eq(owner)).filter(payloads::payload.eq(before));
        return Ok(diesel::update(same).set(payloads::payload.eq(after)).execute(conn)? > 0);
    }
    match table {
        SealedTable::SigningKeys => return of_tokens::replace(conn, key.kid(), before, after),
        SealedTable::CertificateKeys => return of_certificates::replace(conn, key.kid(), before, after),
        SealedTable::SearchKeys => return of_words::replace(conn, key.kid(), before, after),
        _ => {}
    }
    let (before, after) = (text(before)?, text(after)?);
    let changed = match table {
        SealedTable::AccountInstructions => {
            ReplaceOfAccount { after, owner, position, before }.execute(conn)?
        }
        SealedTable::BusinessInstructions => {
            ReplaceOfBusiness { after, owner, position, before }.execute(conn)?
        }
        SealedTable::WebhookSecrets => ReplaceOfWebhook { after, owner, position, before }.execute(conn)?,
        _ => ReplaceOfPayload { after, owner, position, before }.execute(conn)?,
    };
    Ok(changed > 0)
}
