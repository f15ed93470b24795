//! Rows of what suppliers have sent, which triggers count, and of what was imported.

use super::super::Conn;
use super::super::dialect::{Db, Dialect};
use super::super::rows::{self, RowSum};
use super::super::schema::{row_changes, row_counts};
use super::super::sql_dialect::SqlDialect;
use super::super::statement::Bind;
use super::{RECOUNT, count};
use crate::error::{Error, Result};
use cutover_model::RowCounts;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Bool, Text};
use std::collections::BTreeMap;

statement! {
    Read { supplier_id: i64, is_sent: bool } -> (BigInt, Text)
        = "SELECT CAST(1 AS BIGINT), counts FROM row_counts WHERE supplier_id = " supplier_id " AND is_sent = " is_sent
            " UNION ALL SELECT times, counts FROM row_changes WHERE supplier_id = " supplier_id " AND is_sent = " is_sent
            " AND id >= " (Dialect::FIRST_ROW_CHANGE)
}

statement! {
    /// Removes and returns the oldest changes.
    Take { limit: i64 } -> (BigInt, Bool, BigInt, Text)
        = "DELETE FROM row_changes WHERE id" (Dialect::AMONG) "SELECT id FROM row_changes WHERE id >= "
            (Dialect::FIRST_ROW_CHANGE) " ORDER BY id LIMIT " limit (Dialect::AMONG_END)
            " RETURNING supplier_id, is_sent, times, counts"
}

/// Adds to the rows of the imported accounts of a supplier, or subtracts if `times` is -1.
pub(super) fn change_imported(
    conn: &mut Conn,
    supplier_id: i64,
    times: i64,
    counts: &RowCounts,
) -> Result<()> {
    if counts.is_empty() {
        return Ok(());
    }
    insert(conn, (supplier_id, false), &(times, rows::write(counts)))
}

fn insert(
    conn: &mut Conn,
    (supplier_id, is_sent): (i64, bool),
    (times, counts): &(i64, String),
) -> Result<()> {
    diesel::insert_into(row_changes::table)
        .values((
            row_changes::supplier_id.eq(supplier_id),
            row_changes::is_sent.eq(is_sent),
            row_changes::times.eq(times),
            row_changes::counts.eq(counts),
        ))
        .execute(conn)?;
    Ok(())
}

pub(super) fn read(conn: &mut Conn, supplier_id: i64, is_sent: bool) -> Result<RowCounts> {
    let mut sum = RowSum::default();
    let changes: Vec<(i64, String)> = Read { supplier_id, is_sent }.load(conn)?;
    changes.iter().try_for_each(|(times, counts)| sum.add(*times, counts))?;
    Ok(sum.counts(count))
}

/// Folds the oldest changes and returns how many. Those of a supplier that cannot be read or added are moved after the others.
pub(super) fn fold(conn: &mut Conn, limit: u32) -> Result<usize> {
    let taken: Vec<(i64, bool, i64, String)> = Take { limit: limit.into() }.load(conn)?;
    let mut changes = BTreeMap::<(i64, bool), Vec<(i64, String)>>::new();
    for (supplier_id, is_sent, times, counts) in taken {
        changes.entry((supplier_id, is_sent)).or_default().push((times, counts));
    }
    let mut folded = 0;
    for (of, changes) in changes {
        match fold_into(conn, of, &changes) {
            Ok(()) => folded += changes.len(),
            Err(Error::Corrupt(fault)) => {
                tracing::error!(supplier = of.0, fault, "figures are not folded: see {RECOUNT}");
                changes.iter().try_for_each(|change| insert(conn, of, change))?;
            }
            Err(error) => return Err(error),
        }
    }
    Ok(folded)
}

/// Adds changes to the folded numbers. Returns [`Error::Corrupt`] without writing if these cannot be read or added. Nobody
/// else folds meanwhile.
fn fold_into(conn: &mut Conn, of: (i64, bool), changes: &[(i64, String)]) -> Result<()> {
    let before =
        row_counts::table.find(of).select(row_counts::counts).get_result::<String>(conn).optional()?;
    let mut sum = RowSum::default();
    let folded = before.iter().map(|counts| (1, counts));
    folded
        .chain(changes.iter().map(|(times, counts)| (*times, counts)))
        .try_for_each(|(times, counts)| sum.add(times, counts))?;
    let counts = sum.write();
    diesel::insert_into(row_counts::table)
        .values((
            row_counts::supplier_id.eq(of.0),
            row_counts::is_sent.eq(of.1),
            row_counts::counts.eq(&counts),
        ))
        .on_conflict((row_counts::supplier_id, row_counts::is_sent))
        .do_update()
        .set(row_counts::counts.eq(&counts))
        .execute(conn)?;
    Ok(())
}
