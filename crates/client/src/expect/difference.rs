use super::counts::Sum;
use super::{Counts, Expectations, ExpectedColumn};
use crate::output::grouped;
use cutover_core::plain;
use serde::Serialize;

/// A figure that is another one than the source system counted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Difference {
    /// `None` if it is about accounts that cannot be counted.
    pub(crate) table: Option<&'static str>,
    /// The column of a sum; `None` for rows.
    pub(crate) column: Option<String>,
    /// A number of rows or a sum.
    expected: Option<String>,
    /// `None` if it is not known.
    found: Option<String>,
    /// Text for people.
    pub(crate) detail: String,
}

/// Compares counts with what was expected.
pub(super) fn find(expectations: &Expectations, counts: &Counts) -> Vec<Difference> {
    let mut differences = Vec::from_iter(uncounted(counts.uncounted));
    for (expected, count) in expectations.tables.iter().zip(&counts.tables) {
        let rows = expected.rows.filter(|rows| *rows != count.rows);
        differences.extend(rows.map(|rows| of_rows(expected.name, rows, count.rows)));
        let sums = expected.columns.iter().zip(&count.sums);
        differences.extend(sums.filter_map(|(column, sum)| of_sum(expected.name, column, sum)));
    }
    differences
}

fn uncounted(accounts: u64) -> Option<Difference> {
    let detail =
        format!("{} accounts are not written as documented, so they cannot be counted", grouped(accounts));
    (accounts > 0).then_some(Difference { table: None, column: None, expected: None, found: None, detail })
}

fn of_rows(table: &'static str, expected: u64, found: u64) -> Difference {
    Difference {
        table: Some(table),
        column: None,
        expected: Some(expected.to_string()),
        found: Some(found.to_string()),
        detail: format!("{table}: {} rows expected, {} found", grouped(expected), grouped(found)),
    }
}

fn of_sum(table: &'static str, column: &ExpectedColumn, sum: &Sum) -> Option<Difference> {
    let ExpectedColumn { name, sum: expected, .. } = column;
    if sum.value == Some(*expected) && sum.no_numbers == 0 {
        return None;
    }
    let found = sum.value.map(|value| value.to_string());
    let value = found.as_deref().unwrap_or("more digits than this program calculates with");
    let others = match sum.no_numbers {
        0 => String::new(),
        count => format!(", and {} values that are no numbers", grouped(count)),
    };
    let detail = format!("{table}.{name}: a sum of {expected} expected, {value} found{others}");
    let found = found.filter(|_| sum.no_numbers == 0);
    Some(Difference {
        table: Some(table),
        column: Some(name.clone()),
        expected: Some(expected.to_string()),
        found,
        detail,
    })
}

/// The differences for people; empty if nothing was expected.
pub(crate) fn text(differences: Option<&[Difference]>) -> String {
    match differences {
        None => String::new(),
        Some([]) => "\nThe inputs have what the source system counted.\n".to_owned(),
        Some(differences) => {
            let line = |difference: &Difference| format!("  {}\n", plain(&difference.detail));
            let lines: String = differences.iter().map(line).collect();
            format!("\nNot what the source system counted:\n{lines}")
        }
    }
}

/// The differences as alerts of a page.
pub(crate) fn alerts(differences: Option<&[Difference]>) -> impl Iterator<Item = String> {
    let differences = differences.unwrap_or_default().iter();
    differences.map(|difference| format!("Not what the source system counted: {}.", difference.detail))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expect::ExpectedTable;
    use cutover_model::rust_decimal::Decimal;
    use cutover_model::tables::{Cell, Tables};

    /// Details of the differences of these amounts from 1.10.
    fn differences(amounts: &[&'static str]) -> Vec<String> {
        let payload = Tables::payload();
        let (table, transactions) = payload.find("transactions").unwrap();
        let (column, width) = (transactions.column("amount").unwrap(), transactions.columns.len());
        let columns = vec![ExpectedColumn { column, name: "amount".to_owned(), sum: Decimal::new(110, 2) }];
        let tables = vec![ExpectedTable { table, name: "transactions", rows: None, columns }];
        let expectations = Expectations { file: String::new(), payload, tables };
        let mut counts = Counts::of(&expectations);
        for amount in amounts {
            let mut cells = vec![Cell::Absent; width];
            cells[column] = Cell::Value((*amount).into());
            // The counts of each account are added.
            let mut own = Counts::of(&expectations);
            own.row(&expectations, table, &cells);
            counts.add(&own);
        }
        find(&expectations, &counts).into_iter().map(|difference| difference.detail).collect()
    }

    #[test]
    fn sums_are_exact() {
        assert_eq!(differences(&["0.40", "0.7", " "]), [""; 0]);
        assert_eq!(differences(&["1.1000000000"]), [""; 0]);
        assert_eq!(differences(&["1e0", "0.1"]), [""; 0]);
        let nearly = "transactions.amount: a sum of 1.10 expected, 1.1000000001 found";
        assert_eq!(differences(&["1.1000000001"]), [nearly]);
        let mixed =
            "transactions.amount: a sum of 1.10 expected, 1.1 found, and 2 values that are no numbers";
        assert_eq!(differences(&["1.1", "x", "1,0"]), [mixed]);
        let large = "99999999999999999999";
        let unknown = "transactions.amount: a sum of 1.10 expected, more digits than this program calculates with found";
        assert_eq!(differences(&[large, "0.00000000000001"]), [unknown]);
    }
}
