//! Reads the files and hands their rows to the sorter.

use super::convert::Converter;
use super::damage::{CellFault, LeadingZeros};
use super::files::TableFile;
use super::loaded::Loaded;
use super::mapping::{Mapping, SUPPLIERS, TableMapping};
use super::output::Output;
use super::record::{Record, RecordKey};
use super::sort::Sorter;
use super::watch::Watch;
use crate::error::Error;
use crate::origin::TableFinding;
use cutover_core::Code;
use cutover_model::tables::{Cell, Column, ColumnType, Table, Tables};
use cutover_tables::read::{ReadError, ReadRow, TableReader};
use std::borrow::Cow;
use std::collections::HashMap;

/// The name of the column with the account's number.
pub(crate) const ACCOUNT: &str = "external_account_number";
/// The name of the column with the kind of a meter point.
const SUPPLY_TYPE: &str = "supply_type";

/// Reads files of tables.
pub(super) struct Loader<'l> {
    tables: &'l Tables,
    mapping: &'l Mapping,
    converter: Converter<'l>,
    watch: &'l Watch,
    pub(super) sorter: Sorter,
    pub(super) files: Vec<Loaded>,
    pub(super) zeros: LeadingZeros,
    pub(super) rows: u64,
}

impl<'l> Loader<'l> {
    pub(super) fn new(tables: &'l Tables, mapping: &'l Mapping, watch: &'l Watch) -> Self {
        let (sorter, files, zeros) = (Sorter::new(), Vec::new(), LeadingZeros::default());
        Self { tables, mapping, converter: Converter::new(mapping), watch, sorter, files, zeros, rows: 0 }
    }

    /// Reads a file, until the run is stopped. What cannot be read is a finding.
    ///
    /// # Errors
    /// [`Error`] if a temporary file or the findings cannot be written.
    pub(super) fn file(&mut self, file: &TableFile, findings: &mut dyn Output) -> Result<(), Error> {
        let loaded = Loaded { name: file.name.clone(), table: file.table, columns: HashMap::new() };
        self.files.push(loaded);
        let Some(table) = self.tables.get(file.table) else { return Ok(()) };
        let opened = file.open(self.mapping.options().unwrap_or_default(), &self.watch.read);
        let mut reading = Reading::new(file, table, self.mapping);
        let mut reader = match opened {
            Ok(reader) => reader,
            Err(error) => return findings.finding(&reading.unreadable(&error)),
        };
        let (before, mut row) = (self.rows, ReadRow::default());
        while !self.watch.is_stopped() {
            reading.learn(&reader, row.line.max(1), findings)?;
            match reader.read(&mut row) {
                Ok(false) => break,
                Ok(true) => {
                    // Columns of NDJSON become known with their rows.
                    reading.learn(&reader, row.line, findings)?;
                    self.row(&reading, &mut row, reader.has_one_null(), findings)?;
                }
                Err(error) => {
                    findings.finding(&reading.unreadable(&error))?;
                    if !error.is_of_row() {
                        break;
                    }
                }
            }
        }
        if self.rows > before && !self.tables.is_of_accounts() {
            reading.without_supplier().map_or(Ok(()), |finding| findings.finding(&finding))?;
        }
        if let Some(loaded) = self.files.last_mut() {
            loaded.columns = reading.names;
        }
        self.watch.read.add(file.bytes_read_at_once());
        Ok(())
    }

    fn row(
        &mut self,
        reading: &Reading<'_>,
        row: &mut ReadRow,
        has_one_null: bool,
        findings: &mut dyn Output,
    ) -> Result<(), Error> {
        self.rows += 1;
        self.watch.rows(self.rows);
        let (mut cells, mut faults) = (Vec::with_capacity(row.cells.len()), Vec::new());
        for (column, cell) in row.cells.drain(..) {
            let Some(Some(target)) = reading.targets.get(column).copied() else { continue };
            let (cell, fault) = match cell {
                Cell::Value(text) => self.value(reading, target, (text, row.typed.contains(&column))),
                other => (Some(other), None),
            };
            faults.extend(fault.map(|fault| (target, fault)));
            cells.extend(cell.map(|cell| (target, cell)));
        }
        reading.add_constants(&mut cells);
        if has_one_null {
            add_nulls(reading.table, &mut cells);
        }
        let subject = self.tables.subject();
        let account = cells.iter().find(|(column, _)| reading.table.columns[*column].name == subject);
        let Some(account) = account.and_then(|(_, cell)| cell.value()) else {
            let what = if subject == ACCOUNT { "account" } else { "business" };
            let detail = format!("the row has no {subject}, so it belongs to no {what}");
            return findings.finding(&TableFinding {
                line: Some(row.line),
                ..reading.finding(Code::MissingKey, detail)
            });
        };
        let file = self.files.len() as u32 - 1;
        let key = RecordKey { account, table: reading.file.table as u16, file, line: row.line };
        let record = Record::encode(key, &faults, &cells);
        self.sorter.push(&record).map_err(Error::file("sorted on disk", &reading.file.path))
    }

