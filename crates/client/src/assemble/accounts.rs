//! Makes accounts of sorted rows.

use super::finding::{Findings, TableFinding};
use super::load::Loaded;
use super::record::Record;
use super::sort::Sorted;
use crate::error::Error;
use crate::expect::Expected;
use cutover_core::AttrPath;
use cutover_model::tables::{Assembled, Assembler, Cell, ColumnRole, Row, RowFaultKind, Tables};
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::{self, Write};

/// Maximum size of the rows of an account in memory.
const MAX_ACCOUNT: usize = 96 << 20;

/// Where the rows of an account are.
#[derive(Debug, Clone, Copy)]
struct Place {
    file: u32,
    line: u64,
}

/// What is written.
pub(super) struct Outputs<'o> {
    pub(super) accounts: &'o mut dyn Write,
    pub(super) lineage: Option<&'o mut dyn Write>,
    pub(super) findings: &'o mut Findings,
    /// What the source system counted, if that is compared.
    pub(super) expected: Option<&'o mut Expected>,
}

/// Where the members of an account come from.
#[derive(Serialize)]
struct Lineage<'l> {
    external_account_number: &'l str,
    members: BTreeMap<String, Source<'l>>,
}

#[derive(Serialize)]
struct Source<'l> {
    file: &'l str,
    line: u64,
    column: &'l str,
}

/// Makes the accounts of sorted rows.
pub(super) struct Accounts<'a> {
    tables: &'a Tables,
    assembler: Assembler<'a>,
    files: &'a [Loaded],
}

impl<'a> Accounts<'a> {
    pub(super) fn new(tables: &'a Tables, files: &'a [Loaded]) -> Self {
        Self { tables, assembler: Assembler::new(tables), files }
    }

    /// Writes every account. Returns their number.
    ///
    /// # Errors
    /// [`Error`] if a temporary file cannot be read, or an output cannot be written.
    pub(super) fn write(&self, mut sorted: Sorted, mut to: Outputs<'_>) -> Result<u64, Error> {
        let mut count = 0;
        while let Some(first) = sorted.next()? {
            let mut records = vec![first];
            let mut size = 0;
            while sorted.peek().is_some_and(|next| is_same_account(&records[0], next)) {
                let Some(record) = sorted.next()? else { break };
                if size <= MAX_ACCOUNT {
                    size += record.len() + self.row_size(&record);
                    records.push(record);
                }
            }
            count += u64::from(self.account(&records, size > MAX_ACCOUNT, &mut to)?);
        }
        Ok(count)
    }

    /// Memory of the cells of a row.
    fn row_size(&self, record: &[u8]) -> usize {
        let table = Record::decode(record).and_then(|record| self.tables.get(record.key.table.into()));
        table.map_or(0, |table| table.columns.len()) * size_of::<Cell<'_>>()
    }

    /// Writes an account. Returns false if its rows make none.
    fn account(&self, records: &[Vec<u8>], is_too_large: bool, to: &mut Outputs<'_>) -> Result<bool, Error> {
        let (mut rows, mut places, mut account) = (Vec::new(), Vec::new(), "");
        for record in records {
            let record = Record::decode(record).ok_or_else(damaged)?;
            rows.push(record.row(self.tables).ok_or_else(damaged)?);
            places.push(Place { file: record.key.file, line: record.key.line });
            account = record.key.account;
        }
        if let Some(expected) = &mut to.expected {
            rows.iter().for_each(|row: &Row<'_>| expected.row(row.table, &row.cells));
        }
        let of = Group { accounts: self, account, rows: &rows, places: &places };
        if is_too_large {
            let detail = "the account has more rows than an account can have: it is left out".to_owned();
            to.findings.add(&of.finding(0, None, "too_large", detail))?;
            return Ok(false);
        }
        let assembled = self.assembler.assemble(&rows);
        of.report(&assembled, to.findings)?;
        let Some(json) = &assembled.account else { return Ok(false) };
        to.accounts.write_all(json)?;
        to.accounts.write_all(b"\n")?;
        if let Some(lineage) = &mut to.lineage {
            serde_json::to_writer(&mut *lineage, &of.lineage(&assembled)).map_err(io::Error::from)?;
            lineage.write_all(b"\n")?;
        }
        Ok(true)
    }
}

/// True if two records have the same account: their bytes begin with it and its length.
fn is_same_account(one: &[u8], other: &[u8]) -> bool {
    let account = |record| Record::decode(record).map(|record: Record<'_>| record.key.account.len() + 4);
    account(one).is_some_and(|length| one.get(..length) == other.get(..length))
}

fn damaged() -> Error {
    Error::Output(io::Error::new(io::ErrorKind::InvalidData, "a temporary file is damaged"))
}

/// The rows of an account.
struct Group<'g> {
    accounts: &'g Accounts<'g>,
    account: &'g str,
    rows: &'g [Row<'g>],
    places: &'g [Place],
}

impl<'g> Group<'g> {
    fn report(&self, assembled: &Assembled, findings: &mut Findings) -> Result<(), Error> {
        for fault in &assembled.faults {
            let (kind, detail) = match fault.kind {
                RowFaultKind::Orphan => ("orphan_row", fault.kind.to_string()),
                RowFaultKind::AmbiguousParent => ("ambiguous_parent", fault.kind.to_string()),
                RowFaultKind::DuplicateKey { first } => {
                    let Place { file, line } = self.places[first];
                    let file = &self.accounts.files[file as usize].name;
                    (
                        "duplicate_key",
                        format!("the row at {file}:{line} has the same key: this one is left out"),
                    )
                }
                RowFaultKind::UnknownList => ("unknown_list", fault.kind.to_string()),
                RowFaultKind::InvalidPosition => ("invalid_position", fault.kind.to_string()),
                RowFaultKind::NotEmpty => ("not_empty", fault.kind.to_string()),
            };
            findings.add(&self.finding(fault.row, fault.column, kind, detail))?;
        }
        Ok(())
    }

    fn finding(
        &self,
        row: usize,
        column: Option<usize>,
        kind: &'static str,
        detail: String,
    ) -> TableFinding<'g> {
        let Place { file, line } = self.places[row];
        let file = &self.accounts.files[file as usize];
        let table = self.accounts.tables.get(self.rows[row].table);
        TableFinding {
            file: &file.name,
            line: Some(line),
            column: table.zip(column).map(|(table, column)| file.column(table, column)),
            table: table.map(|table| table.name),
            external_account_number: Some(self.account),
            kind,
            detail,
        }
    }

    fn lineage(&self, assembled: &Assembled) -> Lineage<'g> {
        let mut members = BTreeMap::new();
        for (row, path) in assembled.paths.iter().enumerate() {
            let Some(path) = path else { continue };
            self.members(row, path, &mut members);
        }
        Lineage { external_account_number: self.account, members }
    }

    /// Adds the members of the object of a row.
    fn members(&self, row: usize, path: &AttrPath, members: &mut BTreeMap<String, Source<'g>>) {
        let Some(table) = self.accounts.tables.get(self.rows[row].table) else { return };
        let Place { file, line } = self.places[row];
        let file = &self.accounts.files[file as usize];
        let prefix = if path.segments().is_empty() { String::new() } else { format!("{path}.") };
        for (index, cell) in self.rows[row].cells.iter().enumerate() {
            let column = &table.columns[index];
            if *cell != Cell::Absent && column.role != ColumnRole::Key {
                let source = Source { file: &file.name, line, column: file.column(table, index) };
                members.insert(format!("{prefix}{}", column.name), source);
            }
        }
    }
}
