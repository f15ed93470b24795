//! Makes accounts, or other requests, of sorted rows.

use super::damage::{CellFault, LeadingZeros};
use super::lineage::{MadeAccount, Place};
use super::loaded::Loaded;
use super::output::Output;
use super::record::Record;
use super::sort::Sorted;
use super::watch::Watch;
use crate::error::Error;
use crate::input::MAX_ACCOUNT;
use crate::origin::TableFinding;
use cutover_core::Code;
use cutover_model::tables::{Assembler, Bodies, Body, BodyLimits, Cell, Row, RowFault, RowFaultKind, Tables};
use std::borrow::Cow;
use std::io;

/// Maximum size of the rows of an account in memory.
const MAX_ROWS: usize = 32 << 20;
/// Limits of a request that is made of a row for each item: those of the service unless its operator sets others (fields
/// 1.6, contract D3).
const LIMITS: BodyLimits = BodyLimits { items: 1_000, bytes: MAX_ACCOUNT };

/// Makes the accounts of sorted rows.
pub(super) struct Accounts<'a> {
    tables: &'a Tables,
    assembler: Assembler<'a>,
    files: &'a [Loaded],
    zeros: &'a LeadingZeros,
}

impl<'a> Accounts<'a> {
    pub(super) fn new(tables: &'a Tables, files: &'a [Loaded], zeros: &'a LeadingZeros) -> Self {
        Self { tables, assembler: Assembler::new(tables), files, zeros }
    }

    /// Hands on every account, until the run is stopped. Returns their number.
    ///
    /// # Errors
    /// [`Error`] if a temporary file cannot be read, or the output cannot be written.
    pub(super) fn write(&self, mut sorted: Sorted, watch: &Watch, to: &mut dyn Output) -> Result<u64, Error> {
        let mut count = 0;
        while let Some(first) = sorted.next()? {
            if watch.is_stopped() {
                break;
            }
            let mut records = vec![first];
            let mut size = 0;
            while sorted.peek().is_some_and(|next| is_same_account(&records[0], next)) {
                let Some(record) = sorted.next()? else { break };
                if size <= MAX_ROWS {
                    size += record.len() + self.row_size(&record);
                    records.push(record);
                }
            }
            count += self.account(&records, size > MAX_ROWS, to)?;
            watch.made(count, self.noun());
        }
        Ok(count)
    }

    /// Memory of the cells of a row.
    fn row_size(&self, record: &[u8]) -> usize {
        let table = Record::decode(record).and_then(|record| self.tables.get(record.key.table.into()));
        table.map_or(0, |table| table.columns.len()) * size_of::<Cell<'_>>()
    }

    fn noun(&self) -> &'static str {
        if self.tables.is_of_accounts() { "account" } else { "request" }
    }

    /// Hands on an account, or the requests about an account or a business. Returns their number.
    fn account(&self, records: &[Vec<u8>], is_too_large: bool, to: &mut dyn Output) -> Result<u64, Error> {
        let (mut rows, mut places, mut number) = (Vec::new(), Vec::new(), "");
        let mut faults = Vec::new();
        for (index, record) in records.iter().enumerate() {
            let record = Record::decode(record).ok_or_else(damaged)?;
            faults.extend(record.faults().map(|(column, fault)| (index, column, fault)));
            rows.push(record.row(self.tables).ok_or_else(damaged)?);
            places.push(Place { file: record.key.file, line: record.key.line });
            number = record.key.account;
        }
        to.rows(&rows);
        let of = Group { accounts: self, number, rows: &rows, places: &places };
        if is_too_large {
            let detail = match self.tables.is_of_accounts() {
                true => "the account has more rows than an account can have: it is left out",
                false => {
                    "it has more rows than are read at once: all are left out, so give them to several runs"
                }
            };
            to.finding(&of.finding(0, None, Code::AccountTooLarge, detail))?;
            return Ok(0);
        }
        let Bodies { bodies, faults: of_rows } = self.assembler.bodies(&rows, LIMITS);
        let of_cells = of.of_cells(faults).into_iter().map(Fault::OfCell);
        of.report(of_cells.chain(of_rows.iter().map(Fault::OfRow)), &bodies, to)?;
        Ok(bodies.len() as u64)
    }
}

/// True if two records have the same account: their bytes begin with it and its length.
fn is_same_account(one: &[u8], other: &[u8]) -> bool {
    let account = |record| Record::decode(record).map(|record: Record<'_>| record.key.account.len() + 4);
    account(one).is_some_and(|length| one.get(..length) == other.get(..length))
}

pub(super) fn damaged() -> Error {
    Error::Output(io::Error::new(io::ErrorKind::InvalidData, "a temporary file is damaged"))
}

/// The rows of an account.
struct Group<'g> {
    accounts: &'g Accounts<'g>,
    number: &'g str,
    rows: &'g [Row<'g>],
    places: &'g [Place],
}

/// A fault of a cell: the indexes of the row and of the column.
type FaultOfCell = (usize, usize, CellFault);

