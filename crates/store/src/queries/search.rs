//! The words of accounts (decision 0066).

use super::schema::{business_terms, search_keys, search_terms};
use super::{Conn, SqlTx};
use crate::error::{Error, Result};
use crate::sealed::{Location, Sealer};
use cutover_app::port::{Search, SearchKey, SearchTerm, StoreError};
use diesel::prelude::*;
use std::borrow::Cow;

/// The name of the only key.
const WORDS: &str = "words";

row! {
    #[derive(Insertable)]
    #[diesel(table_name = search_terms, treat_none_as_default_value = false)]
    struct TermRow<'a> {
        process_id: i64,
        term: Cow<'a, [u8]>,
    }
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
    let row = |SearchTerm(term): &'_ SearchTerm| BusinessTermRow { business_id, term: term.clone().into() };
    BusinessTermRow::insert_all(&terms.iter().map(row).collect::<Vec<_>>(), conn)
}

/// Stores the words of a new account.
pub(super) fn insert(conn: &mut Conn, process_id: i64, terms: &[SearchTerm]) -> Result<()> {
    if terms.is_empty() {
        return Ok(());
    }
    let row = |SearchTerm(term): &'_ SearchTerm| TermRow { process_id, term: term.clone().into() };
    TermRow::insert_all(&terms.iter().map(row).collect::<Vec<_>>(), conn)
}

/// Replaces the words of an account.
pub(super) fn replace(conn: &mut Conn, process_id: i64, terms: &[SearchTerm]) -> Result<()> {
    diesel::delete(search_terms::table.filter(search_terms::process_id.eq(process_id))).execute(conn)?;
    insert(conn, process_id, terms)
}

/// Returns the words of an account.
pub(super) fn of(conn: &mut Conn, process_id: i64) -> Result<Vec<SearchTerm>> {
    let of = search_terms::table.filter(search_terms::process_id.eq(process_id)).order(search_terms::term);
    let terms: Vec<Vec<u8>> = of.select(search_terms::term).load(conn)?;
    Ok(terms.into_iter().map(SearchTerm).collect())
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

/// Returns the first bytes after all that begin with these; `None` if there are none.
fn end_of(beginning: &[u8]) -> Option<Vec<u8>> {
    let last = beginning.iter().rposition(|byte| *byte < u8::MAX)?;
    let mut end = beginning[..=last].to_vec();
    end[last] += 1;
    Some(end)
}

fn with_beginning(conn: &mut Conn, beginning: &[u8], limit: i64) -> Result<Vec<i64>> {
    let from = search_terms::table.filter(search_terms::term.ge(beginning));
    let ordered = (search_terms::term, search_terms::process_id);
    let ids: Vec<i64> = match end_of(beginning) {
        Some(end) => from
            .filter(search_terms::term.lt(end))
            .order(ordered)
            .limit(limit)
            .select(search_terms::process_id)
            .load(conn)?,
        None => from.order(ordered).limit(limit).select(search_terms::process_id).load(conn)?,
    };
    Ok(ids)
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
        self.run(|conn| {
            let with = search_terms::table.filter(search_terms::term.eq(&term.0));
            let after = with.filter(search_terms::process_id.gt(after)).order(search_terms::process_id);
            Ok(after.limit(limit.into()).select(search_terms::process_id).load(conn)?)
        })
    }

    fn processes_with_beginning(&mut self, term: &SearchTerm, limit: u32) -> Result<Vec<i64>, StoreError> {
        self.run(|conn| with_beginning(conn, &term.0, limit.into()))
    }

    fn processes_among_with(
        &mut self,
        process_ids: &[i64],
        term: &SearchTerm,
    ) -> Result<Vec<i64>, StoreError> {
        self.run(|conn| {
            let among = search_terms::table.filter(search_terms::process_id.eq_any(process_ids));
            let with = among.filter(search_terms::term.eq(&term.0)).order(search_terms::process_id);
            Ok(with.select(search_terms::process_id).load(conn)?)
        })
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
