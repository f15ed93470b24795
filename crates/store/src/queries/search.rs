//! The words of accounts (decision 0066).

use super::SqlTx;
use super::dialect::{Conn, Dialect};
use super::schema::{business_terms, process_terms, search_keys, search_terms};
use super::sql_dialect::SqlDialect;
use crate::error::{Error, Result};
use crate::sealed::{Location, Sealer};
use cutover_app::port::{ErasedRows, Search, SearchKey, SearchTerm, StoreError};
use diesel::dsl::max;
use diesel::prelude::*;
use std::borrow::Cow;

/// The name of the only key.
const WORDS: &str = "words";

/// Number of processes, by their keys, whose words are next to each other. So those of new accounts are written to few pages; a lookup
/// reads each block.
pub(crate) const BLOCK_SIZE: i64 = 32_768;

fn block_of(process_id: i64) -> i64 {
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

fn read_list(mut list: &[u8]) -> Result<Vec<SearchTerm>> {
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

/// Returns those of these processes that have a term, by their keys.
fn among_with(conn: &mut Conn, process_ids: &[i64], SearchTerm(term): &SearchTerm) -> Result<Vec<i64>> {
    let lists = process_terms::table.filter(process_terms::process_id.eq_any(process_ids));
    let lists: Vec<(i64, Vec<u8>)> = lists.order(process_terms::process_id).load(conn)?;
    let mut with = Vec::new();
    for (id, list) in lists {
        if read_list(&list)?.iter().any(|SearchTerm(of_process)| of_process == term) {
            with.push(id);
        }
    }
    Ok(with)
}

fn key(conn: &mut Conn, sealer: &Sealer) -> Result<Option<SearchKey>> {
    let stored = search_keys::table.find(WORDS).select(search_keys::secret);
    let Some(stored): Option<Vec<u8>> = stored.get_result(conn).optional()? else { return Ok(None) };
    let unfit = |_| Error::corrupt("the key of the search does not have 256 bits");
    Ok(Some(SearchKey(sealer.open(Location::SearchKey, stored)?.try_into().map_err(unfit)?)))
}

fn add_key(conn: &mut Conn, sealer: &Sealer, key: &SearchKey) -> Result<()> {
    let sealed = sealer.seal(Location::SearchKey, &key.0)?.into_owned();
    diesel::insert_into(search_keys::table)
        .values((search_keys::name.eq(WORDS), search_keys::secret.eq(sealed)))
        .on_conflict_do_nothing()
        .execute(conn)?;
    Ok(())
}

/// Returns the first bytes after all that begin with these. No word consists of the greatest byte alone, so none begins with it.
fn end_of(beginning: &[u8]) -> Vec<u8> {
    let mut end = beginning.to_vec();
    while end.pop_if(|last| *last == u8::MAX).is_some() {}
    if let Some(last) = end.last_mut() {
        *last += 1;
    }
    end
}

/// Returns processes with such terms, block by block. A frequent word fills the limit in the first blocks; for a rare one, ever more are
/// read at a time.
fn with(conn: &mut Conn, mut range: TermRange) -> Result<Vec<i64>> {
    let last: Option<i64> = process_terms::table.select(max(process_terms::process_id)).get_result(conn)?;
    let end = last.map_or(0, |last| block_of(last) + 1);
    let (mut first, mut width, mut found) = (block_of(range.after), 1, Vec::new());
    while first < end && range.limit > 0 {
        let blocks = first..end.min(first + width);
        (first, width) = (blocks.end, width * 2);
        let with = Dialect::processes_with_terms(conn, blocks, &range)?;
        range.limit -= with.len() as i64;
        found.extend(with);
    }
    Ok(found)
}

impl Search for SqlTx<'_> {
    fn search_key(&mut self) -> Result<Option<SearchKey>, StoreError> {
        let sealer = self.sealer;
        self.run(|conn| key(conn, sealer))
    }

    fn add_search_key(&mut self, key: &SearchKey) -> Result<(), StoreError> {
        let sealer = self.sealer;
        self.run(|conn| add_key(conn, sealer, key))
    }

    fn processes_with(&mut self, term: &SearchTerm, after: i64, limit: u32) -> Result<Vec<i64>, StoreError> {
        let to = [&*term.0, &[0]].concat();
        let range = TermRange { from: term.0.clone(), to, after, limit: limit.into() };
        self.run(|conn| with(conn, range))
    }

    fn processes_with_beginning(&mut self, term: &SearchTerm, limit: u32) -> Result<Vec<i64>, StoreError> {
        let (from, to) = (term.0.clone(), end_of(&term.0));
        self.run(|conn| with(conn, TermRange { from, to, after: 0, limit: limit.into() }))
    }

    fn processes_among_with(
        &mut self,
        process_ids: &[i64],
        term: &SearchTerm,
    ) -> Result<Vec<i64>, StoreError> {
        self.run(|conn| among_with(conn, process_ids, term))
    }

    fn businesses_with(&mut self, term: &SearchTerm, after: i64, limit: u32) -> Result<Vec<i64>, StoreError> {
        self.run(|conn| {
            let with = business_terms::table.filter(business_terms::term.eq(&term.0));
            let after = with.filter(business_terms::business_id.gt(after)).order(business_terms::business_id);
            Ok(after.limit(limit.into()).select(business_terms::business_id).load(conn)?)
        })
    }

    fn businesses_among_with(
        &mut self,
        business_ids: &[i64],
        term: &SearchTerm,
    ) -> Result<Vec<i64>, StoreError> {
        self.run(|conn| {
            let among = business_terms::table.filter(business_terms::business_id.eq_any(business_ids));
            let with = among.filter(business_terms::term.eq(&term.0)).order(business_terms::business_id);
            Ok(with.select(business_terms::business_id).load(conn)?)
        })
    }
}