/// What is wrong with a row. There may be many, so their texts are made one by one.
#[derive(Clone, Copy)]
enum Fault<'f> {
    OfCell(FaultOfCell),
    OfRow(&'f RowFault),
}

impl Fault<'_> {
    fn row(&self) -> usize {
        match self {
            Self::OfCell((row, ..)) => *row,
            Self::OfRow(fault) => fault.row,
        }
    }

    /// The cell that is said to be empty and is not: the indexes of the row and of the column.
    fn not_empty(&self) -> Option<(usize, usize)> {
        match self {
            Self::OfRow(fault) if fault.kind == RowFaultKind::NotEmpty => Some((fault.row, fault.column?)),
            _ => None,
        }
    }
}

impl<'g> Group<'g> {
    /// The faults of cells, those that were found while the row was read and lost zeros.
    fn of_cells(&self, mut faults: Vec<FaultOfCell>) -> Vec<FaultOfCell> {
        for (index, row) in self.rows.iter().enumerate() {
            let values = row.cells.iter().enumerate();
            let lost = values.filter(|(column, cell)| {
                cell.value().is_some_and(|text| self.accounts.zeros.are_lost((row.table, *column), text))
            });
            faults.extend(lost.map(|(column, _)| (index, column, CellFault::LostZeros)));
        }
        faults.sort_by_key(|(row, column, _)| (*row, *column));
        faults
    }

    /// Hands on the bodies, each after what was found about its rows. A row that is in none of them may belong to each: the
    /// first one has the findings about such rows, and each other one the first of these, so that it counts as incomplete.
    fn report<'f>(
        &self,
        faults: impl Iterator<Item = Fault<'f>>,
        bodies: &[Body],
        to: &mut dyn Output,
    ) -> Result<(), Error> {
        let mut owners = vec![None; self.rows.len()];
        for (index, body) in bodies.iter().enumerate() {
            body.rows.iter().for_each(|(row, _)| owners[*row] = Some(index));
        }
        let mut of_body = vec![Vec::new(); bodies.len().max(1)];
        let mut without_body = None;
        for fault in faults {
            let owner = owners[fault.row()];
            without_body = without_body.or(Some(fault).filter(|_| owner.is_none()));
            of_body[owner.unwrap_or_default()].push(fault);
        }
        for (index, faults) in of_body.into_iter().enumerate() {
            let again = without_body.filter(|_| index > 0);
            let not_empty: Vec<_> = faults.iter().filter_map(Fault::not_empty).collect();
            again.into_iter().chain(faults).try_for_each(|fault| to.finding(&self.fault(fault)))?;
            let Some(Body { json, rows: placed }) = bodies.get(index) else { continue };
            let (tables, files) = (self.accounts.tables, self.accounts.files);
            let Self { number, rows, places, .. } = *self;
            let not_empty = &*not_empty;
            to.account(&MadeAccount { tables, files, number, rows, places, placed, not_empty, json })?;
        }
        Ok(())
    }

    fn fault(&self, fault: Fault<'_>) -> TableFinding<'g> {
        match fault {
            Fault::OfCell((row, column, fault)) => {
                let detail = format!("the value is left as it is: {fault}");
                self.finding(row, Some(column), fault.code(), detail)
            }
            Fault::OfRow(fault) => {
                let (code, detail) = self.described(fault);
                self.finding(fault.row, fault.column, code, detail)
            }
        }
    }

    fn described(&self, fault: &RowFault) -> (Code, String) {
        let table = self.accounts.tables.get(self.rows[fault.row].table);
        let parent = table.and_then(|table| table.parent).unwrap_or_default();
        match fault.kind {
            RowFaultKind::Orphan => (Code::OrphanRow, format!("no row of {parent} has its keys")),
            RowFaultKind::AmbiguousParent => {
                (Code::AmbiguousParent, format!("several rows of {parent} have its keys"))
            }
            RowFaultKind::DuplicateKey { first } => {
                let Place { file, line } = self.places[first];
                let file = &self.accounts.files[file as usize].name;
                let detail = format!("the row at {file}:{line} has the same key: this one is left out");
                (Code::DuplicateKey, detail)
            }
            RowFaultKind::UnknownList => (Code::UnknownList, format!("it names no list of {parent}")),
            RowFaultKind::InvalidPosition => (Code::InvalidPosition, fault.kind.to_string()),
            RowFaultKind::NotEmpty => (Code::NotEmpty, fault.kind.to_string()),
        }
    }

    fn finding(
        &self,
        row: usize,
        column: Option<usize>,
        code: Code,
        detail: impl Into<Cow<'g, str>>,
    ) -> TableFinding<'g> {
        let Place { file, line } = self.places[row];
        let file = &self.accounts.files[file as usize];
        let table = self.accounts.tables.get(self.rows[row].table);
        TableFinding {
            line: Some(line),
            column: table.zip(column).map(|(table, column)| file.column(table, column).into()),
            table: table.map(|table| table.name.into()),
            external_account_number: Some(self.number.into()),
            ..TableFinding::new(&file.name, code, detail)
        }
    }
}
