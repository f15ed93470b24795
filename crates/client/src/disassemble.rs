//! `cutover-client disassemble`: makes tables of accounts, the inverse of `assemble`.

use crate::across::{Firsts, Seen};
use crate::assemble::{ACCOUNT, Findings, is_formula};
use crate::difference::difference;
use crate::envelope;
use crate::error::{Error, print_note};
use crate::exit::Exit;
use crate::input::{InputEvent, Location, Source, find};
use crate::origin::TableFinding;
use crate::output::counted;
use crate::pipeline::{End, Pipeline, Worker};
use crate::progress::Progress;
use clap::Args;
use cutover_core::Code;
use cutover_model::tables::{Assembler, Cell, ColumnType, Row, RowsError, Table, Tables};
use cutover_tables::{Format, Layout, TableWriter};
use std::borrow::Cow;
use std::fs::File;
use std::hash::{DefaultHasher, Hash, Hasher};
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
    let sources = find(&options.paths, options.findings.as_slice())?;
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
    let (mut accounts, mut not_compared, mut is_incomplete) = (0_u64, 0_u64, false);
    let mut numbers = Firsts::with_room_for(MAX_NUMBERS);
    let end =
        pipeline.run(sources.clone(), workers, worker, |location: Location, seen: InputEvent<Checked>| {
            let refused = match seen {
                InputEvent::Opened => return Ok(()),
                InputEvent::Account(Ok(Fitting { account, number })) => match numbers.see(number, location) {
                    Seen::Earlier(earlier) => (Code::DuplicateKey, same_number(&sources, earlier)),
                    seen @ (Seen::First | Seen::NoRoom) => {
                        accounts += 1;
                        not_compared += u64::from(seen == Seen::NoRoom);
                        progress.checked(accounts, || counted(accounts, "account"));
                        return writers.account(&account);
                    }
                },
                InputEvent::Account(Err(refused)) => refused,
                InputEvent::TooLarge => {
                    (Code::AccountTooLarge, "the account is larger than 8 MiB".to_owned())
                }
                InputEvent::Unreadable(why) => {
                    is_incomplete = true;
                    (Code::UnreadableInput, format!("it cannot be read: {why}"))
                }
            };
            progress.print_above(|| findings.add(&finding(&sources, location, refused)))
        })?;
    drop(progress);
    writers.finish()?;
    findings.finish()?;
    let (written, found) = (counted(accounts, "account"), counted(findings.count, "finding"));
    print_note(&format_args!("{written} written as tables, {found}"));
    if not_compared > 0 {
        let not_compared = counted(not_compared, "account");
        print_note(&format_args!(
            "the numbers of the last {not_compared} were not compared among each other"
        ));
    }
    Ok(match (end, findings.count) {
        (End::Stopped, _) => Exit::Interrupted,
        (End::Complete, _) if is_incomplete => Exit::Failed,
        (End::Complete, 0) => Exit::Success,
        (End::Complete, _) => Exit::Faulty,
    })
}

fn finding<'s>(sources: &'s [Source], at: Location, (code, detail): (Code, String)) -> TableFinding<'s> {
    let file = &sources[at.source as usize].name;
    TableFinding { line: (at.line > 0).then_some(at.line.into()), ..TableFinding::new(file, code, detail) }
}

/// Checks that an account comes back from its rows, and returns it without envelope.
struct Splitter {
    tables: Tables,
    format: Format,
}

/// An account without envelope, whose tables lead back to it.
struct Fitting {
    account: Vec<u8>,
    /// A hash of its number.
    number: u64,
}

/// The reason why an account has no tables.
type Refused = (Code, String);

type Checked = Result<Fitting, Refused>;

/// Maximum number of account numbers that are kept, in about 140 MB.
const MAX_NUMBERS: usize = 7_000_000;

/// The reason why the rows of an account would be taken for those of an earlier one.
fn same_number(sources: &[Source], earlier: Location) -> String {
    let file = &sources[earlier.source as usize].name;
    format!("the account at {file}:{} has the same number: tables have one account of a number", earlier.line)
}

impl Worker for Splitter {
    type Output = Checked;

    fn process(&self, _: Location, account: &[u8]) -> Self::Output {
        self.check(account)
    }
}

impl Splitter {
    fn check(&self, account: &[u8]) -> Checked {
        let refused = |why| (Code::NotRestorable, why);
        let account = without_envelope(account).map_err(refused)?;
        let rows = self.rows(account).map_err(refused)?;
        let Some(number) = number(&self.tables, &rows) else {
            let why = "it has no external_account_number, which all of its rows need".to_owned();
            return Err((Code::MissingKey, why));
        };
        let number = hash(number);
        self.compare(account, &rows).map_err(refused)?;
        Ok(Fitting { account: account.to_vec(), number })
    }

    fn rows<'j>(&self, account: &'j [u8]) -> Result<Vec<Row<'j>>, String> {
        let mut rows = Vec::new();
        let walked = self.tables.indexed_rows(account, |table, cells| {
            rows.push(Row { table, cells: cells.to_vec() });
            Ok::<_, RowsError>(())
        });
        walked.map_err(|error| error.to_string())?;
        rows.iter().try_for_each(|row| self.check_forms(row)).map(|()| rows)
    }

    /// Compares an account with what `assemble` makes of its rows.
    fn compare(&self, account: &[u8], rows: &[Row<'_>]) -> Result<(), String> {
        let assembled = Assembler::new(&self.tables).assemble(rows);
        let made = assembled.account.as_deref().unwrap_or(b"null");
        match difference(account, made).map_err(|error| error.to_string())? {
            Some(path) => Err(format!("assembling its tables gives another account: they differ at {path}")),
            None if assembled.faults.is_empty() => Ok(()),
            None => Err("not all of its rows have a place in one account".to_owned()),
        }
    }

    /// Formats with types have no place for other values.
    fn check_forms(&self, row: &Row<'_>) -> Result<(), String> {
        let Some(table) = self.tables.get(row.table).filter(|_| self.format != Format::Csv) else {
            return Ok(());
        };
        for (column, cell) in table.columns.iter().zip(&row.cells) {
            let fits = |text: &str| match column.column_type {
                ColumnType::Integer => text.parse::<i64>().is_ok_and(|number| number.to_string() == text),
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

/// The number of the account that rows belong to.
fn number<'r>(tables: &Tables, rows: &'r [Row<'_>]) -> Option<&'r str> {
    let account = rows.first()?;
    account.cells[tables.get(account.table)?.column(ACCOUNT)?].value()
}

/// Of a million numbers, two have the same hash by chance once in 30 million runs.
fn hash(number: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    number.hash(&mut hasher);
    hasher.finish()
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
        let writer = |table: &Table| {
            let path = folder.join(format!("{}.{}", table.name, format.as_str()));
            // An existing file may be the supplier's own.
            let file = File::create_new(&path).map_err(Error::file("created", &path))?;
            TableWriter::new(format, Layout::exact(table), BufWriter::new(file))
                .map_err(Error::file("written", &path))
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
