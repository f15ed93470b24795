//! What erasures leave: keyed hashes (decision 0018).

use super::super::dialect::Db;
use super::super::schema::{erased_accounts, suppliers};
use super::super::statement::Bind;
use super::super::types::Bits;
use super::super::{Conn, changed};
use crate::error::Result;
use cutover_app::port::ErasureMark;
use diesel::prelude::*;
use diesel::sql_types::Binary;
use std::collections::BTreeSet;

statement! {
    /// One mark: every create of a supplier that has any looks for its own, so the statement is prepared once.
    One { supplier_id: i64, mark: Bits } -> Binary
        = "SELECT mark FROM erased_accounts WHERE supplier_id = " supplier_id " AND mark = " mark
}

pub(super) fn set_key(conn: &mut Conn, supplier_id: i64, key_id: &str) -> Result<()> {
    let revision = suppliers::revision.eq(suppliers::revision + 1);
    let supplier = diesel::update(suppliers::table.find(supplier_id));
    supplier.set((suppliers::mark_key.eq(key_id), revision)).execute(conn)?;
    Ok(())
}

pub(super) fn add(conn: &mut Conn, supplier_id: i64, mark: ErasureMark) -> Result<()> {
    diesel::insert_into(erased_accounts::table)
        .values((erased_accounts::supplier_id.eq(supplier_id), erased_accounts::mark.eq(Bits(mark.0))))
        .on_conflict_do_nothing()
        .execute(conn)?;
    Ok(())
}

pub(super) fn among(
    conn: &mut Conn,
    supplier_id: i64,
    marks: &[ErasureMark],
) -> Result<BTreeSet<ErasureMark>> {
    let found: Vec<Bits> = match marks {
        [] => Vec::new(),
        [mark] => One { supplier_id, mark: Bits(mark.0) }.load(conn)?,
        marks => {
            let wanted: Vec<Bits> = marks.iter().map(|mark| Bits(mark.0)).collect();
            let of_supplier = erased_accounts::table.filter(erased_accounts::supplier_id.eq(supplier_id));
            of_supplier
                .filter(erased_accounts::mark.eq_any(wanted))
                .select(erased_accounts::mark)
                .load(conn)?
        }
    };
    Ok(found.into_iter().map(|Bits(mark)| ErasureMark(mark)).collect())
}

pub(super) fn remove(conn: &mut Conn, supplier_id: i64, mark: ErasureMark) -> Result<bool> {
    let found = erased_accounts::table.find((supplier_id, Bits(mark.0)));
    Ok(changed(diesel::delete(found).execute(conn)?))
}
