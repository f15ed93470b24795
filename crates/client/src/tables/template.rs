//! Files to begin with.

use crate::error::Error;
use cutover_model::tables::{Cell, RowsError, Table, Tables};
use cutover_tables::{Format, Layout, Personal, TableWriter};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Write;
use std::path::Path;

/// A complete account; the example is its tables.
const EXAMPLE: &str = include_str!("../../../../fixtures/accounts/valid/unmetered_electricity.json");
/// A mapping in which every setting is explained.
const MAPPING: &str = include_str!("mapping.toml");

/// Writes `tables/` with empty CSV files, `example/` with those of an account, and `mapping.toml`.
///
/// # Errors
/// [`Error`] if a file exists already or cannot be written.
pub(super) fn write(folder: &Path, tables: &Tables) -> Result<(), Error> {
    let mut example = BTreeMap::<usize, Vec<Vec<Cell<'_>>>>::new();
    let walked = tables.indexed_rows(EXAMPLE.as_bytes(), |table, cells| {
        example.entry(table).or_default().push(cells.to_vec());
        Ok::<_, RowsError>(())
    });
    walked.map_err(|error| Error::refused(error.to_string()))?;
    for (index, table) in tables.iter().enumerate() {
        write_table(&folder.join("tables"), table, &[])?;
        if let Some(rows) = example.get(&index) {
            write_table(&folder.join("example"), table, rows)?;
        }
    }
    let path = folder.join("mapping.toml");
    create(&path)?.write_all(MAPPING.as_bytes()).map_err(Error::file("written", &path))
}

fn write_table(folder: &Path, table: &Table, rows: &[Vec<Cell<'_>>]) -> Result<(), Error> {
    fs::create_dir_all(folder).map_err(Error::file("written", folder))?;
    let path = folder.join(format!("{}.csv", table.name));
    let mut layout = Layout::of(table, Personal::Full);
    layout.columns.retain(|column| !column.is_value);
    let file = create(&path)?;
    let written = TableWriter::new(Format::Csv, layout, file).and_then(|mut writer| {
        rows.iter().try_for_each(|cells| writer.row(cells))?;
        writer.finish()
    });
    written.map(drop).map_err(Error::file("written", &path))
}

/// Creates a file; one that exists may have been filled.
fn create(path: &Path) -> Result<File, Error> {
    File::create_new(path).map_err(Error::file("created", path))
}
