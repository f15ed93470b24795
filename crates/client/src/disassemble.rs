//! `cutover-client disassemble`: makes tables of accounts, the inverse of `assemble`.

use crate::assemble::{Findings, is_formula};
use crate::envelope;
use crate::error::{Error, print_note};
use crate::exit::Exit;
use crate::input::{InputEvent, Location, Source, find};
use crate::origin::{FindingKind, TableFinding};
use crate::output::counted;
use crate::pipeline::{End, Pipeline, Worker};
use crate::progress::Progress;
use clap::Args;
use cutover_model::tables::{Assembler, Cell, ColumnType, Row, RowsError, Tables};
use cutover_tables::{Format, Layout, Personal, TableWriter};
use serde_json::Value;
use std::borrow::Cow;
use std::fs::File;
use std::io::{self, BufWriter};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::thread::available_parallelism;

/// Options of `disassemble`.
#[derive(Debug, Clone, Args)]
pub(crate) struct Options {
    /// Files of accounts, folders of them, or - for NDJSON on standard input
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// The folder of the tables; created if it does not exist
    #[arg(long, value_name = "DIR")]
    to: PathBuf,
    /// The format of the tables: csv, ndjson, or parquet if this build writes it
    #[arg(long, value_name = "FORMAT", default_value = "csv")]
    format: Format,
    /// In CSV, write an apostrophe before cells that begin with =, +, - or @, which spreadsheets take for formulas
    ///
    /// With guarded_formulas = true in the mapping, assemble takes it off again.
    #[arg(long)]
    guard_formulas: bool,
    /// Write every finding to a file, as NDJSON
    #[arg(long, value_name = "FILE")]
    findings: Option<PathBuf>,
    /// Show no progress bar
    #[arg(long, short)]
    quiet: bool,
}

/// Writes the tables of accounts.
///
/// # Errors
/// [`Error`] if an input does not exist, the folder has tables already, or a file cannot be written.
pub(crate) fn run(options: &Options) -> Result<Exit, Error> {
    let sources = find(&options.paths, &[])?;
    let mut findings = Findings::new(options.findings.as_deref())?;
    let tables = Tables::payload();
    if options.guard_formulas && options.format != Format::Csv {
        return Err(Error::refused("--guard-formulas is for CSV: other formats have no formulas"));
    }
    let mut writers = Writers::create(options, &tables)?;
    let pipeline = Pipeline::new();
    pipeline.stop_on_signal(|| {})?;
    let worker = Splitter { tables: Tables::payload(), format: options.format };
    let workers = available_parallelism().unwrap_or(NonZeroUsize::MIN);
    let bytes = sources.iter().map(|source| source.bytes).sum();
    let progress = Progress::new(options.quiet, bytes, pipeline.read());
    let mut accounts = 0_u64;
    let end =
        pipeline.run(sources.clone(), workers, worker, |location: Location, seen: InputEvent<Checked>| {
            let refused = match seen {
                InputEvent::Opened => return Ok(()),
                InputEvent::Account(Ok(account)) => {
                    accounts += 1;
                    progress.checked(accounts, || counted(accounts, "account"));
                    return writers.account(&account);
                }
                InputEvent::Account(Err(why)) => (FindingKind::NoRows, why),
                InputEvent::TooLarge => {
                    (FindingKind::TooLarge, "the account is larger than 8 MiB".to_owned())
                }
                InputEvent::Unreadable(why) => {
                    (FindingKind::UnreadableFile, format!("it cannot be read: {why}"))
                }
            };
            progress.print_above(|| findings.add(&finding(&sources, location, refused)))
        })?;
    drop(progress);
    writers.finish()?;
    findings.finish()?;
    let (written, found) = (counted(accounts, "account"), counted(findings.count, "finding"));
    print_note(&format_args!("{written} written as tables, {found}"));
    Ok(match (end, findings.count) {
        (End::Stopped, _) => Exit::Interrupted,
        (End::Complete, 0) => Exit::Success,
        (End::Complete, _) => Exit::Faulty,
    })
}

fn finding<'s>(
    sources: &'s [Source],
    at: Location,
    (kind, detail): (FindingKind, String),
) -> TableFinding<'s> {
    let file = &sources[at.source as usize].name;
    TableFinding { line: (at.line > 0).then_some(at.line.into()), ..TableFinding::new(file, kind, detail) }
}

/// Checks that an account comes back from its rows, and returns it without envelope.
struct Splitter {
    tables: Tables,
    format: Format,
}

/// An account without envelope, or the reason why it has no tables.
type Checked = Result<Vec<u8>, String>;

impl Worker for Splitter {
    type Output = Checked;

    fn process(&self, _: Location, account: &[u8]) -> Self::Output {
        self.check(account).map(<[u8]>::to_vec)
    }
}

