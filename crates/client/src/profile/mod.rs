//! `cutover-client profile`: what tables and accounts have: rows, and the values of each column.

mod accounts;
mod column;
mod distinct;
mod frequent;
mod page;
mod spread;
mod table;
mod text;
mod view;

use crate::assemble::{Findings, Inputs, TableOptions, compare};
use crate::error::Error;
use crate::exit::Exit;
use crate::expect::{ExpectOption, Expected};
use crate::interrupt::StopFlag;
use crate::output::{document, print};
use crate::pipeline::End;
use clap::Args;
use cutover_model::tables::{Cell, Tables};
use std::path::PathBuf;
use table::Profile;
use view::View;

/// Options of `profile`.
#[derive(Debug, Clone, Args)]
pub(crate) struct Options {
    /// Files of tables as for assemble, or of accounts as for validate, or folders of them; - is NDJSON on standard input
    ///
    /// A file is a table if it has the name of one; NDJSON also has to begin with a row.
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    #[command(flatten)]
    tables: TableOptions,
    #[command(flatten)]
    expect: ExpectOption,
    /// Print the profile as one JSON document
    #[arg(long, conflicts_with = "html")]
    json: bool,
    /// Write the profile as a page
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Write every finding about the inputs to a file, as NDJSON
    #[arg(long, value_name = "FILE")]
    findings: Option<PathBuf>,
}

/// Reads the inputs and shows what they have.
///
/// # Errors
/// [`Error`] if a path does not exist, the mapping makes no sense, or an output cannot be written. What cannot be read to its
/// end is a finding.
pub(crate) fn run(options: &Options) -> Result<Exit, Error> {
    let tables = Tables::payload();
    let inputs = Inputs::find(&options.paths, &[], &options.tables)?;
    let mut expected = options.expect.read()?;
    let mut findings = Findings::new(options.findings.as_deref())?;
    let mut seen = Seen { profile: Profile::new(&tables), expected: expected.as_mut() };
    let end = if inputs.are_tables()? {
        let stop = StopFlag::default();
        stop.on_signal(|| {})?;
        let row = |table, cells: &[Cell<'_>], is_first| seen.row(table, cells, is_first);
        inputs.rows(stop.clone(), &mut findings, row)?;
        if stop.is_set() { End::Stopped } else { End::Complete }
    } else {
        accounts::read(&options.paths, &tables, &mut findings, &mut seen)?
    };
    seen.profile.end_account();
    let mut view = View::of(&seen.profile, &tables);
    if let Some(expected) = expected.as_ref().filter(|_| end == End::Complete) {
        compare(expected, &mut findings)?;
        view.differences = Some(expected.differences());
    }
    findings.finish()?;
    (view.findings, view.interrupted) = (findings.count, end == End::Stopped);
    match &options.html {
        Some(path) => std::fs::write(path, page::page(&view)).map_err(Error::file("written", path))?,
        None if options.json => print(&document(&view))?,
        None => print(&text::text(&view))?,
    }
    Ok(match (end, findings.count) {
        (End::Stopped, _) => Exit::Interrupted,
        (End::Complete, 0) => Exit::Success,
        (End::Complete, _) => Exit::Faulty,
    })
}

/// The statistics of the rows so far.
struct Seen<'s> {
    profile: Profile<'s>,
    expected: Option<&'s mut Expected>,
}

impl Seen<'_> {
    /// Takes the next row; `is_first` is true for the first one of an account.
    fn row(&mut self, table: usize, cells: &[Cell<'_>], is_first: bool) {
        if is_first {
            self.profile.account();
        }
        self.profile.row(table, cells);
        if let Some(expected) = &mut self.expected {
            expected.row(table, cells);
        }
    }

    /// Takes an account that has no rows.
    fn uncounted(&mut self) {
        if let Some(expected) = &mut self.expected {
            expected.add(None);
        }
    }
}
