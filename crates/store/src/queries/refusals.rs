//! Refused creates and their figures.

use super::dialect::{Db, Dialect};
use super::schema::{refused_causes, refused_creates, refused_totals};
use super::sql_dialect::SqlDialect;
use super::statement::Bind;
use super::types::{Json, Timestamp};
use super::{Conn, SqlTx, number};
use crate::error::Result;
use cutover_app::port::{Refusals, RefusedCreate, RefusedFault, RefusedFigures, StoreError};
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Text};
use std::collections::BTreeMap;

statement! {
    /// Locks the refused creates of a supplier.
    Lock { supplier_id: i64 } -> BigInt
        = "SELECT accounts FROM refused_totals WHERE supplier_id = " supplier_id (Dialect::LOCK)
}

statement! {
    /// Adds to the accounts with a cause.
    CountCause { supplier_id: i64, code: String, attr: String, change: i64 }
        = "INSERT INTO refused_causes (supplier_id, code, attr, accounts) VALUES (" supplier_id ", " code ", " attr
            ", " change ") ON CONFLICT (supplier_id, code, attr) DO UPDATE \
            SET accounts = refused_causes.accounts + excluded.accounts"
}

row! {
    #[derive(Insertable)]
    #[diesel(table_name = refused_creates, treat_none_as_default_value = false)]
    struct RefusedRow<'a> {
        supplier_id: i64,
        external_account_number: &'a str,
        refused_at: Timestamp,
        causes: Json<'a>,
    }
}

