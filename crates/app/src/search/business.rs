//! The words of a business.

use super::key::Terms;
use super::words::{Word, company_pair, company_words};
use crate::port::SearchTerm;
use cutover_model::{BusinessRequest, Text};
use cutover_rules::UniqueDetail;
use std::collections::BTreeSet;

/// Maximum number of words of the name of a business. The rest is left out.
const MOST: usize = 12;

impl Terms {
    /// Returns the terms of a business, sorted, each once. The terms are those of an organisation.
    pub(crate) fn of_business(&self, request: &BusinessRequest<'_>) -> Vec<SearchTerm> {
        let mut words = company_words(request.business.company_name.as_ref().map_or("", Text::as_sent));
        words.truncate(MOST);
        let pairs = words.windows(2).map(|two| company_pair(&two[0], &two[1]));
        let alone = words.iter().cloned().map(Word::Company);
        let details = request.business.details.iter().flatten();
        let unique =
            details.filter_map(|detail| UniqueDetail::of(detail.key.as_sent(), detail.value.as_sent()));
        let numbers = unique.map(|detail| Word::CompanyNumber(detail.key, detail.digits));
        let words = alone.chain(pairs).chain(numbers);
        let terms: BTreeSet<SearchTerm> = words.filter_map(|word| self.of(&word)).collect();
        terms.into_iter().collect()
    }

    /// Returns the term of a fact that a business shares with no other one; `None` without a key.
    pub(crate) fn of_detail(&self, UniqueDetail { key, digits }: &UniqueDetail) -> Option<SearchTerm> {
        self.of(&Word::CompanyNumber(key, digits.clone()))
    }
}
