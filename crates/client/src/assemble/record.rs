//! A row as bytes, to be sorted: its account, its place, its cells.

use super::damage::CellFault;
use cutover_model::tables::{Cell, Row, Tables};
use std::borrow::Cow;
use std::cmp::Ordering;

/// By what rows are sorted: the rows of an account follow each other, those of a table in the order of the files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct RecordKey<'k> {
    pub(super) account: &'k str,
    pub(super) table: u16,
    /// Index of the file.
    pub(super) file: u32,
    pub(super) line: u64,
}

/// A row that was decoded.
pub(super) struct Record<'r> {
    pub(super) key: RecordKey<'r>,
    /// The faults of cells, each as the index of the column and the number of the fault.
    faults: &'r [[u8; 3]],
    cells: &'r [u8],
}

/// Bytes of the key after the account: the table, the file and the line.
const PLACE: usize = 2 + 4 + 8;

/// The account of a record and its place, each as sorted.
fn split(record: &[u8]) -> Option<(&[u8], &[u8], &[u8])> {
    let (length, rest) = record.split_first_chunk()?;
    let (account, rest) = rest.split_at_checked(u32::from_be_bytes(*length) as usize)?;
    let (place, cells) = rest.split_at_checked(PLACE)?;
    Some((account, place, cells))
}

/// The order of two records.
pub(super) fn order(one: &[u8], other: &[u8]) -> Ordering {
    let key = |record| split(record).map(|(account, place, _)| (account, place));
    key(one).cmp(&key(other))
}

impl<'r> Record<'r> {
    /// The bytes of a row.
    pub(super) fn encode(
        key: RecordKey<'_>,
        faults: &[(usize, CellFault)],
        cells: &[(usize, Cell<'_>)],
    ) -> Vec<u8> {
        let mut out = Vec::with_capacity(64);
        out.extend((key.account.len() as u32).to_be_bytes());
        out.extend(key.account.as_bytes());
        out.extend(key.table.to_be_bytes());
        out.extend(key.file.to_be_bytes());
        out.extend(key.line.to_be_bytes());
        // Tables have fewer columns than this.
        out.extend((faults.len() as u16).to_be_bytes());
        for (column, fault) in faults {
            out.extend((*column as u16).to_be_bytes());
            out.push(*fault as u8);
        }
        for (column, cell) in cells {
            let value = cell.value();
            out.extend((*column as u16).to_be_bytes());
            // No cell is this long.
            out.extend(value.map_or(u32::MAX, |value| value.len() as u32).to_be_bytes());
            out.extend(value.unwrap_or_default().as_bytes());
        }
        out
    }

    /// The row of these bytes; `None` if they are those of no row.
    pub(super) fn decode(record: &'r [u8]) -> Option<Self> {
        let (account, place, rest) = split(record)?;
        let (faults, rest) = rest.split_first_chunk()?;
        let (faults, cells) = rest.split_at_checked(3 * usize::from(u16::from_be_bytes(*faults)))?;
        let (table, place) = place.split_first_chunk()?;
        let (file, line) = place.split_first_chunk()?;
        let key = RecordKey {
            account: std::str::from_utf8(account).ok()?,
            table: u16::from_be_bytes(*table),
            file: u32::from_be_bytes(*file),
            line: u64::from_be_bytes(line.try_into().ok()?),
        };
        Some(Self { key, faults: faults.as_chunks().0, cells })
    }

    /// The faults of cells, each with the index of the column.
    pub(super) fn faults(&self) -> impl Iterator<Item = (usize, CellFault)> {
        let fault = |[high, low, fault]: &[u8; 3]| {
            Some((usize::from(u16::from_be_bytes([*high, *low])), CellFault::of_number(*fault)?))
        };
        self.faults.iter().filter_map(fault)
    }

    /// The row with a cell for each column of its table.
    pub(super) fn row(&self, tables: &Tables) -> Option<Row<'r>> {
        let table = usize::from(self.key.table);
        let mut cells = vec![Cell::Absent; tables.get(table)?.columns.len()];
        let mut left = self.cells;
        while !left.is_empty() {
            let (column, rest) = left.split_first_chunk()?;
            let (length, rest) = rest.split_first_chunk()?;
            let cell = cells.get_mut(usize::from(u16::from_be_bytes(*column)))?;
            left = rest;
            *cell = match u32::from_be_bytes(*length) {
                u32::MAX => Cell::Null,
                length => {
                    let (value, rest) = rest.split_at_checked(length as usize)?;
                    left = rest;
                    Cell::Value(Cow::Borrowed(std::str::from_utf8(value).ok()?))
                }
            };
        }
        Some(Row { table, cells })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_comes_back_with_absent_null_and_empty_cells() {
        let tables = Tables::payload();
        let cells = [(1, Cell::Null), (2, Cell::Value("é".into())), (0, Cell::Value("".into()))];
        let key = RecordKey { account: "A\0", table: 1, file: 2, line: 1 << 40 };
        let faults = [(1, CellFault::Date), (300, CellFault::LostZeros)];
        let bytes = Record::encode(key, &faults, &cells);
        let record = Record::decode(&bytes).unwrap();
        assert_eq!(record.key, key);
        assert!(record.faults().eq(faults));
        let row = record.row(&tables).unwrap();
        assert_eq!(row.cells[..3], [Cell::Value("".into()), Cell::Null, Cell::Value("é".into())]);
        assert!(row.cells[3..].iter().all(|cell| *cell == Cell::Absent));
        assert!(Record::decode(&bytes[..10]).is_none());
    }
}
