//! The file of expectations.

use super::{Expectations, ExpectedColumn, ExpectedTable};
use crate::error::Error;
use cutover_model::rust_decimal::Decimal;
use cutover_model::tables::{ColumnType, Table, Tables};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::Path;

/// The file in TOML.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TomlFile {
    tables: BTreeMap<String, TomlTable>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TomlTable {
    rows: Option<u64>,
    #[serde(default)]
    sums: BTreeMap<String, TomlSum>,
}

/// A number of TOML with a point is binary: its digits would not be those of the file.
#[derive(Deserialize)]
#[serde(untagged, expecting = "a sum is a text or a whole number: write \"1234.50\", in quotes")]
enum TomlSum {
    Text(String),
    Whole(i64),
}

/// A line of the file in CSV.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    table: String,
    rows: Option<u64>,
    #[serde(default)]
    column: Option<String>,
    #[serde(default)]
    sum: Option<String>,
}

/// Reads a file of expectations: CSV if its name ends so, else TOML.
///
/// # Errors
/// [`Error`] if it cannot be read, or names what does not exist.
pub(super) fn read(path: &Path) -> Result<Expectations, Error> {
    let text = std::fs::read_to_string(path).map_err(Error::file("read", path))?;
    let is_csv = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("csv"));
    let lines = if is_csv { of_csv(&text) } else { of_toml(&text) };
    let file = path.display().to_string();
    let refused = |why: String| Error::refused(format!("{file} is no file of expectations: {why}"));
    let payload = Tables::payload();
    let tables = lines.and_then(|lines| expected(&payload, lines)).map_err(refused)?;
    Ok(Expectations { file, payload, tables })
}

fn of_csv(text: &str) -> Result<Vec<Line>, String> {
    let mut reader = csv::ReaderBuilder::new().trim(csv::Trim::All).from_reader(text.as_bytes());
    reader.deserialize().collect::<Result<_, _>>().map_err(|e| e.to_string())
}

fn of_toml(text: &str) -> Result<Vec<Line>, String> {
    let file: TomlFile = toml::from_str(text).map_err(|e| e.to_string())?;
    let mut lines = Vec::new();
    for (table, TomlTable { rows, sums }) in file.tables {
        lines.push(Line { table: table.clone(), rows, column: None, sum: None });
        lines.extend(sums.into_iter().map(|(column, sum)| {
            let sum = match sum {
                TomlSum::Text(text) => text,
                TomlSum::Whole(number) => number.to_string(),
            };
            Line { table: table.clone(), rows: None, column: Some(column), sum: Some(sum) }
        }));
    }
    Ok(lines)
}

fn expected(tables: &Tables, lines: Vec<Line>) -> Result<Vec<ExpectedTable>, String> {
    let mut expected: Vec<ExpectedTable> = Vec::new();
    for line in lines {
        let (index, table) =
            tables.find(&line.table).ok_or_else(|| format!("there is no table {:?}", line.table))?;
        let at = expected.iter().position(|known| known.table == index).unwrap_or_else(|| {
            expected.push(ExpectedTable { table: index, name: table.name, rows: None, columns: Vec::new() });
            expected.len() - 1
        });
        let known = &mut expected[at];
        if known.rows.is_some() && line.rows.is_some() && known.rows != line.rows {
            return Err(format!("it has two numbers of rows of {:?}", table.name));
        }
        known.rows = known.rows.or(line.rows);
        known.columns.extend(column(table, line)?);
    }
    Ok(expected)
}

/// The column of a line, with the sum that is expected of it.
fn column(table: &Table, line: Line) -> Result<Option<ExpectedColumn>, String> {
    let (name, sum) = match (line.column, line.sum) {
        (None, None) => return Ok(None),
        (Some(name), Some(sum)) => (name, sum),
        _ => return Err(format!("a column of {:?} and its sum belong together", table.name)),
    };
    let column =
        table.column(&name).ok_or_else(|| format!("the table {:?} has no column {name:?}", table.name))?;
    if !matches!(table.columns[column].column_type, ColumnType::Decimal { .. } | ColumnType::Integer) {
        return Err(format!("the column {name:?} of {:?} has no numbers", table.name));
    }
    let sum = decimal(&sum).ok_or_else(|| format!("{sum:?} is no sum: it is written as 1234.50"))?;
    Ok(Some(ExpectedColumn { column, name, sum }))
}

/// A sum may have more digits before the point than a decimal of an account.
fn decimal(text: &str) -> Option<Decimal> {
    let is_plain = text.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'-' | b'.'));
    is_plain.then(|| Decimal::from_str_exact(text).ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tables(lines: Result<Vec<Line>, String>) -> Result<Vec<ExpectedTable>, String> {
        lines.and_then(|lines| expected(&Tables::payload(), lines))
    }

    #[test]
    fn both_formats_say_the_same() {
        let csv = "table,rows,column,sum\ncustomers,3,,\ntransactions,7,amount,1234.50\n";
        let toml =
            "[tables.customers]\nrows = 3\n[tables.transactions]\nrows = 7\nsums.amount = \"1234.50\"\n";
        let read = tables(of_csv(csv)).unwrap();
        assert_eq!(tables(of_toml(toml)).unwrap(), read);
        assert_eq!(tables(of_csv("table,rows\ncustomers,3\n")).unwrap(), read[..1]);
        let [customers, transactions] = &read[..] else { panic!("{read:?}") };
        assert_eq!((customers.name, customers.rows, customers.columns.len()), ("customers", Some(3), 0));
        assert_eq!((transactions.rows, transactions.columns[0].sum.to_string()), (Some(7), "1234.50".into()));
    }

    #[test]
    fn what_makes_no_sense_is_named() {
        for (text, why) in [
            ("table,rows,column,sum\nkunden,3,,\n", "there is no table \"kunden\""),
            ("table,rows,column,sum\nledgers,,credit,1\n", "the table \"ledgers\" has no column \"credit\""),
            (
                "table,rows,column,sum\ncustomers,,email,1\n",
                "the column \"email\" of \"customers\" has no numbers",
            ),
            (
                "table,rows,column,sum\ntransactions,,amount,\n",
                "a column of \"transactions\" and its sum belong together",
            ),
            (
                "table,rows,column,sum\ntransactions,,amount,\"1,5\"\n",
                "\"1,5\" is no sum: it is written as 1234.50",
            ),
            ("table,rows\ncustomers,3\ncustomers,4\n", "it has two numbers of rows of \"customers\""),
        ] {
            assert_eq!(tables(of_csv(text)).unwrap_err(), why);
        }
        let float = of_toml("[tables.transactions]\nsums.amount = 1.10\n").unwrap_err();
        assert!(float.contains("in quotes"), "{float}");
        assert!(of_toml("[tables.customers]\nrow = 1\n").unwrap_err().contains("unknown field"));
    }
}
