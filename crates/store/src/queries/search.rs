//! Lookups of accounts and businesses by their words (decision 0066).

use super::SqlTx;
use super::dialect::{Conn, Dialect};
use super::schema::{business_terms, process_terms, search_keys};
use super::sql_dialect::SqlDialect;
use super::terms::{TermRange, block_of, read_list};
use crate::error::{Error, Result};
use crate::sealed::{Location, Sealer};
use cutover_app::port::{Search, SearchKey, SearchTerm, StoreError};
use diesel::dsl::max;
use diesel::prelude::*;

/// The name of the only key.
const WORDS: &str = "words";

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
