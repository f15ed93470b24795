//! What the writers write is read again.

use crate::{Failed, fixture};
use cutover_model::tables::{Cell, ColumnType, Tables};
use cutover_tables::read::{ReadError, ReadOptions, ReadRow, TableReader};
use cutover_tables::{Format, Layout, LayoutColumn, TableWriter};
use std::io::{Seek, SeekFrom};

/// The cells of a row that are there, by the names of their columns.
type Cells = Vec<(String, Cell<'static>)>;

/// The rows of a table of a fixture, as written and as read again.
fn rows(account: &[u8], format: Format) -> (Vec<Cells>, Vec<Cells>) {
    let tables = Tables::payload();
    let (_, table) = tables.find("meter_points").unwrap();
    let layout = Layout::exact(table);
    let mut writer = TableWriter::new(format, layout, tempfile::tempfile().unwrap()).unwrap();
    let mut written = Vec::new();
    let all = tables.rows(account, |of, cells| {
        if of.name == table.name {
            writer.row(cells)?;
            let there = table.columns.iter().zip(cells).filter(|(_, cell)| **cell != Cell::Absent);
            written.push(there.map(|(column, cell)| (column.name.clone(), owned(cell))).collect());
        }
        Ok::<_, Failed>(())
    });
    all.unwrap();
    let mut file = writer.finish().unwrap();
    file.seek(SeekFrom::Start(0)).unwrap();
    let mut reader = TableReader::new(format, file, ReadOptions::default()).unwrap();
    let (mut row, mut read) = (ReadRow::default(), Vec::new());
    while reader.read(&mut row).unwrap() {
        let cells = row.cells.iter().map(|(column, cell)| (reader.columns()[*column].clone(), cell.clone()));
        read.push(cells.collect());
    }
    (written, read)
}

fn owned(cell: &Cell<'_>) -> Cell<'static> {
    match cell {
        Cell::Value(value) => Cell::Value(value.clone().into_owned().into()),
        Cell::Null => Cell::Null,
        Cell::Absent => Cell::Absent,
    }
}

fn sorted(mut cells: Cells) -> Cells {
    cells.sort_by(|(one, _), (other, _)| one.cmp(other));
    cells
}

#[test]
fn every_format_gives_the_rows_that_were_written() {
    for name in ["electricity.json", "gas.json", "embedded_gas.json", "embedded_water.json"] {
        for format in Format::ALL {
            let (written, read) = rows(&fixture(name), format);
            assert!(read.iter().flatten().any(|(_, cell)| *cell == Cell::Null), "{name} has no null");
            let read: Vec<_> = read.into_iter().map(sorted).collect();
            let written: Vec<_> = written.into_iter().map(sorted).collect();
            assert_eq!(read, written, "{name} {}", format.as_str());
        }
    }
}

/// A key that the account lacks is an absent cell like any other.
#[test]
fn rows_without_a_key_are_written_and_come_back_without_it() {
    let mut account: serde_json::Value = serde_json::from_slice(&fixture("electricity.json")).unwrap();
    account["supply_addresses"][0]["meter_points"][0].as_object_mut().unwrap().remove("mpxn");
    let account = serde_json::to_vec(&account).unwrap();
    for format in Format::ALL {
        let (_, read) = rows(&account, format);
        assert!(read[0].iter().all(|(name, _)| name != "mpxn"), "{}", format.as_str());
        assert!(read[0].iter().any(|(name, _)| name == "external_account_number"));
    }
}

#[cfg(feature = "parquet")]
#[test]
fn nulls_of_unknown_columns_are_refused() {
    let column = LayoutColumn {
        name: "null_columns".to_owned(),
        cell: 0,
        column_type: ColumnType::Text,
        is_value: false,
    };
    let layout = Layout { table: "notes", columns: vec![column], keeps_nulls: false };
    let mut writer = TableWriter::new(Format::Parquet, layout, tempfile::tempfile().unwrap()).unwrap();
    writer.row(&[Cell::Value("body".into())]).unwrap();
    let mut reader =
        TableReader::new(Format::Parquet, writer.finish().unwrap(), ReadOptions::default()).unwrap();
    assert_eq!(reader.columns(), [""; 0]);
    let error = reader.read(&mut ReadRow::default()).unwrap_err();
    assert!(
        error.to_string().ends_with("null_columns names the column \"body\", which is not there"),
        "{error}"
    );
}

#[cfg(feature = "parquet")]
#[test]
fn what_is_not_parquet_is_refused() {
    let mut file = tempfile::tempfile().unwrap();
    std::io::Write::write_all(&mut file, b"a,b\n1,2\n").unwrap();
    let Err(error) = TableReader::new(Format::Parquet, file, ReadOptions::default()) else {
        panic!("it was read");
    };
    assert!(matches!(error, ReadError::Parquet(_)), "{error}");
}
