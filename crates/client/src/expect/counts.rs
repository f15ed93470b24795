use super::Expectations;
use cutover_model::rust_decimal::Decimal;
use cutover_model::tables::Cell;
use cutover_model::{Decimal as Sent, exact_sum};

/// Rows of the tables that are expected, and sums of their columns, in the order of the expectations.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(super) tables: Vec<TableCount>,
    /// Accounts that have no rows, because they are not written as the contract says.
    pub(super) uncounted: u64,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct TableCount {
    pub(super) rows: u64,
    pub(super) sums: Vec<Sum>,
}

/// The sum of a column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Sum {
    /// `None` if it has more digits than can be calculated with.
    pub(crate) value: Option<Decimal>,
    /// Values that are no numbers.
    pub(crate) no_numbers: u64,
}

impl Default for Sum {
    fn default() -> Self {
        Self { value: Some(Decimal::ZERO), no_numbers: 0 }
    }
}

impl Sum {
    /// Adds the value of a cell.
    pub(crate) fn see(&mut self, text: &str) {
        // Only a number without quotes may have an exponent.
        match Sent::from_sent(text, true).or_else(|| Sent::from_sent(text, false)) {
            Some(number) => self.plus(Some(number.value())),
            None => self.no_numbers += 1,
        }
    }

    /// The digits do not depend on the order of the values.
    fn plus(&mut self, value: Option<Decimal>) {
        let sum = self.value.zip(value).and_then(|(sum, value)| exact_sum(sum, value.normalize()));
        self.value = sum.map(|sum| sum.normalize());
    }
}

impl Counts {
    /// Counts before the first row.
    pub(super) fn of(expectations: &Expectations) -> Self {
        let table = |columns| TableCount { rows: 0, sums: vec![Sum::default(); columns] };
        let tables = expectations.tables.iter().map(|expected| table(expected.columns.len()));
        Self { tables: tables.collect(), uncounted: 0 }
    }

    /// Counts of an account that has no rows.
    pub(super) fn of_uncounted(expectations: &Expectations) -> Self {
        Self { uncounted: 1, ..Self::of(expectations) }
    }

    /// Counts a row of the table with this index.
    pub(super) fn row(&mut self, expectations: &Expectations, table: usize, cells: &[Cell<'_>]) {
        let Some(at) = expectations.tables.iter().position(|expected| expected.table == table) else {
            return;
        };
        self.tables[at].rows += 1;
        for (sum, expected) in self.tables[at].sums.iter_mut().zip(&expectations.tables[at].columns) {
            let value = cells[expected.column].value().filter(|text| !text.trim().is_empty());
            value.into_iter().for_each(|text| sum.see(text));
        }
    }

    /// Adds other counts of the same expectations.
    pub(super) fn add(&mut self, other: &Self) {
        self.uncounted += other.uncounted;
        for (own, other) in self.tables.iter_mut().zip(&other.tables) {
            own.rows += other.rows;
            for (own, other) in own.sums.iter_mut().zip(&other.sums) {
                own.plus(other.value);
                own.no_numbers += other.no_numbers;
            }
        }
    }
}
