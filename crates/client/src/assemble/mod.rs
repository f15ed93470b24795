//! `cutover-client assemble`: makes accounts of tables. Nothing is lost without a finding.

mod accounts;
mod assembly;
mod convert;
mod damage;
mod files;
mod finding;
mod inputs;
mod lineage;
mod load;
mod loaded;
mod make;
mod mapping;
mod options;
mod output;
mod record;
mod rows;
mod search;
mod sort;
mod stored;
mod watch;

pub use assembly::{Assembly, Made, MappingSource};
pub(crate) use convert::is_formula;
pub(crate) use finding::Findings;
pub(crate) use inputs::{Inputs, Read};
pub use lineage::{Lineage, MadeAccount};
pub(crate) use load::ACCOUNT;
pub(crate) use options::TableOptions;
pub(crate) use stored::{TableCounts, TablesRead};

use crate::error::{Error, print_note};
use crate::exit::Exit;
use crate::expect::{ExpectOption, Expected};
use crate::input::{self, is_same};
use crate::interrupt::StopFlag;
use crate::origin::TableFinding;
use crate::output::counted;
use clap::Args;
use cutover_core::Code;
use cutover_model::tables::{Row, Tables};
use files::{FoundFiles, TableFile};
use make::make;
use output::Output;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use watch::Watch;

/// Options of `assemble`.
#[derive(Debug, Clone, Args)]
pub(crate) struct Options {
    /// Files of tables, or folders of them: .csv, .tsv, .ndjson, .jsonl, and .parquet if this build reads it
    ///
    /// .gz and .zst of the first four are decompressed. A file belongs to the table with the longest name that its own name begins with. Their order does not matter.
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    #[command(flatten)]
    tables: TableOptions,
    /// Write the accounts to a file [default: standard output]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Write where each member of each account comes from: file, line and column, a line of JSON for each account
    #[arg(long, value_name = "FILE")]
    lineage: Option<PathBuf>,
    /// Write every finding to a file, as NDJSON
    #[arg(long, value_name = "FILE")]
    findings: Option<PathBuf>,
    #[command(flatten)]
    expect: ExpectOption,
    /// Show no progress bar
    #[arg(long, short)]
    quiet: bool,
}

/// Makes the accounts of tables.
///
/// # Errors
/// [`Error`] if a path does not exist, the mapping makes no sense, or an output cannot be written. A file that cannot be
/// read to its end is a finding.
pub(crate) fn run(options: &Options) -> Result<Exit, Error> {
    let tables = Tables::payload();
    let mapping = options.tables.read([&tables])?;
    let expected = options.expect.read()?;
    let FoundFiles { files, unread: not_read, skipped } = files::find(&options.paths, &tables, &mapping)?;
    options.refuse_outputs(&files)?;
    let mut to = options.open()?;
    if !skipped.is_empty() {
        print_note(&input::note(&skipped));
    }
    for file in &not_read {
        to.finding(&unread(file))?;
    }
    let stop = StopFlag::default();
    stop.on_signal(|| {})?;
    let bytes = files.iter().map(TableFile::bytes).sum();
    to.expected = expected;
    let mut to = Shown { to, watch: &Watch::new(options.quiet, bytes, stop) };
    let made = make((&tables, &mapping), &files, to.watch, &mut to)?;
    let is_stopped = to.watch.is_stopped();
    let findings = to.to.finish(is_stopped)?;
    print_note(&format_args!(
        "{} of {} in {}, {}{}",
        counted(made.accounts, "account"),
        counted(made.rows, "row"),
        counted(made.files.len() as u64, "file"),
        counted(findings, "finding"),
        if is_stopped { "; interrupted, so not all of them" } else { "" }
    ));
    Ok(match (is_stopped, findings) {
        (true, _) => Exit::Interrupted,
        (false, 0) => Exit::Success,
        (false, _) => Exit::Faulty,
    })
}

/// The finding about a file of a folder that belongs to no table.
fn unread(file: &str) -> TableFinding<'_> {
    let why = "its name does not begin with that of a table, or its format is not read";
    TableFinding::new(file, Code::UnreadFile, why)
}

