//! `cutover-client upload`: sends every account of the inputs; running it again has no further effect.
//!
//! The workers of the pipeline check accounts and look them up in the journal. The caller's thread batches
//! them, hands the batches to the sender's thread, and records the answers.

mod counts;
mod desk;
mod options;
mod prepare;
mod sender;
mod summary;

pub(crate) use options::Options;

use crate::error::{Error, tell};
use crate::exit::Exit;
use crate::input::{find, is_same};
use crate::journal::{Journal, Subject, There};
use crate::output::print;
use crate::pipeline::Pipeline;
use crate::progress::Progress;
use crate::report::Reports;
use crate::validate::Checker;
use chrono::{DateTime, Utc};
use desk::Desk;
use prepare::Preparer;
use sender::{Manner, Sender};
use std::time::Instant;

/// Sends the inputs, writes the reports and prints the summary. `now` is the time to check as of, unless the
/// options name another.
///
/// # Errors
/// [`Error`] if it cannot begin, or the journal or a report cannot be written. A fault of the service ends
/// the run, but with its summary.
pub(crate) fn run(options: &Options, now: DateTime<Utc>) -> Result<Exit, Error> {
    let begun = Instant::now();
    let checker = Checker::new(&options.rules, now)?;
    let path = options.journal()?;
    if options.report.iter().any(|report| is_same(report, &path)) {
        return Err(Error::refused(format!("{} is the journal: a report would replace it", path.display())));
    }
    let written: Vec<_> = options.report.iter().chain([&path]).cloned().collect();
    let sources = find(&options.paths, &written)?;
    let service = options.target.service()?;
    let (journal, index) = Journal::open(&path, &Subject::new(service.name(), options.dry_run))?;
    let staged = match options.staged() {
        Some(path) => There::read(&path, &Subject::new(service.name(), false))?,
        None => There::default(),
    };
    let reports = Reports::create(&options.report)?;
    let manner = Manner {
        one_by_one: options.one_by_one,
        connections: options.connections(),
        patience: options.patience(),
        dry_run: options.dry_run,
    };
    let sender = Sender::start(service, &manner)?;
    let pipeline = Pipeline::new();
    let brake = sender.brake();
    pipeline.stop_on_signal(move || brake.pull())?;
    let bytes = sources.iter().map(|source| source.bytes).sum();
    let progress = Progress::new(options.quiet, bytes, pipeline.read());
    let mut desk = Desk::new(&sources, pipeline.stop(), sender, &manner, journal, reports, progress);
    let preparer = Preparer {
        checker,
        index,
        staged,
        again: options.again,
        retry_refused: options.retry_refused,
        no_validate: options.no_validate,
        dry_run: options.dry_run,
    };
    let run = pipeline.run(sources.clone(), options.rules.workers(), preparer, &mut desk);
    let summary = desk.end(run, begun)?;
    if let Some(fault) = &summary.fault {
        tell(fault);
    }
    print(&if options.json { summary.json() } else { summary.text() })?;
    Ok(summary.exit())
}
