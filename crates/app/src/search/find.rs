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
/// Maximum number of businesses of a name.
const BUSINESSES: u32 = 20;
/// Maximum number of contracts of businesses whose accounts are looked up.
const CONTRACTS: usize = 500;

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
        let mut contracts = found.contracts(tx, supplier.organisation_id, terms, text.as_str())?;
        found.is_cut |= contracts.len() > CONTRACTS;
        contracts.truncate(CONTRACTS);
        questions.extend(contracts.iter().filter_map(|contract| Question::of_contract(contract)));
        for question in questions {
            let (ids, is_cut) = having_all(&mut Accounts(tx), &question.terms(terms), limit)?;
            found.add(question.by, ids);
            found.is_cut |= is_cut;
        }
        Ok(found)
    }

    /// Returns contracts of businesses that a text is the identifier or the name of.
    fn contracts(
        &mut self,
        tx: &mut dyn Rows,
        organisation_id: i64,
        terms: &Terms,
        text: &str,
    ) -> Result<Vec<String>, StoreError> {
        let mut businesses: BTreeSet<i64> =
            tx.business(organisation_id, text)?.map(|business| business.id).into_iter().collect();
        if let Some(question) = Question::of_business(text) {
            let named = question.terms(&terms.at(organisation_id));
            let (ids, is_cut) = having_all(&mut Businesses(tx), &named, BUSINESSES)?;
            self.is_cut |= is_cut || ids.len() == BUSINESSES as usize;
            businesses.extend(ids);
        }
        let mut contracts = Vec::new();
        for business in businesses {
            contracts.extend(tx.contracts_of(business)?);
        }
        Ok(contracts)
    }

    fn add(&mut self, by: FoundBy, ids: impl IntoIterator<Item = i64>) {
        for id in ids {
            self.processes.entry(id).or_default().insert(by);
        }
    }
}

/// Lookups of terms. What has them, an account or a business, is named by its key.
trait Lookup {
    /// Returns those with a term, greater than `after`, at most `limit`.
    fn with(&mut self, term: &SearchTerm, after: i64, limit: u32) -> Result<Vec<i64>, StoreError>;

    /// Returns those of these that have a term.
    fn among_with(&mut self, ids: &[i64], term: &SearchTerm) -> Result<Vec<i64>, StoreError>;
}

/// Accounts, by their processes.
struct Accounts<'t>(&'t mut dyn Rows);

impl Lookup for Accounts<'_> {
    fn with(&mut self, term: &SearchTerm, after: i64, limit: u32) -> Result<Vec<i64>, StoreError> {
        self.0.processes_with(term, after, limit)
    }

    fn among_with(&mut self, ids: &[i64], term: &SearchTerm) -> Result<Vec<i64>, StoreError> {
        self.0.processes_among_with(ids, term)
    }
}

/// Businesses.
struct Businesses<'t>(&'t mut dyn Rows);

impl Lookup for Businesses<'_> {
    fn with(&mut self, term: &SearchTerm, after: i64, limit: u32) -> Result<Vec<i64>, StoreError> {
        self.0.businesses_with(term, after, limit)
    }

    fn among_with(&mut self, ids: &[i64], term: &SearchTerm) -> Result<Vec<i64>, StoreError> {
        self.0.businesses_among_with(ids, term)
    }
}

/// Returns those that have all of these terms, at most `limit`, and whether there may be more below that limit.
fn having_all(of: &mut dyn Lookup, terms: &[SearchTerm], limit: u32) -> Result<(Vec<i64>, bool), StoreError> {
    if let [only] = terms {
        return Ok((of.with(only, 0, limit)?, false));
    }
    let Some(Rarest { term: rarest, mut page, others }) = Rarest::of(of, terms)? else {
        return Ok((Vec::new(), false));
    };
    let (mut found, mut compared) = (Vec::new(), 0);
    loop {
        let is_last = page.len() < PAGE as usize;
        let after = page.last().copied();
        compared += page.len();
        for term in &others {
            page = of.among_with(&page, term)?;
        }
        found.extend(page);
        match after {
            Some(after) if !is_last && found.len() < limit as usize && compared < COMPARED => {
                page = of.with(&rarest, after, PAGE)?;
            }
            _ => {
                let is_cut = !is_last && found.len() < limit as usize;
                found.truncate(limit as usize);
                return Ok((found, is_cut));
            }
        }
    }
}

/// The term that fewest have, counted up to a page, its first page, and the other terms.
struct Rarest {
    term: SearchTerm,
    page: Vec<i64>,
    others: Vec<SearchTerm>,
}

impl Rarest {
    fn of(of: &mut dyn Lookup, terms: &[SearchTerm]) -> Result<Option<Self>, StoreError> {
        let mut rarest: Option<(usize, Vec<i64>)> = None;
        for (place, term) in terms.iter().enumerate() {
            let page = of.with(term, 0, PAGE)?;
            if rarest.as_ref().is_none_or(|(_, fewest)| page.len() < fewest.len()) {
                rarest = Some((place, page));
            }
        }
        let mut others = terms.to_vec();
        Ok(rarest.map(|(place, page)| Self { term: others.remove(place), page, others }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Keys that have the term of a number: its multiples.
    #[derive(Default)]
    struct Multiples {
        most: i64,
        read: usize,
    }

    impl Lookup for Multiples {
        fn with(&mut self, term: &SearchTerm, after: i64, limit: u32) -> Result<Vec<i64>, StoreError> {
            let of = i64::from(term.0[0]);
            let all = (after + 1..=self.most).filter(|id| id % of == 0);
            let found: Vec<i64> = all.take(limit as usize).collect();
            self.read += found.len();
            Ok(found)
        }

        fn among_with(&mut self, ids: &[i64], term: &SearchTerm) -> Result<Vec<i64>, StoreError> {
            Ok(ids.iter().copied().filter(|id| id % i64::from(term.0[0]) == 0).collect())
        }
    }

    fn having(most: i64, numbers: &[u8], limit: u32) -> (Vec<i64>, bool, usize) {
        let mut all = Multiples { most, read: 0 };
        let terms: Vec<SearchTerm> = numbers.iter().map(|number| SearchTerm(vec![*number])).collect();
        let (found, is_cut) = having_all(&mut all, &terms, limit).unwrap();
        (found, is_cut, all.read)
    }

    #[test]
    fn those_with_all_terms_are_found_up_to_the_limit() {
        assert_eq!(having(40, &[2, 3, 5], 9), (vec![30], false, 20 + 13 + 8));
        assert_eq!(having(1_000_000, &[2, 3], 3).0, [6, 12, 18]);
        assert!(!having(1_000_000, &[2, 3], 3).1);
        assert_eq!(having(1_000_000, &[7], 2), (vec![7, 14], false, 2));
        assert_eq!(having(1_000_000, &[], 2), (vec![], false, 0));
    }

    /// The cost is bounded, however many have each of the terms.
    #[test]
    fn no_more_are_compared_than_the_limit_and_that_is_said() {
        // The first key with all three is beyond the accounts with one that are compared.
        let numbers = [251, 241, 239];
        let (found, is_cut, read) = having(20_000_000, &numbers, 9);
        assert_eq!((found, is_cut), (vec![], true));
        assert_eq!(read, COMPARED + (numbers.len() - 1) * PAGE as usize);
    }
}
