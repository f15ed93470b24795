//! The account numbers that suppliers declare.

use super::State;
use cutover_app::port::NumberLists;
use cutover_core::ExternalAccountNumber;
use std::collections::BTreeSet;

/// The lists of a supplier.
#[derive(Debug, Clone, Default)]
pub(super) struct NumberRow {
    declared: Option<BTreeSet<String>>,
    loading: Option<BTreeSet<String>>,
    part: u32,
}

impl State {
    pub(super) fn lists_of(&self, supplier_id: i64) -> Option<NumberLists> {
        let row = self.number_lists.get(&supplier_id)?;
        let count = |list: &Option<BTreeSet<String>>| list.as_ref().map(|list| list.len() as u64);
        Some(NumberLists { declared: count(&row.declared), loading: count(&row.loading), part: row.part })
    }

    pub(super) fn add_part(
        &mut self,
        supplier_id: i64,
        part: u32,
        is_last: bool,
        numbers: &[ExternalAccountNumber],
    ) -> bool {
        let row = self.number_lists.entry(supplier_id).or_default();
        if part == 1 {
            (row.loading, row.part) = (Some(BTreeSet::new()), 0);
        }
        let Some(loading) = row.loading.as_mut().filter(|_| row.part + 1 == part) else { return false };
        loading.extend(numbers.iter().map(ExternalAccountNumber::to_string));
        row.part = part;
        if is_last {
            row.declared = row.loading.take();
        }
        true
    }

    pub(super) fn drop_lists(&mut self, supplier_id: i64) {
        if let Some(row) = self.number_lists.get_mut(&supplier_id) {
            *row = NumberRow::default();
        }
    }

    /// Returns the numbers of the list in force, in their order.
    pub(super) fn numbers_in_force(&self, supplier_id: i64) -> impl Iterator<Item = &String> {
        self.number_lists.get(&supplier_id).and_then(|row| row.declared.as_ref()).into_iter().flatten()
    }
}
