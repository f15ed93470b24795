//! What suppliers have sent, which triggers keep with the counts of processes, and what they declare.

use super::super::Conn;
use super::super::dialect::{Db, Dialect};
use super::super::processes::sent::Sent;
use super::super::rows as stored;
use super::super::schema::manifests;
use super::super::sql_dialect::SqlDialect;
use super::super::statement::Bind;
use super::super::types::Timestamp;
use super::super::{fit, number};
use super::{count, rows};
use crate::error::{Error, Result};
use cutover_app::port::Manifest;
use cutover_model::{Decimal, Totals};
use diesel::prelude::*;
use diesel::sql_types::BigInt;

/// The columns of sums.
const COLUMNS: &str =
    "sent_high, sent_units, sent_fraction, sent_readings, sent_transactions, sent_documents";
const SUMS: &str = "CAST(coalesce(sum(accounts), 0) AS BIGINT), CAST(coalesce(sum(sent_high), 0) AS BIGINT), \
    CAST(coalesce(sum(sent_units), 0) AS BIGINT), CAST(coalesce(sum(sent_fraction), 0) AS BIGINT), \
    CAST(coalesce(sum(sent_readings), 0) AS BIGINT), CAST(coalesce(sum(sent_transactions), 0) AS BIGINT), \
    CAST(coalesce(sum(sent_documents), 0) AS BIGINT)";

type Row = (i64, (i64, i64, i64, i64, i64, i64));

statement! {
    /// A cancelled account is not to be imported and one that was only rehearsed is still to be sent, so they do not count.
    Read { supplier_id: i64 } -> (BigInt, (BigInt, BigInt, BigInt, BigInt, BigInt, BigInt))
        = "SELECT " (SUMS) " FROM (\
            SELECT state, processes AS accounts, " (COLUMNS) " FROM process_counts WHERE supplier_id = " supplier_id
            " UNION ALL SELECT state, change, " (COLUMNS) " FROM process_changes WHERE supplier_id = " supplier_id
            " AND id >= " (Dialect::FIRST_PROCESS_CHANGE) ") AS counted \
            WHERE state NOT IN ('CANCELLED', 'DRY_RUN_SUCCEEDED', 'DRY_RUN_ERRORED')"
}

pub(super) fn read(conn: &mut Conn, supplier_id: i64) -> Result<Totals> {
    let (accounts, (high, units, fraction, readings, transactions, documents)): Row =
        Read { supplier_id }.get_result(conn)?;
    let sum = Sent {
        sent_high: high,
        sent_units: units,
        sent_fraction: fraction,
        sent_readings: readings,
        sent_transactions: transactions,
        sent_documents: documents,
    };
    Ok(Totals { rows: rows::read(conn, supplier_id, true)?, ..sum.totals(count(accounts))? })
}

#[derive(Insertable, AsChangeset, Queryable, Selectable)]
#[diesel(table_name = manifests, treat_none_as_null = true)]
struct ManifestRow {
    accounts: i64,
    ledger_balance: String,
    readings: i64,
    transactions: i64,
    documents: i64,
    declared_at: Timestamp,
    counts: Option<String>,
}

pub(super) fn manifest(conn: &mut Conn, supplier_id: i64) -> Result<Option<Manifest>> {
    let row = manifests::table.find(supplier_id).select(ManifestRow::as_select());
    let row: Option<ManifestRow> = row.get_result(conn).optional()?;
    row.map(Manifest::try_from).transpose()
}

pub(super) fn set_manifest(conn: &mut Conn, supplier_id: i64, manifest: Option<&Manifest>) -> Result<()> {
    let Some(manifest) = manifest else {
        diesel::delete(manifests::table.find(supplier_id)).execute(conn)?;
        return Ok(());
    };
    let row = ManifestRow::try_from(manifest)?;
    diesel::insert_into(manifests::table)
        .values((manifests::supplier_id.eq(supplier_id), &row))
        .on_conflict(manifests::supplier_id)
        .do_update()
        .set(&row)
        .execute(conn)?;
    Ok(())
}

impl TryFrom<&Manifest> for ManifestRow {
    type Error = Error;

    fn try_from(Manifest { declared, declared_at }: &Manifest) -> Result<Self> {
        Ok(Self {
            accounts: fit(declared.accounts)?,
            ledger_balance: declared.ledger_balance.to_string(),
            readings: fit(declared.readings)?,
            transactions: fit(declared.transactions)?,
            documents: fit(declared.documents)?,
            declared_at: (*declared_at).into(),
            counts: stored::write_known(&declared.rows),
        })
    }
}

impl TryFrom<ManifestRow> for Manifest {
    type Error = Error;

    fn try_from(row: ManifestRow) -> Result<Self> {
        let balance = Decimal::from_sent(&row.ledger_balance, true).map(|sent| sent.value());
        Ok(Self {
            declared: Totals {
                accounts: number(row.accounts, "accounts")?,
                ledger_balance: balance.ok_or_else(|| Error::corrupt("a declared balance cannot be read"))?,
                readings: number(row.readings, "readings")?,
                transactions: number(row.transactions, "transactions")?,
                documents: number(row.documents, "documents")?,
                rows: stored::read_known(row.counts.as_deref())?,
            },
            declared_at: row.declared_at.instant()?,
        })
    }
}
