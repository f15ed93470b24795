//! Reads the files and hands their rows to the sorter.

use super::convert::Converter;
use super::files::TableFile;
use super::finding::{Findings, TableFinding};
use super::mapping::{Mapping, TableMapping};
use super::record::{Record, RecordKey};
use super::sort::Sorter;
use crate::error::Error;
use cutover_model::tables::{Cell, Column, ColumnType, Table, Tables};
use cutover_tables::read::{ReadError, ReadRow, TableReader};
use std::borrow::Cow;
use std::collections::HashMap;
use std::fs::File;

/// The name of the column with the account's number.
const ACCOUNT: &str = "external_account_number";
/// The name of the column with the kind of a meter point.
const SUPPLY_TYPE: &str = "supply_type";

/// A file that was read: what its columns are called.
pub(super) struct Loaded {
    pub(super) name: String,
    /// The names in the file by the columns of the table.
    columns: HashMap<usize, String>,
}

impl Loaded {
    /// The name of a column in the file, or else its own.
    pub(super) fn column<'l>(&'l self, table: &'l Table, column: usize) -> &'l str {
        self.columns.get(&column).map_or(&table.columns[column].name, String::as_str)
    }
}

/// Reads files of tables.
pub(super) struct Loader<'l> {
    tables: &'l Tables,
    mapping: &'l Mapping,
    converter: Converter<'l>,
    pub(super) sorter: Sorter,
    pub(super) files: Vec<Loaded>,
    pub(super) rows: u64,
}

impl<'l> Loader<'l> {
    pub(super) fn new(tables: &'l Tables, mapping: &'l Mapping) -> Self {
        let (sorter, files) = (Sorter::new(), Vec::new());
        Self { tables, mapping, converter: Converter::new(mapping), sorter, files, rows: 0 }
    }

    /// Reads a file. What cannot be read is a finding.
    ///
    /// # Errors
    /// [`Error`] if a temporary file or the findings cannot be written.
    pub(super) fn file(&mut self, file: &TableFile, findings: &mut Findings) -> Result<(), Error> {
        let loaded = Loaded { name: file.name.clone(), columns: HashMap::new() };
        self.files.push(loaded);
        let Some(table) = self.tables.get(file.table) else { return Ok(()) };
        let opened = File::open(&file.path).map_err(ReadError::from).and_then(|opened| {
            TableReader::new(file.format, opened, self.mapping.options().unwrap_or_default())
        });
        let mut reading = Reading::new(file, table, self.mapping);
        let mut reader = match opened {
            Ok(reader) => reader,
            Err(error) => return findings.add(&reading.unreadable(&error)),
        };
        let mut row = ReadRow::default();
        loop {
            reading.learn(&reader, row.line.max(1), findings)?;
            match reader.read(&mut row) {
                Ok(false) => break,
                Ok(true) => {
                    // Columns of NDJSON become known with their rows.
                    reading.learn(&reader, row.line, findings)?;
                    self.row(&reading, &mut row, reader.has_one_null(), findings)?;
                }
                Err(error) => {
                    findings.add(&reading.unreadable(&error))?;
                    if !error.is_of_row() {
                        break;
                    }
                }
            }
        }
        if let Some(loaded) = self.files.last_mut() {
            loaded.columns = reading.names();
        }
        Ok(())
    }

    fn row(
        &mut self,
        reading: &Reading<'_>,
        row: &mut ReadRow,
        has_one_null: bool,
        findings: &mut Findings,
    ) -> Result<(), Error> {
        self.rows += 1;
        let mut cells = Vec::with_capacity(row.cells.len());
        for (column, cell) in row.cells.drain(..) {
            let Some(Some(target)) = reading.columns.get(column).map(|known| known.target) else { continue };
            let cell = match cell {
                Cell::Value(text) => self.value(reading, (target, text), row.line, findings)?,
                other => Some(other),
            };
            cells.extend(cell.map(|cell| (target, cell)));
        }
        reading.add_constants(&mut cells);
        if has_one_null {
            add_nulls(reading.table, &mut cells);
        }
        let account = cells.iter().find(|(column, _)| reading.table.columns[*column].name == ACCOUNT);
        let Some(account) = account.and_then(|(_, cell)| cell.value()) else {
            let detail = format!("the row has no {ACCOUNT}, so it belongs to no account");
            return findings.add(&TableFinding {
                line: Some(row.line),
                kind: "missing_key",
                detail,
                ..reading.finding()
            });
        };
        let file = self.files.len() as u32 - 1;
        let key = RecordKey { account, table: reading.file.table as u16, file, line: row.line };
        let record = Record::encode(key, &cells);
        self.sorter.push(&record).map_err(Error::file("sorted on disk", &reading.file.path))
    }

    fn value(
        &self,
        reading: &Reading<'_>,
        (target, text): (usize, Cow<'static, str>),
        line: u64,
        findings: &mut Findings,
    ) -> Result<Option<Cell<'static>>, Error> {
        let column = &reading.table.columns[target];
        let codes = reading.mapping.and_then(|mapping| mapping.codes.get(&column.name));
        let value = match self.converter.value(text, column.column_type, codes) {
            Ok(value) => value,
            Err((mismatch, text)) => {
                let detail = format!("the value is left as it is: {mismatch}");
                let column = reading.name_of(target);
                let kind = "unexpected_form";
                findings.add(&TableFinding {
                    line: Some(line),
                    column,
                    kind,
                    detail,
                    ..reading.finding()
                })?;
                Some(text)
            }
        };
        Ok(value.map(Cell::Value))
    }
}

