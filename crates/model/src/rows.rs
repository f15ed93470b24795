//! The rows of accounts, counted by table (contract D17): each object that is an item of a list is a row of the table that its
//! declaration names, as in [`tables`](crate::tables).

use crate::decode::{Field, Item, List};
use crate::value::{DateTime, Decimal, Free, Integer, Nullable, Text, TextOrInteger};
use chrono::NaiveDate;
use serde::de::Deserializer;
use serde::ser::Serializer;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Calls a macro with the tables of payloads. Stores keep counts in this order: a new table is the last.
macro_rules! each_table {
    ($then:ident) => {
        $then! {
            accounts customers supply_addresses property_administrators meter_points agreements meters registers readings
            gas_address_houses gas_address_streets role_assignments nmi_status_periods meter_data_providers distributors
            connection_periods ledgers transactions line_items tax_items payment_instructions payment_schedules notes
            note_documents statements events
        }
    };
}

macro_rules! names {
    ($($table:ident)*) => {
        &[$(stringify!($table)),*]
    };
}

const TABLES: &[&str] = each_table!(names);

/// A number for some of the tables of payloads, by their names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PerTable<T>([Option<T>; TABLES.len()]);

/// Numbers of rows. A table without a number has no rows, or is not declared.
pub type RowCounts = PerTable<u64>;
/// Differences between numbers of rows, for the declared tables.
pub type RowDifferences = PerTable<i64>;

impl<T> Default for PerTable<T> {
    fn default() -> Self {
        Self([const { None }; TABLES.len()])
    }
}

impl<T: Copy> PerTable<T> {
    /// The names of the tables, those of [`Tables::payload`](crate::tables::Tables::payload).
    pub const TABLES: &'static [&'static str] = TABLES;

    /// Returns the numbers in the order of [`TABLES`](Self::TABLES). Numbers beyond the last table are left out.
    pub fn in_order(numbers: impl IntoIterator<Item = Option<T>>) -> Self {
        let mut all = Self::default();
        all.0.iter_mut().zip(numbers).for_each(|(of, number)| *of = number);
        all
    }

    /// The number of each table, in the order of [`TABLES`](Self::TABLES).
    pub fn numbers(&self) -> impl Iterator<Item = Option<T>> {
        self.0.into_iter()
    }

    /// The tables that have a number.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, T)> {
        TABLES.iter().zip(self.0).filter_map(|(table, number)| Some((*table, number?)))
    }

    /// The number of a table.
    pub fn get(&self, table: &str) -> Option<T> {
        self.iter().find(|(name, _)| *name == table).map(|(_, number)| number)
    }

    /// Returns true if no table has a number.
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(Option::is_none)
    }
}

impl RowCounts {
    /// The numbers of rows of these tables.
    pub fn of<'t>(counts: impl IntoIterator<Item = (&'t str, u64)>) -> Self {
        let mut rows = Self::default();
        counts.into_iter().for_each(|(table, number)| rows.set(table, number));
        rows
    }

    /// Replaces the number of a table.
    pub(crate) fn set(&mut self, table: &str, number: u64) {
        if let Some(place) = place_of(Some(table)) {
            self.0[place] = (number > 0).then_some(number);
        }
    }

    fn add(&mut self, place: usize, number: usize) {
        if number > 0 {
            *self.0[place].get_or_insert_default() += number as u64;
        }
    }

    /// The sum; `None` if a number overflows.
    pub fn checked_add(mut self, other: Self) -> Option<Self> {
        for (sum, other) in self.0.iter_mut().zip(other.0) {
            *sum = match (*sum, other) {
                (Some(a), Some(b)) => Some(a.checked_add(b)?),
                (a, b) => a.or(b),
            };
        }
        Some(self)
    }

    /// Returns these numbers, with 0 for each further table of `declared`.
    #[must_use]
    pub fn beside(mut self, declared: &Self) -> Self {
        let pairs = self.0.iter_mut().zip(declared.0);
        pairs.filter(|(_, declared)| declared.is_some()).for_each(|(own, _)| _ = own.get_or_insert_default());
        self
    }

    /// Returns these numbers minus those of `declared`, for its tables.
    pub fn minus(&self, declared: &Self) -> RowDifferences {
        let pairs = self.0.iter().zip(declared.0);
        let less = |(own, declared): (&Option<u64>, Option<u64>)| {
            let difference = i128::from(own.unwrap_or_default()) - i128::from(declared?);
            Some(i64::try_from(difference).unwrap_or(i64::MAX))
        };
        PerTable::in_order(pairs.map(less))
    }
}