    /// The cell of a value, and what is wrong with it.
    fn value(
        &mut self,
        reading: &Reading<'_>,
        target: usize,
        (text, is_typed): (Cow<'static, str>, bool),
    ) -> (Option<Cell<'static>>, Option<CellFault>) {
        let column = &reading.table.columns[target];
        let codes = reading.mapping.and_then(|mapping| mapping.codes.get(&column.name));
        let (value, fault) = self.converter.value((text, is_typed), column, codes);
        if let Some(value) = &value {
            self.zeros.see((reading.file.table, target), column, value);
        }
        (value.map(Cell::Value), fault)
    }
}

/// A member that is `null` where one is required: the file has the same for absent ones (fields 1.3).
fn add_nulls(table: &Table, cells: &mut Vec<(usize, Cell<'_>)>) {
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
    /// Columns with the value of rows that have none.
    constants: Vec<(usize, &'r str)>,
    /// For each column of the file that is known so far the column of the table that it is; `None` if it is not read.
    targets: Vec<Option<usize>>,
    /// The names in the file by the columns of the table.
    names: HashMap<usize, String>,
}

impl<'r> Reading<'r> {
    fn new(file: &'r TableFile, table: &'r Table, mapping: &'r Mapping) -> Self {
        let (targets, names) = Default::default();
        let constants = mapping.constants(table);
        Self { file, table, mapping: mapping.of(table), constants, targets, names }
    }

    /// Looks at the columns that were not known before.
    fn learn(&mut self, reader: &TableReader, line: u64, findings: &mut dyn Output) -> Result<(), Error> {
        let names = reader.columns();
        for name in &names[self.targets.len()..] {
            let target = self.target(name);
            let earlier = target.and_then(|target| self.names.get(&target));
            let detail = match (target, earlier) {
                (Some(_), Some(earlier)) => Some(format!("the column {earlier:?} is read instead")),
                (Some(_), None) => None,
                (None, _) if self.is_left_out(name, names) => None,
                (None, _) => {
                    Some(format!("the table {} has no such column: it is not read", self.table.name))
                }
            };
            self.targets.push(target.filter(|_| detail.is_none()));
            if let Some(detail) = detail {
                findings.finding(&TableFinding {
                    line: Some(line),
                    column: Some(name.into()),
                    ..self.finding(Code::UnreadColumn, detail)
                })?;
            } else if let Some(target) = target {
                self.names.insert(target, name.clone());
            }
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
        for (column, value) in &self.constants {
            if !cells.iter().any(|(known, _)| known == column) {
                cells.push((*column, Cell::Value(Cow::Owned((*value).to_owned()))));
            }
        }
    }

    fn finding(&self, code: Code, detail: impl Into<Cow<'r, str>>) -> TableFinding<'r> {
        TableFinding {
            table: Some(self.table.name.into()),
            ..TableFinding::new(&self.file.name, code, detail)
        }
    }

    /// The finding about a file of requests in which no row names its supplier.
    fn without_supplier(&self) -> Option<TableFinding<'r>> {
        let supplier = self.table.columns.iter().position(|column| SUPPLIERS.contains(&&*column.name))?;
        let is_known = self.names.contains_key(&supplier)
            || self.constants.iter().any(|(column, _)| *column == supplier);
        let (table, name) = (self.table.name, &self.table.columns[supplier].name);
        let detail = format!(
            "no row names its supplier: add the column {name}, or to the mapping the lines [tables.{table}.constants] and \
             {name} = \"CODE\""
        );
        let finding = || TableFinding { column: Some(name.into()), ..self.finding(Code::Required, detail) };
        (!is_known).then(finding)
    }

    fn unreadable(&self, error: &ReadError) -> TableFinding<'r> {
        let is_of_row = error.is_of_row();
        let code = if is_of_row { Code::UnreadableRow } else { Code::UnreadableInput };
        TableFinding { line: error.line(), ..self.finding(code, error.without_line()) }
    }
}