impl Options {
    /// Refuses to replace an input, or an output with another.
    fn refuse_outputs(&self, files: &[TableFile]) -> Result<(), Error> {
        let outputs: Vec<&Path> =
            [&self.out, &self.lineage, &self.findings].into_iter().flatten().map(PathBuf::as_path).collect();
        let tables = files.iter().map(|file| &*file.path);
        let inputs = tables.chain(self.tables.mapping()).chain(self.expect.path());
        for input in inputs {
            if let Some(path) = outputs.iter().find(|path| is_same(path, input)) {
                let what = "is an input: it would be replaced";
                return Err(Error::refused(format!("{} {what}", path.display())));
            }
        }
        for (index, path) in outputs.iter().enumerate() {
            // Two outputs may go to a device or a pipe.
            let is_regular = std::fs::metadata(path).map_or(true, |metadata| metadata.is_file());
            if is_regular && outputs[..index].iter().any(|other| is_same(other, path)) {
                return Err(Error::refused(format!("{} is named for two outputs", path.display())));
            }
        }
        Ok(())
    }

    fn open(&self) -> Result<Written, Error> {
        Ok(Written {
            findings: Findings::new(self.findings.as_deref())?,
            accounts: writer(self.out.as_deref())?,
            lineage: self.lineage.as_deref().map(|path| writer(Some(path))).transpose()?,
            expected: None,
        })
    }
}

/// The outputs of the command.
struct Written {
    accounts: Box<dyn Write>,
    lineage: Option<Box<dyn Write>>,
    findings: Findings,
    /// What the source system counted, if that is compared.
    expected: Option<Expected>,
}

impl Output for Written {
    fn finding(&mut self, finding: &TableFinding<'_>) -> Result<(), Error> {
        self.findings.add(finding)
    }

    fn rows(&mut self, rows: &[Row<'_>]) {
        if let Some(expected) = &mut self.expected {
            rows.iter().for_each(|row| expected.row(row.table, &row.cells));
        }
    }

    fn account(&mut self, account: &MadeAccount<'_>) -> Result<(), Error> {
        self.accounts.write_all(account.json)?;
        self.accounts.write_all(b"\n")?;
        if let Some(lineage) = &mut self.lineage {
            serde_json::to_writer(&mut *lineage, &account.lineage()).map_err(io::Error::from)?;
            lineage.write_all(b"\n")?;
        }
        Ok(())
    }
}

impl Written {
    /// Compares the rows, unless the run was stopped, and completes the files. Returns the number of findings.
    fn finish(mut self, is_stopped: bool) -> Result<u64, Error> {
        self.accounts.flush()?;
        self.lineage.map_or(Ok(()), |mut lineage| lineage.flush())?;
        if let Some(expected) = self.expected.filter(|_| !is_stopped) {
            compare(&expected, &mut self.findings)?;
        }
        self.findings.finish()?;
        Ok(self.findings.count)
    }
}

/// The outputs beside a bar.
struct Shown<'w> {
    to: Written,
    watch: &'w Watch,
}

impl Output for Shown<'_> {
    fn finding(&mut self, finding: &TableFinding<'_>) -> Result<(), Error> {
        self.watch.print_above(|| self.to.finding(finding))
    }

    fn rows(&mut self, rows: &[Row<'_>]) {
        self.to.rows(rows);
    }

    fn account(&mut self, account: &MadeAccount<'_>) -> Result<(), Error> {
        self.to.account(account)
    }
}

/// Compares the rows with what the source system counted.
pub(crate) fn compare(expected: &Expected, findings: &mut Findings) -> Result<(), Error> {
    for difference in expected.differences() {
        findings.add(&TableFinding {
            column: difference.column.as_deref().map(Into::into),
            table: difference.table.map(Into::into),
            ..TableFinding::new(expected.file(), Code::NotAsExpected, &*difference.detail)
        })?;
    }
    Ok(())
}

/// A file, or standard output.
fn writer(path: Option<&Path>) -> Result<Box<dyn Write>, Error> {
    Ok(match path {
        Some(path) => Box::new(BufWriter::new(File::create(path).map_err(Error::file("written", path))?)),
        None => Box::new(BufWriter::new(io::stdout().lock())),
    })
}
