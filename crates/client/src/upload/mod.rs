//! `cutover-client upload`: sends every account of the inputs; running it again has no further effect.
//!
//! The workers of the pipeline check accounts and look them up in the journal. The caller's thread batches
//! them, hands the batches to the sender's thread, and records the answers. Before the first account and after the last
//! one it makes sure that the service still has what it accepted. Before the first one it also asks what became of what
//! earlier runs sent, and finds accounts that the inputs contain more than once.

mod counts;
mod dispatcher;
mod findings;
mod lost;
mod options;
mod prepare;
mod queue;
mod recorder;
mod run;
mod sender;
mod standing;
mod summary;

pub(crate) use options::Options;

use crate::copies::Copies;
use crate::error::{Error, print_error};
use crate::exit::Exit;
use crate::input::{find, is_same};
use crate::journal::{AcceptedAccounts, Journal, Subject};
use crate::output::print;
use crate::pipeline::Pipeline;
use crate::progress::Progress;
use crate::report::Reports;
use crate::validate::{Checker, Settings};
use chrono::{DateTime, Utc};
use lost::HistoryCheck;
use prepare::Preparer;
use run::Run;
use sender::{SendOptions, Sender};
use standing::Ended;
use std::sync::Arc;
use std::time::Instant;

/// Sends the inputs, writes the reports and prints the summary. `now` is the time to check as of, unless the
/// options name another.
///
/// # Errors
/// [`Error`] if it cannot begin, or the journal or a report cannot be written. A fault of the service ends
/// the run, but with its summary.
pub(crate) fn run(options: &Options, now: DateTime<Utc>) -> Result<Exit, Error> {
    let begun = Instant::now();
    let settings = Arc::new(Settings::new(&options.rules, now, Some(options.target.clone()))?);
    let checker = Checker::new(settings.clone(), options.rules.show_values);
    let path = options.journal()?;
    if options.report.iter().any(|report| is_same(report, &path)) {
        return Err(Error::refused(format!("{} is the journal: a report would replace it", path.display())));
    }
    let written: Vec<_> = options.report.iter().chain([&path]).cloned().collect();
    let sources = find(&options.paths, &written)?;
    let service = options.target.service()?;
    let (mut journal, index) = Journal::open(&path, &Subject::new(service.name(), options.dry_run))?;
    let staged = match options.staged() {
        Some(path) => AcceptedAccounts::read(&path, &Subject::new(service.name(), false))?,
        None => AcceptedAccounts::default(),
    };
    let reports = Reports::create(&options.report)?;
    let send_options = SendOptions {
        one_by_one: options.one_by_one,
        connections: options.connections(),
        patience: options.patience(),
        dry_run: options.dry_run,
    };
    let sender = Sender::start(service, &send_options)?;
    let pipeline = Pipeline::new();
    let cancel = sender.cancel_handle();
    pipeline.stop_on_signal(move || cancel.cancel())?;
    let mut history = HistoryCheck::new(&options.target, pipeline.stop());
    let asked = history.begin(&settings, &mut journal).and_then(|()| match options.again {
        true => Ok(Ended::default()),
        false => {
            let suppliers = journal.histories().into_keys();
            Ended::read(&options.target, &pipeline.stop(), suppliers, &index, options.dry_run)
        }
    });
    let ended = match asked {
        // The first account ends the run, so that there is a summary.
        Err(error @ Error::Service(_)) => {
            settings.fail(&error);
            Ended::default()
        }
        asked => asked?,
    };
    let copies = Copies::find(&sources, options.rules.workers(), pipeline.stop(), options.quiet)?;
    let bytes = sources.iter().map(|source| source.bytes).sum();
    let progress = Progress::new(options.quiet, bytes, pipeline.read());
    let lost = history.lost().clone();
    let (inputs, records) = ((&sources[..], &*settings, copies), (journal, history));
    let mut upload = Run::new(inputs, pipeline.stop(), sender, &send_options, records, reports, progress);
    let preparer = Preparer {
        checker,
        index,
        staged,
        lost,
        ended,
        again: options.again,
        retry_refused: options.retry_refused,
        no_validate: options.no_validate,
        dry_run: options.dry_run,
    };
    let end = pipeline.run(sources.clone(), options.rules.workers(), preparer, &mut upload);
    let summary = upload.end(end, begun)?;
    if let Some(fault) = &summary.fault {
        print_error(fault);
    }
    print(&if options.json { summary.json() } else { summary.text() })?;
    Ok(summary.exit())
}
