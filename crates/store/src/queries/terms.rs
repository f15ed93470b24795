//! The words of accounts and of businesses, as they are stored (decision 0066).

use super::Conn;
use super::schema::{business_terms, process_terms, search_terms};
use crate::error::{Error, Result};
use cutover_app::port::{ErasedRows, SearchTerm};
use diesel::prelude::*;
use std::borrow::Cow;

/// Number of processes, by their keys, whose words are next to each other. So those of new accounts are written to few pages; a lookup
/// reads each block.
pub(crate) const BLOCK_SIZE: i64 = 32_768;

pub(super) fn block_of(process_id: i64) -> i64 {
    process_id / BLOCK_SIZE
}

row! {
    #[derive(Insertable)]
    #[diesel(table_name = search_terms, treat_none_as_default_value = false)]
    struct TermRow<'a> {
        block: i64,
        term: Cow<'a, [u8]>,
        process_id: i64,
    }
}

/// Terms of processes from `from` to `to`, exclusive.
#[derive(Clone)]
pub(crate) struct TermRange {
    pub(crate) from: Vec<u8>,
    pub(crate) to: Vec<u8>,
    /// The key after which the processes are.
    pub(crate) after: i64,
    pub(crate) limit: i64,
}

row! {
    #[derive(Insertable)]
    #[diesel(table_name = business_terms, treat_none_as_default_value = false)]
    struct BusinessTermRow<'a> {
        business_id: i64,
        term: Cow<'a, [u8]>,
    }
}

/// Replaces the words of a business.
pub(super) fn replace_of_business(conn: &mut Conn, business_id: i64, terms: &[SearchTerm]) -> Result<()> {
    diesel::delete(business_terms::table.filter(business_terms::business_id.eq(business_id)))
        .execute(conn)?;
    let rows = terms.iter().map(|SearchTerm(term)| BusinessTermRow { business_id, term: term.into() });
    BusinessTermRow::insert_all(&rows.collect::<Vec<_>>(), conn)
}

/// Writes terms as one value: each after its length in two bytes.
pub(crate) fn write_list(terms: &[SearchTerm]) -> Result<Vec<u8>> {
    let mut list = Vec::with_capacity(terms.iter().map(|SearchTerm(term)| 2 + term.len()).sum());
    for SearchTerm(term) in terms {
        let length = u16::try_from(term.len()).map_err(|_| Error::Unfit("a word is too long"))?;
        list.extend_from_slice(&length.to_be_bytes());
        list.extend_from_slice(term);
    }
    Ok(list)
}

pub(super) fn read_list(mut list: &[u8]) -> Result<Vec<SearchTerm>> {
    let mut terms = Vec::new();
    while !list.is_empty() {
        let term = list
            .split_first_chunk()
            .and_then(|(length, rest)| rest.split_at_checked(u16::from_be_bytes(*length).into()));
        let (term, rest) = term.ok_or_else(|| Error::corrupt("the words of an account end too early"))?;
        terms.push(SearchTerm(term.to_vec()));
        list = rest;
    }
    Ok(terms)
}

/// Stores the words of a new account.
pub(super) fn insert(conn: &mut Conn, process_id: i64, terms: &[SearchTerm]) -> Result<()> {
    if terms.is_empty() {
        return Ok(());
    }
    diesel::insert_into(process_terms::table)
        .values((process_terms::process_id.eq(process_id), process_terms::terms.eq(write_list(terms)?)))
        .execute(conn)?;
    let block = block_of(process_id);
    let rows = terms.iter().map(|SearchTerm(term)| TermRow { block, term: term.into(), process_id });
    TermRow::insert_all(&rows.collect::<Vec<_>>(), conn)
}

/// Replaces the words of an account.
pub(super) fn replace(conn: &mut Conn, process_id: i64, terms: &[SearchTerm]) -> Result<()> {
    erase(conn, &[process_id])?;
    insert(conn, process_id, terms)
}

/// Removes the words of accounts. Returns the number of rows by table.
pub(super) fn erase(conn: &mut Conn, process_ids: &[i64]) -> Result<Vec<ErasedRows>> {
    let mut words = 0;
    for id in process_ids {
        let terms = of(conn, *id)?.into_iter().map(|SearchTerm(term)| term).collect::<Vec<_>>();
        let of_process = search_terms::block.eq(block_of(*id)).and(search_terms::process_id.eq(id));
        let erased = search_terms::table.filter(of_process.and(search_terms::term.eq_any(terms)));
        words += diesel::delete(erased).execute(conn)? as u64;
    }
    let mut erased = vec![("search_terms", words)];
    erased.retain(|(_, rows)| *rows > 0);
    erased.extend(erase!(conn, process_ids: process_terms.process_id));
    Ok(erased)
}

/// Returns the words of an account.
pub(super) fn of(conn: &mut Conn, process_id: i64) -> Result<Vec<SearchTerm>> {
    let list: Option<Vec<u8>> =
        process_terms::table.find(process_id).select(process_terms::terms).get_result(conn).optional()?;
    read_list(&list.unwrap_or_default())
}
