//! Numbers of rows as they are stored: a number for each table, in the order of the model and separated by commas. An empty one
//! is none; what is empty at the end is left out.

use crate::error::{Error, Result};
use cutover_model::RowCounts;
use std::fmt::Display;

/// Writes numbers of rows.
pub(crate) fn write(rows: &RowCounts) -> String {
    joined(rows.numbers())
}

/// Writes the numbers of rows of an account or a manifest that may have none.
pub(crate) fn write_known(rows: &RowCounts) -> Option<String> {
    (!rows.is_empty()).then(|| write(rows))
}

/// Reads numbers of rows. Tables of later versions are left out.
pub(crate) fn read(stored: &str) -> Result<RowCounts> {
    let numbers: Vec<Option<u64>> = parts(stored).collect::<Result<_>>()?;
    Ok(RowCounts::in_order(numbers))
}

/// Reads the numbers of rows of an account or a manifest that may have none.
pub(crate) fn read_known(stored: Option<&str>) -> Result<RowCounts> {
    stored.map_or_else(|| Ok(RowCounts::default()), read)
}

fn joined<T: Display>(numbers: impl Iterator<Item = Option<T>>) -> String {
    let texts: Vec<String> =
        numbers.map(|number| number.map(|number| number.to_string()).unwrap_or_default()).collect();
    texts.join(",").trim_end_matches(',').to_owned()
}

fn parts<T: std::str::FromStr>(stored: &str) -> impl Iterator<Item = Result<Option<T>>> {
    let part = |part: &str| match part {
        "" => Ok(None),
        part => part.parse().map(Some).map_err(|_| Error::corrupt("a number of rows cannot be read")),
    };
    stored.split(',').map(part)
}

/// A sum of changes, also of tables that this version does not know. Removals are negative; with all changes none is.
#[derive(Debug, Default)]
pub(super) struct RowSum(Vec<i64>);

impl RowSum {
    /// Adds stored numbers so many times.
    pub(super) fn add(&mut self, times: i64, stored: &str) -> Result<()> {
        for (place, number) in parts::<i64>(stored).enumerate() {
            let Some(number) = number? else { continue };
            if place >= self.0.len() {
                self.0.resize(place + 1, 0);
            }
            let sum = number.checked_mul(times).and_then(|change| self.0[place].checked_add(change));
            self.0[place] = sum.ok_or_else(|| Error::corrupt("a number of rows is out of range"))?;
        }
        Ok(())
    }

    /// The sum as it is stored.
    pub(super) fn write(&self) -> String {
        joined(self.0.iter().map(|number| (*number != 0).then_some(*number)))
    }

    /// The sum, with `count` making a number of each.
    pub(super) fn counts(&self, count: impl Fn(i64) -> u64) -> RowCounts {
        RowCounts::in_order(self.0.iter().map(|number| Some(count(*number)).filter(|count| *count > 0)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_they_were_written() {
        for (rows, stored) in [
            (RowCounts::default(), ""),
            (RowCounts::of([("accounts", 1), ("supply_addresses", 12)]), "1,,12"),
            (RowCounts::in_order([Some(0), None, Some(7)]), "0,,7"),
        ] {
            assert_eq!(write(&rows), stored);
            assert_eq!(read(stored).unwrap(), rows);
            assert_eq!(read_known(write_known(&rows).as_deref()).unwrap(), rows);
        }
        assert!(read("1,x").is_err());
    }

    /// A node of a newer version may know more tables.
    #[test]
    fn unknown_tables_stay_in_sums() {
        let later = format!("1{}5", ",".repeat(RowCounts::TABLES.len() + 1));
        assert_eq!(read(&later).unwrap(), RowCounts::of([("accounts", 1)]));
        let mut sum = RowSum::default();
        sum.add(3, &later).unwrap();
        sum.add(-1, "2,4").unwrap();
        assert_eq!(sum.write(), format!("1,-4{}15", ",".repeat(RowCounts::TABLES.len())));
        assert!(sum.add(2, &i64::MAX.to_string()).is_err());
    }
}