/// Number, time and causes of a refused create.
pub(crate) type Read = (String, Timestamp, Json<'static>);

/// The columns of [`Read`].
pub(crate) const READ: (
    refused_creates::external_account_number,
    refused_creates::refused_at,
    refused_creates::causes,
) = (refused_creates::external_account_number, refused_creates::refused_at, refused_creates::causes);

fn read((number, refused_at, causes): Read) -> Result<RefusedCreate> {
    let causes = causes.read("the causes of a refused create")?;
    Ok(RefusedCreate { number, refused_at: refused_at.instant()?, causes })
}

pub(super) fn all(rows: Vec<Read>) -> Result<Vec<RefusedCreate>> {
    rows.into_iter().map(read).collect()
}

fn change(
    conn: &mut Conn,
    supplier_id: i64,
    removed: &[RefusedCreate],
    added: &[RefusedCreate],
    without_number: u64,
) -> Result<()> {
    let mut deleted = 0;
    if !removed.is_empty() {
        let numbers: Vec<&str> = removed.iter().map(|refused| refused.number.as_str()).collect();
        deleted = Dialect::remove_refused(conn, supplier_id, &numbers)?;
    }
    let rows = added.iter().map(|refused| {
        Ok(RefusedRow {
            supplier_id,
            external_account_number: &refused.number,
            refused_at: refused.refused_at.into(),
            causes: Json::of(&refused.causes)?,
        })
    });
    RefusedRow::insert_all(&rows.collect::<Result<Vec<_>>>()?, conn)?;
    let mut causes = BTreeMap::<&RefusedFault, i64>::new();
    added.iter().flat_map(|refused| &refused.causes).for_each(|cause| *causes.entry(cause).or_default() += 1);
    removed
        .iter()
        .flat_map(|refused| &refused.causes)
        .for_each(|cause| *causes.entry(cause).or_default() -= 1);
    for (RefusedFault { code, attr }, change) in causes.into_iter().filter(|(_, change)| *change != 0) {
        CountCause { supplier_id, code: code.clone(), attr: attr.clone(), change }.execute(conn)?;
    }
    let more = number::<usize, i64>(added.len(), "a number of rows")?
        - number::<usize, i64>(deleted, "a number of rows")?;
    let without = number::<u64, i64>(without_number, "a number of payloads")?;
    diesel::update(refused_totals::table.find(supplier_id))
        .set((
            refused_totals::accounts.eq(refused_totals::accounts + more),
            refused_totals::without_number.eq(refused_totals::without_number + without),
        ))
        .execute(conn)?;
    let none = refused_causes::table.filter(refused_causes::supplier_id.eq(supplier_id));
    diesel::delete(none.filter(refused_causes::accounts.le(0))).execute(conn)?;
    Ok(())
}

fn figures(conn: &mut Conn, supplier_id: i64, limit: u32) -> Result<RefusedFigures> {
    let totals = refused_totals::table.find(supplier_id);
    let totals: Option<(i64, i64)> = totals
        .select((refused_totals::accounts, refused_totals::without_number))
        .get_result(conn)
        .optional()?;
    let Some((accounts, without_number)) = totals else { return Ok(RefusedFigures::default()) };
    let top: Vec<(String, String, i64)> = refused_causes::table
        .filter(refused_causes::supplier_id.eq(supplier_id))
        .order((refused_causes::accounts.desc(), refused_causes::code, refused_causes::attr))
        .select((refused_causes::code, refused_causes::attr, refused_causes::accounts))
        .limit(limit.into())
        .load(conn)?;
    let count = |count| number::<i64, u64>(count, "a number of refused creates");
    let top =
        top.into_iter().map(|(code, attr, accounts)| Ok((RefusedFault { code, attr }, count(accounts)?)));
    Ok(RefusedFigures {
        accounts: count(accounts)?,
        without_number: count(without_number)?,
        top: top.collect::<Result<_>>()?,
    })
}

#[diesel::declare_sql_function]
extern "SQL" {
    /// Without an effect on letters beyond ASCII in SQLite.
    fn upper(text: Text) -> Text;
}

fn refused_with_part(
    conn: &mut Conn,
    supplier_id: i64,
    part: &str,
    limit: i64,
) -> Result<Vec<RefusedCreate>> {
    let escaped = part.to_ascii_uppercase().replace('\\', "\\\\").replace('%', "\\%").replace('_', "\\_");
    let rows: Vec<Read> = refused_creates::table
        .filter(refused_creates::supplier_id.eq(supplier_id))
        .filter(upper(refused_creates::external_account_number).like(format!("%{escaped}%")).escape('\\'))
        .order(refused_creates::external_account_number)
        .limit(limit)
        .select(READ)
        .load(conn)?;
    all(rows)
}

impl Refusals for SqlTx<'_> {
    fn lock_refusals(&mut self, supplier_id: i64) -> Result<(), StoreError> {
        self.run(|conn| {
            let none = (
                refused_totals::supplier_id.eq(supplier_id),
                refused_totals::accounts.eq(0),
                refused_totals::without_number.eq(0),
            );
            diesel::insert_into(refused_totals::table).values(none).on_conflict_do_nothing().execute(conn)?;
            Lock { supplier_id }.get_result::<i64>(conn)?;
            Ok(())
        })
    }

    fn refused_among(
        &mut self,
        supplier_id: i64,
        numbers: &[String],
    ) -> Result<Vec<RefusedCreate>, StoreError> {
        self.run(|conn| {
            let mut found = Dialect::refused_among(conn, supplier_id, numbers)?;
            found.sort_by(|(one, ..), (other, ..)| one.cmp(other));
            all(found)
        })
    }

    fn change_refusals(
        &mut self,
        supplier_id: i64,
        removed: &[RefusedCreate],
        added: &[RefusedCreate],
        without_number: u64,
    ) -> Result<(), StoreError> {
        self.run(|conn| change(conn, supplier_id, removed, added, without_number))
    }

    fn oldest_refused(&mut self, supplier_id: i64, limit: u32) -> Result<Vec<RefusedCreate>, StoreError> {
        self.run(|conn| {
            let found = refused_creates::table
                .filter(refused_creates::supplier_id.eq(supplier_id))
                .order((refused_creates::refused_at, refused_creates::external_account_number));
            all(found.select(READ).limit(limit.into()).load(conn)?)
        })
    }

    fn refused_after(
        &mut self,
        supplier_id: i64,
        after: &str,
        limit: u32,
    ) -> Result<Vec<RefusedCreate>, StoreError> {
        self.run(|conn| {
            let found = refused_creates::table
                .filter(refused_creates::supplier_id.eq(supplier_id))
                .filter(refused_creates::external_account_number.gt(after))
                .order(refused_creates::external_account_number);
            all(found.select(READ).limit(limit.into()).load(conn)?)
        })
    }

    fn refused_figures(&mut self, supplier_id: i64, limit: u32) -> Result<RefusedFigures, StoreError> {
        self.run(|conn| figures(conn, supplier_id, limit))
    }

    fn refused_with_part(
        &mut self,
        supplier_id: i64,
        part: &str,
        limit: u32,
    ) -> Result<Vec<RefusedCreate>, StoreError> {
        self.run(|conn| refused_with_part(conn, supplier_id, part, limit.into()))
    }
}
