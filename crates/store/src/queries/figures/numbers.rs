//! The account numbers that suppliers declare with their manifest.

use super::super::Conn;
use super::super::schema::{manifest_lists, manifest_numbers};
use super::super::{changed, fit, number};
use crate::error::Result;
use cutover_app::port::NumberLists;
use cutover_core::ExternalAccountNumber;
use diesel::prelude::*;
use std::collections::{BTreeSet, HashSet};

row! {
    #[derive(Insertable)]
    #[diesel(table_name = manifest_numbers, treat_none_as_default_value = false)]
    struct NumberRow<'a> {
        supplier_id: i64,
        list: i64,
        external_account_number: &'a str,
    }
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = manifest_lists)]
struct Lists {
    list: Option<i64>,
    numbers: i64,
    loading_list: Option<i64>,
    loading_numbers: i64,
    part: i64,
}

fn lists(conn: &mut Conn, supplier_id: i64) -> Result<Option<Lists>> {
    let row = manifest_lists::table.find(supplier_id).select(Lists::as_select());
    Ok(row.get_result(conn).optional()?)
}

pub(super) fn read(conn: &mut Conn, supplier_id: i64) -> Result<Option<NumberLists>> {
    let count =
        |list: Option<i64>, numbers: i64| list.map(|_| number(numbers, "account numbers")).transpose();
    let read = |row: Lists| {
        Ok(NumberLists {
            declared: count(row.list, row.numbers)?,
            loading: count(row.loading_list, row.loading_numbers)?,
            part: number(row.part, "a part")?,
        })
    };
    lists(conn, supplier_id)?.map(read).transpose()
}

/// Begins a list, in place of one that is not complete.
fn begin(conn: &mut Conn, supplier_id: i64) -> Result<()> {
    let of_supplier = manifest_numbers::table.filter(manifest_numbers::supplier_id.eq(supplier_id));
    let last: Option<i64> = of_supplier
        .select(manifest_numbers::list)
        .order((manifest_numbers::supplier_id.desc(), manifest_numbers::list.desc()))
        .first(conn)
        .optional()?;
    let known = lists(conn, supplier_id)?;
    let known = known.and_then(|row| row.list.max(row.loading_list));
    let next = last.max(known).unwrap_or_default() + 1;
    diesel::insert_into(manifest_lists::table)
        .values((
            manifest_lists::supplier_id.eq(supplier_id),
            manifest_lists::numbers.eq(0_i64),
            manifest_lists::loading_list.eq(Some(next)),
            manifest_lists::loading_numbers.eq(0_i64),
            manifest_lists::part.eq(0_i64),
        ))
        .on_conflict(manifest_lists::supplier_id)
        .do_update()
        .set((
            manifest_lists::loading_list.eq(Some(next)),
            manifest_lists::loading_numbers.eq(0_i64),
            manifest_lists::part.eq(0_i64),
        ))
        .execute(conn)?;
    Ok(())
}

pub(super) fn add(
    conn: &mut Conn,
    supplier_id: i64,
    part: u32,
    is_last: bool,
    numbers: &[ExternalAccountNumber],
) -> Result<bool> {
    if part == 1 {
        begin(conn, supplier_id)?;
    }
    // It locks the row, so that two requests cannot store a part at the same time.
    let next = manifest_lists::table
        .find(supplier_id)
        .filter(manifest_lists::loading_list.is_not_null())
        .filter(manifest_lists::part.eq(i64::from(part) - 1));
    if !changed(diesel::update(next).set(manifest_lists::part.eq(i64::from(part))).execute(conn)?) {
        return Ok(false);
    }
    let Some((list, stored)) =
        lists(conn, supplier_id)?.and_then(|row| Some((row.loading_list?, row.loading_numbers)))
    else {
        return Ok(false);
    };
    let given: BTreeSet<&str> = numbers.iter().map(ExternalAccountNumber::as_str).collect();
    let known: HashSet<String> = among(conn, supplier_id, list, given.iter().copied())?.into_iter().collect();
    let row = |external_account_number| NumberRow { supplier_id, list, external_account_number };
    let rows: Vec<NumberRow<'_>> =
        given.into_iter().filter(|number| !known.contains(*number)).map(row).collect();
    NumberRow::insert_all(&rows, conn)?;
    let count = stored + fit::<_, i64>(rows.len())?;
    let own = manifest_lists::table.find(supplier_id);
    if is_last {
        let complete = (
            manifest_lists::list.eq(Some(list)),
            manifest_lists::numbers.eq(count),
            manifest_lists::loading_list.eq(None::<i64>),
            manifest_lists::loading_numbers.eq(0_i64),
        );
        diesel::update(own).set(complete).execute(conn)?;
    } else {
        diesel::update(own).set(manifest_lists::loading_numbers.eq(count)).execute(conn)?;
    }
    Ok(true)
}