/// The place of a table among all; `None` for objects that are no rows of payloads.
pub(crate) const fn place_of(table: Option<&str>) -> Option<usize> {
    let Some(table) = table else { return None };
    let mut place = 0;
    while place < TABLES.len() {
        if is_same(TABLES[place].as_bytes(), table.as_bytes()) {
            return Some(place);
        }
        place += 1;
    }
    None
}

const fn is_same(a: &[u8], b: &[u8]) -> bool {
    let mut i = 0;
    while i < a.len() && i < b.len() && a[i] == b[i] {
        i += 1;
    }
    i == a.len() && i == b.len()
}

/// A value of a payload in which rows are counted, plain or a draft.
pub(crate) trait CountRows {
    /// The place of the table that has a row for each such object.
    const TABLE: Option<usize> = None;

    /// Adds the rows below the value.
    fn count_rows(&self, rows: &mut RowCounts);
}

impl<T: CountRows> CountRows for Vec<T> {
    fn count_rows(&self, rows: &mut RowCounts) {
        if let Some(place) = T::TABLE {
            rows.add(place, self.len());
        }
        self.iter().for_each(|item| item.count_rows(rows));
    }
}

impl<T: CountRows> CountRows for List<T> {
    fn count_rows(&self, rows: &mut RowCounts) {
        self.0.count_rows(rows);
    }
}

/// Items that are faulty are rows as well.
impl<T: CountRows> CountRows for Item<T> {
    const TABLE: Option<usize> = T::TABLE;

    fn count_rows(&self, rows: &mut RowCounts) {
        if let Self::Value(value) = self {
            value.count_rows(rows);
        }
    }
}

impl<T: CountRows> CountRows for Field<T> {
    fn count_rows(&self, rows: &mut RowCounts) {
        if let Self::Value(value) = self {
            value.count_rows(rows);
        }
    }
}

impl<T: CountRows> CountRows for Option<T> {
    fn count_rows(&self, rows: &mut RowCounts) {
        if let Some(value) = self {
            value.count_rows(rows);
        }
    }
}

impl<T: CountRows> CountRows for Nullable<T> {
    fn count_rows(&self, rows: &mut RowCounts) {
        if let Self::Value(value) = self {
            value.count_rows(rows);
        }
    }
}

/// Counts an item of a list, and the rows below it.
pub(crate) fn rows_of<T: CountRows>(item: &T) -> RowCounts {
    let mut rows = RowCounts::default();
    if let Some(place) = T::TABLE {
        rows.add(place, 1);
    }
    item.count_rows(&mut rows);
    rows
}

/// Values without rows.
macro_rules! no_rows {
    ($($type:ty),*) => {
        $(impl $crate::rows::CountRows for $type {
            fn count_rows(&self, _: &mut $crate::rows::RowCounts) {}
        })*
    };
}

no_rows!(Text<'_>, TextOrInteger<'_>, NaiveDate, DateTime<'_>, Decimal<'_>, Integer<'_>, Free<'_>, bool);

/// The members of an object are in the order of their names, as the canonical form of a certificate has them.
impl<T: Copy + Serialize> Serialize for PerTable<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter().collect::<BTreeMap<_, _>>())
    }
}

/// Tables of later versions are left out.
impl<'de> Deserialize<'de> for RowCounts {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let counts = BTreeMap::<String, u64>::deserialize(deserializer)?;
        Ok(Self::in_order(TABLES.iter().map(|table| counts.get(*table).copied())))
    }
}
