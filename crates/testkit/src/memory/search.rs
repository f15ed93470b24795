use super::State;
use cutover_app::port::{Search, SearchKey, SearchTerm, StoreError};

impl State {
    /// Returns the processes of which a word fits, with that word.
    fn with_term(&self, fits: impl Fn(&SearchTerm) -> bool) -> Vec<(SearchTerm, i64)> {
        let of = |row: &super::Row| {
            let terms = row.staged.terms.iter().filter(|term| fits(term)).cloned();
            terms.map(|term| (term, row.process.id())).collect::<Vec<_>>()
        };
        let mut found: Vec<_> = self.processes.iter().flat_map(|row| of(row)).collect();
        found.sort();
        found
    }
}

impl Search for State {
    fn search_key(&mut self) -> Result<Option<SearchKey>, StoreError> {
        Ok(Some(SearchKey([7; 32])))
    }

    fn add_search_key(&mut self, _key: &SearchKey) -> Result<(), StoreError> {
        Ok(())
    }

    fn processes_with(&mut self, term: &SearchTerm, after: i64, limit: u32) -> Result<Vec<i64>, StoreError> {
        let found =
            self.with_term(|with| with == term).into_iter().map(|(_, id)| id).filter(|id| *id > after);
        Ok(found.take(limit as usize).collect())
    }

    fn processes_with_beginning(&mut self, term: &SearchTerm, limit: u32) -> Result<Vec<i64>, StoreError> {
        let found = self.with_term(|with| with.0.starts_with(&term.0));
        Ok(found.into_iter().take(limit as usize).map(|(_, id)| id).collect())
    }

    fn processes_among_with(
        &mut self,
        process_ids: &[i64],
        term: &SearchTerm,
    ) -> Result<Vec<i64>, StoreError> {
        let found = self.with_term(|with| with == term).into_iter().map(|(_, id)| id);
        Ok(found.filter(|id| process_ids.contains(id)).collect())
    }

    fn businesses_with(&mut self, term: &SearchTerm, after: i64, limit: u32) -> Result<Vec<i64>, StoreError> {
        let with = self.businesses.iter().filter(|business| business.terms.contains(term));
        let ids = with.map(|business| business.stored.id).filter(|id| *id > after);
        Ok(ids.take(limit as usize).collect())
    }

    fn businesses_among_with(
        &mut self,
        business_ids: &[i64],
        term: &SearchTerm,
    ) -> Result<Vec<i64>, StoreError> {
        let with = self.businesses_with(term, 0, u32::MAX)?;
        Ok(with.into_iter().filter(|id| business_ids.contains(id)).collect())
    }
}
