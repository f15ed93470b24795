use super::State;
use cutover_app::port::{ActivityKind, Refusals, RefusedCreate, RefusedFault, RefusedFigures, StoreError};
use std::collections::BTreeMap;

impl State {
    pub(super) fn refused_of(&self, supplier_id: i64) -> impl Iterator<Item = &RefusedCreate> {
        let of = self.refused.range((supplier_id, String::new())..(supplier_id + 1, String::new()));
        of.map(|(_, refused)| refused)
    }
}

impl Refusals for State {
    /// No lock needed: transactions run one after another.
    fn lock_refusals(&mut self, _: i64) -> Result<(), StoreError> {
        Ok(())
    }

    fn refused_among(
        &mut self,
        supplier_id: i64,
        numbers: &[String],
    ) -> Result<Vec<RefusedCreate>, StoreError> {
        Ok(self
            .refused_of(supplier_id)
            .filter(|refused| numbers.contains(&refused.number))
            .cloned()
            .collect())
    }

    fn change_refusals(
        &mut self,
        supplier_id: i64,
        removed: &[RefusedCreate],
        added: &[RefusedCreate],
        without_number: u64,
    ) -> Result<(), StoreError> {
        for refused in removed {
            self.refused.remove(&(supplier_id, refused.number.clone()));
        }
        for refused in added {
            let key = (supplier_id, refused.number.clone());
            if self.refused.insert(key, refused.clone()).is_some() {
                return Err(StoreError::Conflict("the number has a refused create".into()));
            }
            self.count_activity(supplier_id, refused.refused_at, Some(ActivityKind::Refused));
        }
        *self.refused_without_number.entry(supplier_id).or_default() += without_number;
        Ok(())
    }

    fn oldest_refused(&mut self, supplier_id: i64, limit: u32) -> Result<Vec<RefusedCreate>, StoreError> {
        let mut all: Vec<_> = self.refused_of(supplier_id).cloned().collect();
        all.sort_by(|a, b| (a.refused_at, &a.number).cmp(&(b.refused_at, &b.number)));
        all.truncate(limit as usize);
        Ok(all)
    }

    fn refused_after(
        &mut self,
        supplier_id: i64,
        after: &str,
        limit: u32,
    ) -> Result<Vec<RefusedCreate>, StoreError> {
        let later = self.refused_of(supplier_id).filter(|refused| refused.number.as_str() > after);
        Ok(later.take(limit as usize).cloned().collect())
    }

    fn refused_figures(&mut self, supplier_id: i64, limit: u32) -> Result<RefusedFigures, StoreError> {
        let mut causes = BTreeMap::<RefusedFault, u64>::new();
        for cause in self.refused_of(supplier_id).flat_map(|refused| &refused.causes) {
            *causes.entry(cause.clone()).or_default() += 1;
        }
        let mut top: Vec<_> = causes.into_iter().collect();
        top.sort_by_key(|(_, accounts)| std::cmp::Reverse(*accounts));
        top.truncate(limit as usize);
        Ok(RefusedFigures {
            accounts: self.refused_of(supplier_id).count() as u64,
            without_number: self.refused_without_number.get(&supplier_id).copied().unwrap_or_default(),
            top,
        })
    }

    fn refused_with_part(
        &mut self,
        supplier_id: i64,
        part: &str,
        limit: u32,
    ) -> Result<Vec<RefusedCreate>, StoreError> {
        let part = part.to_ascii_uppercase();
        let with = self
            .refused_of(supplier_id)
            .filter(|refused| refused.number.to_ascii_uppercase().contains(&part));
        Ok(with.take(limit as usize).cloned().collect())
    }
}