impl Splitter {
    fn check<'j>(&self, account: &'j [u8]) -> Result<&'j [u8], String> {
        let account = without_envelope(account)?;
        let mut rows = Vec::new();
        let walked = self.tables.indexed_rows(account, |table, cells| {
            rows.push(Row { table, cells: cells.to_vec() });
            Ok::<_, RowsError>(())
        });
        walked.map_err(|error| error.to_string())?;
        for row in &rows {
            self.check_forms(row)?;
        }
        let assembled = Assembler::new(&self.tables).assemble(&rows);
        let parse = |json: &[u8]| serde_json::from_slice::<Value>(json).map_err(|e| e.to_string());
        let back = parse(assembled.account.as_deref().unwrap_or_default())?;
        match assembled.faults.is_empty() && is_equal(&parse(account)?, &back) {
            true => Ok(account),
            false => {
                Err("the tables cannot hold it as it is, because a required member is missing".to_owned())
            }
        }
    }

    /// Formats with types have no place for other values.
    fn check_forms(&self, row: &Row<'_>) -> Result<(), String> {
        let Some(table) = self.tables.get(row.table).filter(|_| self.format != Format::Csv) else {
            return Ok(());
        };
        for (column, cell) in table.columns.iter().zip(&row.cells) {
            let fits = |text: &str| match column.column_type {
                ColumnType::Integer => text.parse::<i64>().is_ok(),
                ColumnType::Boolean => text.parse::<bool>().is_ok(),
                ColumnType::Date => {
                    text.parse::<chrono::NaiveDate>().is_ok_and(|day| day.to_string() == text)
                }
                _ => true,
            };
            if !cell.value().is_none_or(fits) {
                return Err(format!(
                    "a value of {}.{} does not have its type: csv keeps it",
                    table.name, column.name
                ));
            }
        }
        Ok(())
    }
}

/// The account in an envelope, or the account itself.
fn without_envelope(account: &[u8]) -> Result<&[u8], String> {
    let envelope = envelope::open(account).map_err(|e| format!("this is no JSON object: {e}"))?;
    match envelope.has_more {
        false => Ok(envelope.account),
        true => Err("it is in an envelope with further members, for which there are no tables".to_owned()),
    }
}

/// True if two accounts have the same members; a number and a string of its digits count as equal.
fn is_equal(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Object(one), Value::Object(other)) => {
            let same = |(name, value): (&String, &Value)| {
                other.get(name).is_some_and(|other| is_equal(value, other))
            };
            one.len() == other.len() && one.iter().all(same)
        }
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| is_equal(one, other))
        }
        // The string has the digits of the number, so both are read to the same number.
        (Value::Number(_), Value::String(text)) => {
            serde_json::from_str::<Value>(text).is_ok_and(|value| value == *one)
        }
        (one, other) => one == other,
    }
}

/// The cell with an apostrophe before it, if a spreadsheet would take it for a formula. What has one already gets another.
fn guarded<'c>(cell: &'c Cell<'_>) -> Cell<'c> {
    match cell {
        Cell::Value(text) if is_formula(text) => Cell::Value(format!("'{text}").into()),
        Cell::Value(text) => Cell::Value(Cow::Borrowed(text)),
        Cell::Null => Cell::Null,
        Cell::Absent => Cell::Absent,
    }
}

/// The files of the tables.
struct Writers<'t> {
    tables: &'t Tables,
    writers: Vec<TableWriter<BufWriter<File>>>,
    folder: PathBuf,
    guards_formulas: bool,
}

/// Errors of the walk and of the files.
enum RowError {
    Rows(RowsError),
    File(io::Error),
}

impl From<RowsError> for RowError {
    fn from(error: RowsError) -> Self {
        Self::Rows(error)
    }
}

impl<'t> Writers<'t> {
    fn create(options: &Options, tables: &'t Tables) -> Result<Self, Error> {
        let (folder, format) = (&*options.to, options.format);
        std::fs::create_dir_all(folder).map_err(Error::file("written", folder))?;
        let writer = |table| {
            let mut layout = Layout::of(table, Personal::Full);
            // `assemble` reads the digits as sent.
            layout.columns.retain(|column| !column.is_value);
            let path = folder.join(format!("{}.{}", table.name, format.as_str()));
            // An existing file may be the supplier's own.
            let file = File::create_new(&path).map_err(Error::file("created", &path))?;
            TableWriter::new(format, layout, BufWriter::new(file)).map_err(Error::file("written", &path))
        };
        let writers = tables.iter().map(writer).collect::<Result<_, Error>>()?;
        Ok(Self { tables, writers, folder: folder.to_owned(), guards_formulas: options.guard_formulas })
    }

    fn account(&mut self, account: &[u8]) -> Result<(), Error> {
        let Self { tables, writers, folder, guards_formulas } = self;
        let row = |table: usize, cells: &[Cell<'_>]| {
            let guarded = guards_formulas.then(|| cells.iter().map(guarded).collect::<Vec<_>>());
            writers[table].row(guarded.as_deref().unwrap_or(cells)).map_err(RowError::File)
        };
        tables.indexed_rows(account, row).map_err(|error| match error {
            RowError::Rows(error) => Error::refused(error.to_string()),
            RowError::File(error) => Error::file("written", folder)(error),
        })
    }

    fn finish(self) -> Result<(), Error> {
        for writer in self.writers {
            let flushed = writer.finish().and_then(|file| file.into_inner().map_err(|e| e.into_error()));
            flushed.map_err(Error::file("written", &self.folder))?;
        }
        Ok(())
    }
}