/// A member that is `null` where one is required: the file has the same for absent ones (fields 1.3).
fn add_nulls(table: &Table, cells: &mut Vec<(usize, Cell<'static>)>) {
    let kind = table.column(SUPPLY_TYPE);
    let kind = cells.iter().find(|(column, _)| Some(*column) == kind).and_then(|(_, cell)| cell.value());
    let is_of_kind = |column: &Column| {
        column.supply_types.is_empty() || column.supply_types.iter().any(|of| Some(of.as_str()) == kind)
    };
    let required = table.columns.iter().enumerate();
    let required = required.filter(|(_, column)| column.required && column.nullable && is_of_kind(column));
    let missing: Vec<usize> = required.map(|(index, _)| index).collect();
    for index in missing {
        if !cells.iter().any(|(column, _)| *column == index) {
            cells.push((index, Cell::Null));
        }
    }
}

/// A file that is being read.
struct Reading<'r> {
    file: &'r TableFile,
    table: &'r Table,
    mapping: Option<&'r TableMapping>,
    /// The columns of the file that are known so far.
    columns: Vec<FileColumn>,
}

struct FileColumn {
    name: String,
    /// The column of the table that it is; `None` if it is not read.
    target: Option<usize>,
}

impl<'r> Reading<'r> {
    fn new(file: &'r TableFile, table: &'r Table, mapping: &'r Mapping) -> Self {
        Self { file, table, mapping: mapping.of(table), columns: Vec::new() }
    }

    /// Looks at the columns that were not known before.
    fn learn(&mut self, reader: &TableReader, line: u64, findings: &mut Findings) -> Result<(), Error> {
        let names = reader.columns();
        for name in &names[self.columns.len()..] {
            let target = self.target(name);
            let earlier = self.columns.iter().find(|known| target.is_some() && known.target == target);
            let detail = match (target, earlier) {
                (Some(_), Some(earlier)) => Some(format!("the column {:?} is read instead", earlier.name)),
                (Some(_), None) => None,
                (None, _) if self.is_left_out(name, names) => None,
                (None, _) => {
                    Some(format!("the table {} has no such column: it is not read", self.table.name))
                }
            };
            if let Some(detail) = &detail {
                let (line, column, kind) = (Some(line), Some(&**name), "unread_column");
                findings.add(&TableFinding {
                    line,
                    column,
                    kind,
                    detail: detail.clone(),
                    ..self.finding()
                })?;
            }
            self.columns.push(FileColumn { name: name.clone(), target: target.filter(|_| detail.is_none()) });
        }
        Ok(())
    }

    /// The column of the table that has this name in the file.
    fn target(&self, name: &str) -> Option<usize> {
        let renamed = self.mapping.into_iter().flat_map(|mapping| &mapping.columns);
        let is_renamed = |own: &str| renamed.clone().any(|(column, _)| column == own);
        let own = renamed.clone().find(|(_, of_file)| *of_file == name).map(|(column, _)| &**column);
        match own {
            Some(own) => self.table.column(own),
            None => self
                .table
                .columns
                .iter()
                .position(|column| column.name.eq_ignore_ascii_case(name) && !is_renamed(&column.name)),
        }
    }

    /// True for a column that the mapping names as ignored, and for the value beside a decimal in an export.
    fn is_left_out(&self, name: &str, names: &[String]) -> bool {
        let is_decimal = |base: &str| {
            let of = self.table.column(base).map(|column| self.table.columns[column].column_type);
            matches!(of, Some(ColumnType::Decimal { .. })) && names.iter().any(|name| name == base)
        };
        let is_ignored =
            self.mapping.is_some_and(|mapping| mapping.ignored.iter().any(|ignored| ignored == name));
        is_ignored || name.strip_suffix("_decimal").is_some_and(is_decimal)
    }

    fn add_constants(&self, cells: &mut Vec<(usize, Cell<'static>)>) {
        for (name, value) in self.mapping.into_iter().flat_map(|mapping| &mapping.constants) {
            let Some(column) = self.table.column(name) else { continue };
            if !cells.iter().any(|(known, _)| *known == column) {
                cells.push((column, Cell::Value(Cow::Owned(value.clone()))));
            }
        }
    }

    fn name_of(&self, target: usize) -> Option<&str> {
        self.columns.iter().find(|column| column.target == Some(target)).map(|column| &*column.name)
    }

    fn names(self) -> HashMap<usize, String> {
        self.columns.into_iter().filter_map(|column| Some((column.target?, column.name))).collect()
    }

    fn finding(&self) -> TableFinding<'_> {
        TableFinding { file: &self.file.name, table: Some(self.table.name), ..TableFinding::default() }
    }

    fn unreadable(&self, error: &ReadError) -> TableFinding<'_> {
        let kind = if error.is_of_row() { "unreadable_row" } else { "unreadable_file" };
        TableFinding { line: error.line(), kind, detail: error.to_string(), ..self.finding() }
    }
}
