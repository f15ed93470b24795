//! Compares the inputs with what the source system counted: rows of tables, and sums of columns.

mod counts;
mod difference;
mod file;

pub(crate) use counts::{Counts, Sum};
pub(crate) use difference::{Difference, alerts, text};

use crate::envelope;
use crate::error::Error;
use clap::Args;
use cutover_model::rust_decimal::Decimal;
use cutover_model::tables::{Cell, RowsError, Tables};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The option of the commands that compare.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct ExpectOption {
    /// Compare the inputs with what the source system counted, from a TOML or CSV file: table, rows, perhaps a column and its sum
    #[arg(long, value_name = "FILE")]
    expect: Option<PathBuf>,
}

impl ExpectOption {
    /// The file.
    pub(crate) fn path(&self) -> Option<&Path> {
        self.expect.as_deref()
    }

    /// Reads the file, if there is one.
    ///
    /// # Errors
    /// [`Error`] if it cannot be read, or names what does not exist.
    pub(crate) fn read(&self) -> Result<Option<Expected>, Error> {
        self.expect.as_deref().map(Expected::read).transpose()
    }
}

/// What the source system counted.
#[derive(Debug)]
pub(crate) struct Expectations {
    file: String,
    payload: Tables,
    tables: Vec<ExpectedTable>,
}

/// What was counted of a table.
#[derive(Debug, PartialEq, Eq)]
struct ExpectedTable {
    /// The index of the table.
    table: usize,
    name: &'static str,
    rows: Option<u64>,
    columns: Vec<ExpectedColumn>,
}

/// The sum of a column.
#[derive(Debug, PartialEq, Eq)]
struct ExpectedColumn {
    /// The index of the column.
    column: usize,
    name: String,
    sum: Decimal,
}

impl Expectations {
    /// Counts the rows of an account in the body of a request, as `disassemble` would write them.
    pub(crate) fn count(&self, body: &[u8]) -> Counts {
        let mut counts = Counts::of(self);
        let Ok(envelope) = envelope::open(body) else { return Counts::of_uncounted(self) };
        let walked = self.payload.indexed_rows(envelope.account, |table, cells| {
            counts.row(self, table, cells);
            Ok::<_, RowsError>(())
        });
        // The rows before the fault do not count either.
        if walked.is_ok() { counts } else { Counts::of_uncounted(self) }
    }
}

/// What was expected, and what a run has found so far.
#[derive(Debug)]
pub(crate) struct Expected {
    expectations: Arc<Expectations>,
    counts: Counts,
}

impl Expected {
    fn read(path: &Path) -> Result<Self, Error> {
        let expectations = Arc::new(file::read(path)?);
        let counts = Counts::of(&expectations);
        Ok(Self { expectations, counts })
    }

    /// What was expected, for the threads that count.
    pub(crate) fn expectations(&self) -> Arc<Expectations> {
        self.expectations.clone()
    }

    /// Takes the counts of an account; `None` if it could not be read.
    pub(crate) fn add(&mut self, counts: Option<&Counts>) {
        match counts {
            Some(counts) => self.counts.add(counts),
            None => self.counts.add(&Counts::of_uncounted(&self.expectations)),
        }
    }

    /// Takes a row of a table.
    pub(crate) fn row(&mut self, table: usize, cells: &[Cell<'_>]) {
        self.counts.row(&self.expectations, table, cells);
    }

    /// Where the inputs differ from what was expected.
    pub(crate) fn differences(&self) -> Vec<Difference> {
        difference::find(&self.expectations, &self.counts)
    }

    /// The path of the file.
    pub(crate) fn file(&self) -> &str {
        &self.expectations.file
    }
}
