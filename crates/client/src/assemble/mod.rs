//! `cutover-client assemble`: makes accounts of tables. Nothing is lost without a finding.

mod accounts;
mod convert;
mod files;
mod finding;
mod load;
mod mapping;
mod record;
mod rows;
mod sort;

pub(crate) use finding::{Findings, TableFinding};
pub(crate) use rows::TableInputs;

use crate::error::{Error, print_note};
use crate::exit::Exit;
use crate::expect::{ExpectOption, Expected};
use crate::output::grouped;
use accounts::{Accounts, Outputs};
use clap::Args;
use cutover_model::tables::Tables;
use load::Loader;
use mapping::Mapping;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// Options of `assemble`.
#[derive(Debug, Clone, Args)]
pub(crate) struct Options {
    /// Files of tables, or folders of them: .csv, .tsv, .ndjson, .jsonl, and .parquet if this build reads it
    ///
    /// A file belongs to the table with the longest name that its own name begins with. Their order does not matter.
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// What the tables and columns are called and how their values are written, as a TOML file
    #[arg(long, value_name = "FILE")]
    mapping: Option<PathBuf>,
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
}

/// Makes the accounts of tables.
///
/// # Errors
/// [`Error`] if a path does not exist, the mapping makes no sense, or an output cannot be written. A file that cannot be
/// read to its end is a finding.
pub(crate) fn run(options: &Options) -> Result<Exit, Error> {
    let tables = Tables::payload();
    let mapping =
        options.mapping.as_ref().map(|path| Mapping::read(path, &tables)).transpose()?.unwrap_or_default();
    let mut expected = options.expect.read()?;
    let (files, skipped) = files::find(&options.paths, &tables, &mapping)?;
    let outputs = [&options.out, &options.lineage, &options.findings];
    let is_input = |path: &&PathBuf| files.iter().any(|file| crate::input::is_same(path, &file.path));
    if let Some(path) = outputs.into_iter().flatten().find(is_input) {
        return Err(Error::refused(format!("{} is an input: it would be replaced", path.display())));
    }
    let mut findings = Findings::new(options.findings.as_deref())?;
    for file in &skipped {
        let detail = "its name begins with that of no table: it is not read".to_owned();
        findings.add(&TableFinding { file, kind: "unread_file", detail, ..TableFinding::default() })?;
    }
    let mut loader = Loader::new(&tables, &mapping);
    for file in &files {
        loader.file(file, &mut findings)?;
    }
    let Loader { sorter, files, rows, .. } = loader;
    let mut accounts = writer(options.out.as_deref())?;
    let mut lineage = options.lineage.as_deref().map(|path| writer(Some(path))).transpose()?;
    let to = Outputs {
        accounts: &mut accounts,
        lineage: lineage.as_mut().map(|lineage| lineage as &mut dyn Write),
        findings: &mut findings,
        expected: expected.as_mut(),
    };
    let count = Accounts::new(&tables, &files).write(sorter.finish()?, to)?;
    accounts.flush()?;
    lineage.map_or(Ok(()), |mut lineage| lineage.flush())?;
    if let Some(expected) = &expected {
        compare(expected, &mut findings)?;
    }
    findings.finish()?;
    print_note(&format_args!(
        "{} accounts of {} rows in {} files, {} findings",
        grouped(count),
        grouped(rows),
        grouped(files.len() as u64),
        grouped(findings.count)
    ));
    Ok(if findings.count == 0 { Exit::Success } else { Exit::Faulty })
}

/// Compares the rows with what the source system counted.
pub(crate) fn compare(expected: &Expected, findings: &mut Findings) -> Result<(), Error> {
    for difference in expected.differences() {
        findings.add(&TableFinding {
            file: expected.file(),
            column: difference.column.as_deref(),
            table: difference.table,
            kind: "not_as_expected",
            detail: difference.detail.clone(),
            ..TableFinding::default()
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
