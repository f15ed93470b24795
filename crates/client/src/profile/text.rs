use super::view::{ColumnView, FrequentView, TableView, View};
use crate::expect;
use crate::output::grouped;
use cutover_core::plain;

/// Maximum number of frequent values that are printed.
const MAX_PRINTED: usize = 5;

/// The profile for people.
pub(super) fn text(view: &View) -> String {
    let mut text = format!("Accounts  {}\nRows      {}\n", grouped(view.accounts), grouped(view.rows));
    view.tables.iter().for_each(|one| text += &table(one));
    if !view.without_rows.is_empty() {
        text += &format!("\nWithout rows: {}\n", view.without_rows.join(", "));
    }
    text += &expect::text(view.differences.as_deref());
    if view.interrupted {
        text += "\nInterrupted: the rest of the inputs was not read.\n";
    }
    text
}

fn table(view: &TableView) -> String {
    let (with, without): (Vec<&ColumnView>, Vec<_>) =
        view.columns.iter().partition(|column| column.values + column.nulls > 0);
    let columns: String = with.into_iter().map(column).collect();
    let without: Vec<&str> = without.into_iter().map(|column| column.column.as_str()).collect();
    let without = match without.as_slice() {
        [] => String::new(),
        names => format!("  without values: {}\n", names.join(", ")),
    };
    format!("\n{}: {}\n{columns}{without}", view.table, rows(view))
}

/// The rows of a table, and those of its accounts.
pub(super) fn rows(view: &TableView) -> String {
    let of = &view.per_account;
    format!(
        "{} rows, {} to {} for each account, median {}; {} accounts without",
        grouped(view.rows),
        grouped(of.least),
        grouped(of.greatest),
        grouped(of.median),
        grouped(of.accounts_without)
    )
}

fn column(view: &ColumnView) -> String {
    let mut text = format!(
        "  {}: {} values, {} null, {} absent",
        view.column,
        grouped(view.values),
        grouped(view.nulls),
        grouped(view.absent)
    );
    text += &distinct(view).map(|distinct| format!("; {distinct}")).unwrap_or_default();
    text += &lengths(view).map(|lengths| format!("; {lengths} characters")).unwrap_or_default();
    if let (Some(smallest), Some(largest)) = (&view.smallest, &view.largest) {
        text += &format!("; from {} to {}", plain(smallest), plain(largest));
    }
    text += &faults(view).into_iter().map(|fault| format!("; {fault}")).collect::<String>();
    let frequent = frequent(view, MAX_PRINTED);
    if !frequent.is_empty() {
        text += &format!("\n      most frequent: {}", plain(&frequent.join(", ")));
    }
    text + "\n"
}

/// The numbers of different and of repeated values.
pub(super) fn distinct(view: &ColumnView) -> Option<String> {
    match (view.distinct, view.duplicates, view.distinct_more_than) {
        (Some(distinct), Some(duplicates), _) => {
            Some(format!("{} distinct, {} duplicates", grouped(distinct), grouped(duplicates)))
        }
        (_, _, Some(known)) => Some(format!("more than {} distinct", grouped(known))),
        _ => None,
    }
}

pub(super) fn lengths(view: &ColumnView) -> Option<String> {
    match (view.shortest?, view.longest?) {
        (shortest, longest) if shortest == longest => Some(grouped(shortest)),
        (shortest, longest) => Some(format!("{} to {}", grouped(shortest), grouped(longest))),
    }
}

/// The sum, and the values that are not as they should be.
pub(super) fn faults(view: &ColumnView) -> Vec<String> {
    let sum = view.sum.as_ref().map(|sum| format!("sum {sum}"));
    let counted = |count: Option<u64>, what: &str| {
        count.filter(|count| *count > 0).map(|count| format!("{} {what}", grouped(count)))
    };
    let others =
        [counted(view.no_numbers, "are no numbers"), counted(view.outside_list, "outside the known list")];
    sum.into_iter().chain(others.into_iter().flatten()).collect()
}

/// The most frequent values that come more than once, each with how often.
pub(super) fn frequent(view: &ColumnView, max: usize) -> Vec<String> {
    let often = view.frequent.iter().filter(|one| one.at_most > 1).take(max);
    let shown = |FrequentView { value, at_least, at_most }: &FrequentView| {
        let times = match at_least == at_most {
            true => grouped(*at_least),
            false => format!("{} to {}", grouped(*at_least), grouped(*at_most)),
        };
        format!("{value:?} {times}")
    };
    often.map(shown).collect()
}