pub(crate) fn drop_lists(conn: &mut Conn, supplier_id: i64) -> Result<()> {
    let none = (
        manifest_lists::list.eq(None::<i64>),
        manifest_lists::numbers.eq(0_i64),
        manifest_lists::loading_list.eq(None::<i64>),
        manifest_lists::loading_numbers.eq(0_i64),
        manifest_lists::part.eq(0_i64),
    );
    diesel::update(manifest_lists::table.find(supplier_id)).set(none).execute(conn)?;
    Ok(())
}

/// Removes some numbers of the first list between those that stay.
pub(crate) fn remove(conn: &mut Conn, supplier_id: i64, limit: i64) -> Result<u64> {
    let kept = lists(conn, supplier_id)?;
    let kept: BTreeSet<i64> =
        kept.into_iter().flat_map(|row| [row.list, row.loading_list]).flatten().collect();
    let mut from = i64::MIN;
    for until in kept.into_iter().chain([i64::MAX]) {
        let between = manifest_numbers::table
            .filter(manifest_numbers::supplier_id.eq(supplier_id))
            .filter(manifest_numbers::list.gt(from))
            .filter(manifest_numbers::list.lt(until));
        let order = (manifest_numbers::supplier_id, manifest_numbers::list);
        let first = between.select(manifest_numbers::list).order(order);
        if let Some(list) = first.first::<i64>(conn).optional()? {
            return remove_of(conn, supplier_id, list, limit);
        }
        from = until;
    }
    Ok(0)
}

fn remove_of(conn: &mut Conn, supplier_id: i64, list: i64, limit: i64) -> Result<u64> {
    let Some(last) = page(conn, supplier_id, list, "", limit)?.pop() else { return Ok(0) };
    let up_to = manifest_numbers::table
        .filter(manifest_numbers::supplier_id.eq(supplier_id))
        .filter(manifest_numbers::list.eq(list))
        .filter(manifest_numbers::external_account_number.le(last));
    Ok(diesel::delete(up_to).execute(conn)? as u64)
}

fn page(conn: &mut Conn, supplier_id: i64, list: i64, after: &str, limit: i64) -> Result<Vec<String>> {
    let later = manifest_numbers::table
        .filter(manifest_numbers::supplier_id.eq(supplier_id))
        .filter(manifest_numbers::list.eq(list))
        .filter(manifest_numbers::external_account_number.gt(after))
        .order((
            manifest_numbers::supplier_id,
            manifest_numbers::list,
            manifest_numbers::external_account_number,
        ));
    Ok(later.limit(limit).select(manifest_numbers::external_account_number).load(conn)?)
}

pub(super) fn after(conn: &mut Conn, supplier_id: i64, after: &str, limit: u32) -> Result<Vec<String>> {
    match lists(conn, supplier_id)?.and_then(|row| row.list) {
        Some(list) => page(conn, supplier_id, list, after, limit.into()),
        None => Ok(Vec::new()),
    }
}

pub(super) fn declared_among(conn: &mut Conn, supplier_id: i64, numbers: &[String]) -> Result<Vec<String>> {
    match lists(conn, supplier_id)?.and_then(|row| row.list) {
        Some(list) => among(conn, supplier_id, list, numbers.iter().map(String::as_str)),
        None => Ok(Vec::new()),
    }
}

fn among<'n>(
    conn: &mut Conn,
    supplier_id: i64,
    list: i64,
    numbers: impl Iterator<Item = &'n str>,
) -> Result<Vec<String>> {
    let numbers: Vec<&str> = numbers.collect();
    let mut found = Vec::new();
    // SQLite bounds the parameters of a statement.
    for some in numbers.chunks(1_000) {
        let known = manifest_numbers::table
            .filter(manifest_numbers::supplier_id.eq(supplier_id))
            .filter(manifest_numbers::list.eq(list))
            .filter(manifest_numbers::external_account_number.eq_any(some.to_vec()));
        found.extend(known.select(manifest_numbers::external_account_number).load::<String>(conn)?);
    }
    Ok(found)
}
