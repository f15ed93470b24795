//! Finds the accounts of a supplier by the words of a text.

use super::key::Terms;
use super::question::{FoundBy, Question};
use crate::port::{Rows, SearchTerm, StoreError, Supplier};
use cutover_core::ExternalAccountNumber;
use std::collections::{BTreeMap, BTreeSet};

/// Number of accounts with one word that are compared with the other words at a time.
const PAGE: u32 = 500;
/// Maximum number of accounts with one word that are compared with the other words.
const COMPARED: usize = 10_000;

/// Processes that were found, with what each was found by.
#[derive(Default)]
pub(crate) struct Found {
    pub(crate) processes: BTreeMap<i64, BTreeSet<FoundBy>>,
    /// True if each word of the text is that of too many accounts to compare them all.
    pub(crate) is_cut: bool,
}

impl Found {
    /// Finds at most `limit` processes of a supplier for each reading of a text.
    pub(crate) fn of(
        tx: &mut dyn Rows,
        supplier: &Supplier,
        terms: &Terms,
        text: &ExternalAccountNumber,
        limit: u32,
    ) -> Result<Self, StoreError> {
        let mut found = Self::default();
        let like = tx.processes_like(supplier.id, text, limit)?;
        found.add(FoundBy::Number, like.iter().map(|stored| stored.process.id()));
        if let Some(part) = terms.of_number_part(text.as_str()) {
            found.add(FoundBy::Number, tx.processes_with_beginning(&part, limit)?);
        }
        let mut questions = Question::all(text.as_str());
        if let Some(business) = tx.business(supplier.organisation_id, text.as_str())? {
            let contracts = tx.contracts_of(business.id)?;
            questions.extend(contracts.iter().filter_map(|contract| Question::of_contract(contract)));
        }
        for question in questions {
            let (ids, is_cut) = having_all(tx, &question.terms(terms), limit)?;
            found.add(question.by, ids);
            found.is_cut |= is_cut;
        }
        Ok(found)
    }

    fn add(&mut self, by: FoundBy, ids: impl IntoIterator<Item = i64>) {
        for id in ids {
            self.processes.entry(id).or_default().insert(by);
        }
    }
}

/// Returns processes that have all of these terms, at most `limit`, and whether there may be more below that limit.
fn having_all(tx: &mut dyn Rows, terms: &[SearchTerm], limit: u32) -> Result<(Vec<i64>, bool), StoreError> {
    let Some((rarest, others)) = rarest_first(tx, terms)? else { return Ok((Vec::new(), false)) };
    if others.is_empty() {
        return Ok((tx.processes_with(&rarest, 0, limit)?, false));
    }
    let (mut found, mut compared, mut after) = (Vec::new(), 0, 0);
    loop {
        let mut page = tx.processes_with(&rarest, after, PAGE)?;
        let is_last = page.len() < PAGE as usize;
        (after, compared) = (page.last().copied().unwrap_or(after), compared + page.len());
        for term in &others {
            page = tx.processes_among_with(&page, term)?;
        }
        found.extend(page);
        if is_last || found.len() >= limit as usize || compared >= COMPARED {
            let is_cut = !is_last && found.len() < limit as usize;
            found.truncate(limit as usize);
            return Ok((found, is_cut));
        }
    }
}

/// Separates the term that fewest processes have, counted up to a page, from the others.
fn rarest_first(
    tx: &mut dyn Rows,
    terms: &[SearchTerm],
) -> Result<Option<(SearchTerm, Vec<SearchTerm>)>, StoreError> {
    let mut counted = Vec::with_capacity(terms.len());
    for term in terms {
        let count = if terms.len() == 1 { 0 } else { tx.processes_with(term, 0, PAGE)?.len() };
        counted.push((count, term.clone()));
    }
    counted.sort_by_key(|(count, _)| *count);
    let mut terms = counted.into_iter().map(|(_, term)| term);
    Ok(terms.next().map(|rarest| (rarest, terms.collect())))
}
