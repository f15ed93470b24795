use super::column::{ColumnProfile, Extreme, is_number, masked};
use super::spread::PerAccount;
use super::table::{Profile, TableProfile};
use crate::expect::Difference;
use cutover_model::tables::{Column, ColumnRole, Table, Tables};
use serde::Serialize;

/// Maximum number of frequent values of a column.
const MAX_FREQUENT: usize = 10;

/// The statistics of the inputs, as they are shown.
#[derive(Debug, Serialize)]
pub(super) struct View {
    pub(super) interrupted: bool,
    pub(super) accounts: u64,
    pub(super) rows: u64,
    /// Findings about the inputs.
    pub(super) findings: u64,
    /// The tables that have rows.
    pub(super) tables: Vec<TableView>,
    /// The names of those that have none.
    pub(super) without_rows: Vec<&'static str>,
    /// Where the inputs differ from what the source system counted; `None` if that was not compared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) differences: Option<Vec<Difference>>,
}

#[derive(Debug, Serialize)]
pub(super) struct TableView {
    pub(super) table: &'static str,
    pub(super) rows: u64,
    pub(super) per_account: PerAccount,
    pub(super) columns: Vec<ColumnView>,
}

#[derive(Debug, Serialize)]
pub(super) struct ColumnView {
    pub(super) column: String,
    #[serde(rename = "type")]
    pub(super) column_type: &'static str,
    /// If set, values are masked.
    pub(super) personal: bool,
    pub(super) values: u64,
    pub(super) nulls: u64,
    /// Rows with neither a value nor null.
    pub(super) absent: u64,
    /// Different values; null if there are too many to be counted, and for key columns.
    pub(super) distinct: Option<u64>,
    /// The number that different values exceed, if they are too many to be counted.
    pub(super) distinct_more_than: Option<u64>,
    /// Values that an earlier row has, if the different ones are counted.
    pub(super) duplicates: Option<u64>,
    /// Characters of the shortest value.
    pub(super) shortest: Option<u64>,
    /// Characters of the longest value.
    pub(super) longest: Option<u64>,
    pub(super) smallest: Option<String>,
    pub(super) largest: Option<String>,
    /// The exact sum of a column of numbers; null if it has too many digits.
    pub(super) sum: Option<String>,
    /// Values of a column of numbers that are no numbers.
    pub(super) no_numbers: Option<u64>,
    /// Values that are not on the list of the column's known values; null if it has none.
    pub(super) outside_list: Option<u64>,
    /// The most frequent values.
    pub(super) frequent: Vec<FrequentView>,
    /// How often any other value comes at most.
    pub(super) others_at_most: u64,
}

#[derive(Debug, Serialize)]
pub(super) struct FrequentView {
    pub(super) value: String,
    pub(super) at_least: u64,
    pub(super) at_most: u64,
}

impl View {
    pub(super) fn of(profile: &Profile<'_>, tables: &Tables) -> Self {
        let both = || tables.iter().zip(&profile.profiles);
        let (with, without): (Vec<_>, Vec<_>) = both().partition(|(_, profile)| profile.rows > 0);
        Self {
            interrupted: false,
            accounts: profile.accounts,
            rows: profile.profiles.iter().map(|table| table.rows).sum(),
            findings: 0,
            tables: with.into_iter().map(|(table, profile)| TableView::of(table, profile)).collect(),
            without_rows: without.into_iter().map(|(table, _)| table.name).collect(),
            differences: None,
        }
    }
}

impl TableView {
    fn of(table: &Table, profile: &TableProfile) -> Self {
        let columns = table.columns.iter().zip(&profile.columns);
        Self {
            table: table.name,
            rows: profile.rows,
            per_account: profile.spread.per_account(),
            columns: columns.map(|(column, of)| ColumnView::of(column, of, profile.rows)).collect(),
        }
    }
}

impl ColumnView {
    fn of(column: &Column, profile: &ColumnProfile, rows: u64) -> Self {
        // A column that only tells an empty list may hold the list itself by mistake, and people in it.
        let is_masked = column.is_personal || column.role == ColumnRole::Empty;
        let shown = |text: &str| if is_masked { masked(text) } else { text.to_owned() };
        let extreme = |extreme: &Option<Extreme>| extreme.as_ref().map(|extreme| shown(&extreme.text));
        let (is_number, has_list) = (is_number(column), !column.values.is_empty());
        let (most, others_at_most) = profile.frequent.most(MAX_FREQUENT);
        let frequent = most.into_iter().map(|often| FrequentView {
            value: shown(often.text),
            at_least: often.at_least,
            at_most: often.at_most,
        });
        let distinct = profile.distinct.count();
        let distinct_exactly = distinct.ok().filter(|_| column.role != ColumnRole::Key);
        Self {
            column: column.name.clone(),
            column_type: column.column_type.name(),
            personal: is_masked,
            values: profile.values,
            nulls: profile.nulls,
            absent: rows - profile.values - profile.nulls,
            distinct: distinct_exactly,
            distinct_more_than: distinct.err(),
            duplicates: distinct_exactly.map(|distinct| profile.values - distinct),
            shortest: profile.lengths.map(|(shortest, _)| shortest),
            longest: profile.lengths.map(|(_, longest)| longest),
            smallest: extreme(&profile.smallest),
            largest: extreme(&profile.largest),
            sum: profile.sum.value.filter(|_| is_number).map(|sum| sum.to_string()),
            no_numbers: is_number.then_some(profile.sum.no_numbers),
            outside_list: has_list.then_some(profile.outside),
            frequent: frequent.collect(),
            others_at_most,
        }
    }
}
