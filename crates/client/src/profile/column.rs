use super::distinct::{Distinct, Room};
use super::frequent::Frequent;
use crate::expect::Sum;
use cutover_model::Decimal as Sent;
use cutover_model::rust_decimal::Decimal;
use cutover_model::tables::{Cell, Column, ColumnRole, ColumnType};
use std::cmp::Ordering;
use std::hash::{DefaultHasher, Hash, Hasher};

/// Maximum number of characters of a value that are kept.
const MAX_KEPT: usize = 80;

/// The statistics of a column.
#[derive(Debug, Default)]
pub(super) struct ColumnProfile {
    pub(super) values: u64,
    pub(super) nulls: u64,
    pub(super) distinct: Distinct,
    pub(super) frequent: Frequent,
    /// The lengths of the shortest and the longest value, in characters.
    pub(super) lengths: Option<(u64, u64)>,
    pub(super) smallest: Option<Extreme>,
    pub(super) largest: Option<Extreme>,
    /// The sum, and the values that are no numbers, of a column of numbers.
    pub(super) sum: Sum,
    /// Values that are not on the list of known ones.
    pub(super) outside: u64,
}

/// The beginning of the smallest or largest value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Extreme {
    /// The number; `None` in columns of other types, which are compared as texts.
    number: Option<Decimal>,
    pub(super) text: Box<str>,
}

impl ColumnProfile {
    /// Takes a cell of the column.
    pub(super) fn see(&mut self, column: &Column, cell: &Cell<'_>, room: &mut Room) {
        match cell {
            Cell::Absent => {}
            Cell::Null => self.nulls += 1,
            Cell::Value(text) => self.value(column, text, room),
        }
    }

    fn value(&mut self, column: &Column, text: &str, room: &mut Room) {
        self.values += 1;
        let length = text.chars().count() as u64;
        let (shortest, longest) = self.lengths.unwrap_or((length, length));
        self.lengths = Some((shortest.min(length), longest.max(length)));
        // Key columns repeat values of the tables above, where they are looked at.
        if column.role == ColumnRole::Key {
            return;
        }
        let kept = beginning(text);
        let hash = hash(text);
        self.distinct.see(hash, room);
        self.frequent.see(hash, kept);
        let is_known = text.trim().is_empty() || column.values.contains(&text);
        self.outside += u64::from(!column.values.is_empty() && !is_known);
        match is_number(column) {
            true => self.number(text, kept),
            false => self.extremes(None, kept),
        }
    }

    fn number(&mut self, text: &str, kept: &str) {
        self.sum.see(text);
        let number = Sent::from_sent(text, true).or_else(|| Sent::from_sent(text, false));
        if let Some(number) = number {
            self.extremes(Some(number.value()), kept);
        }
    }

    fn extremes(&mut self, number: Option<Decimal>, text: &str) {
        let is_beyond = |known: &Option<Extreme>, order: Ordering| {
            known.as_ref().is_none_or(|known| (number, text).cmp(&(known.number, &*known.text)) == order)
        };
        let extreme = || Some(Extreme { number, text: text.into() });
        if is_beyond(&self.smallest, Ordering::Less) {
            self.smallest = extreme();
        }
        if is_beyond(&self.largest, Ordering::Greater) {
            self.largest = extreme();
        }
    }
}

/// True for a column whose values are compared as numbers.
pub(super) fn is_number(column: &Column) -> bool {
    matches!(column.column_type, ColumnType::Decimal { .. } | ColumnType::Integer)
}

fn beginning(text: &str) -> &str {
    text.char_indices().nth(MAX_KEPT).map_or(text, |(end, _)| &text[..end])
}

fn hash(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

/// The form of a personal value: `X` and `x` for letters, `9` for digits.
pub(super) fn masked(text: &str) -> String {
    let mask = |c: char| match c {
        c if c.is_numeric() => '9',
        c if c.is_uppercase() => 'X',
        c if c.is_alphabetic() => 'x',
        c => c,
    };
    text.chars().map(mask).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use cutover_model::tables::Tables;

    /// The profile of a column with these values.
    fn profile(table: &str, name: &str, values: &[&'static str]) -> ColumnProfile {
        let tables = Tables::payload();
        let (_, table) = tables.find(table).unwrap();
        let column = &table.columns[table.column(name).unwrap()];
        let (mut profile, mut room) = (ColumnProfile::default(), Room::default());
        for value in values {
            profile.see(column, &Cell::Value((*value).into()), &mut room);
        }
        profile
    }

    fn extremes(profile: &ColumnProfile) -> Option<(&str, &str)> {
        Some((&profile.smallest.as_ref()?.text, &profile.largest.as_ref()?.text))
    }

    #[test]
    fn numbers_are_compared_and_added_as_numbers() {
        let amounts = profile("transactions", "amount", &["9", "10.50", "-1e1", "x", "10.5"]);
        assert_eq!(extremes(&amounts), Some(("-1e1", "10.50")));
        assert_eq!((amounts.sum.value, amounts.sum.no_numbers), (Some(Decimal::new(200, 1)), 1));
        let texts = profile("transactions", "transaction_id", &["9", "10", "1"]);
        assert_eq!(extremes(&texts), Some(("1", "9")));
    }

    #[test]
    fn values_outside_the_known_list_are_counted() {
        let types = profile("transactions", "type", &["CHARGE", "charge", "", "REFUND"]);
        assert_eq!((types.values, types.outside, types.distinct.count()), (4, 2, Ok(4)));
        assert_eq!(profile("transactions", "note", &["a"]).outside, 0);
    }

    #[test]
    fn lengths_are_in_characters_and_long_values_are_cut() {
        let long = "é".repeat(200).leak();
        let notes = profile("transactions", "note", &["ab", long]);
        assert_eq!(notes.lengths, Some((2, 200)));
        assert_eq!(notes.largest.unwrap().text.chars().count(), MAX_KEPT);
    }

    #[test]
    fn key_columns_have_no_values_of_their_own() {
        let keys = profile("customers", "external_account_number", &["A", "A"]);
        assert_eq!((keys.values, keys.distinct.count(), extremes(&keys)), (2, Ok(0), None));
    }

    #[test]
    fn personal_values_are_masked() {
        assert_eq!(masked("Zoë O'Brien-2 (03) 9123"), "Xxx X'Xxxxx-9 (99) 9999");
    }
}
