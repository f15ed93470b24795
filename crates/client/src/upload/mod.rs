//! `cutover-client upload`: sends every account of the inputs; running it again has no further effect. `send` does the same
//! with other requests.
//!
//! The workers of the pipeline check accounts and look them up in the journal. The caller's thread batches
//! them, hands the batches to the sender's thread, and records the answers. Before the first account and after the last
//! one it makes sure that the service still has what it accepted. Before the first one it also asks what became of what
//! earlier runs sent, and finds accounts that the inputs contain more than once.

mod counts;
mod dispatcher;
mod document;
mod documents;
mod findings;
mod lost;
mod options;
mod plan;
mod prepare;
mod queue;
mod recorder;
mod requests;
mod run;
mod sender;
mod sent;
mod shown;
mod standing;
mod summary;

pub(crate) use documents::DocumentOptions;
pub(crate) use options::Options;
pub(crate) use requests::RequestOptions;

use crate::assemble::{Inputs, Read, TableOptions};
use crate::copies::{Copies, account_hash};
use crate::error::{Error, print_error};
use crate::exit::Exit;
use crate::expect::{ExpectOption, Expected};
use crate::input::{Source, find_documents, is_same};
use crate::interrupt::StopFlag;
use crate::journal::{AcceptedAccounts, Journal, Subject};
use crate::output::print;
use crate::pipeline::Pipeline;
use crate::progress::Progress;
use crate::report::Reports;
use crate::request::Selection;
use crate::validate::{Checker, Settings, business_hash};
use chrono::{DateTime, Utc};
use document::Documents;
use lost::HistoryCheck;
use plan::Plan;
use prepare::Preparer;
use run::Run;
use sender::Sender;
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
    send_all(&options.plan()?, now)
}

/// Sends requests other than accounts in the same way.
///
/// # Errors
/// Same as [`run()`].
pub(crate) fn send(options: &RequestOptions, now: DateTime<Utc>) -> Result<Exit, Error> {
    send_all(&options.plan()?, now)
}

/// Sends documents in the same way.
///
/// # Errors
/// Same as [`run()`].
pub(crate) fn send_documents(options: &DocumentOptions, now: DateTime<Utc>) -> Result<Exit, Error> {
    send_all(&options.plan()?, now)
}

fn send_all(plan: &Plan<'_>, now: DateTime<Utc>) -> Result<Exit, Error> {
    let begun = Instant::now();
    let expected = plan.expect.map(ExpectOption::read).transpose()?.flatten();
    let settings = Arc::new(Settings::new(plan.rules, now, Some(plan.target.clone()))?);
    let path = &plan.journal;
    if plan.report.iter().any(|report| is_same(report, path)) {
        return Err(Error::refused(format!("{} is the journal: a report would replace it", path.display())));
    }
    let (inputs, documents) = inputs(plan)?;
    let service = plan.target.service()?;
    let subject = match plan.requests {
        Some(requests) => Subject::of_requests(service.name(), requests),
        None => Subject::new(service.name(), plan.sending.dry_run),
    };
    let (mut journal, index) = Journal::open(path, &subject)?;
    let staged = match &plan.staged {
        Some(path) => AcceptedAccounts::read(path, &Subject::new(service.name(), false))?,
        None => AcceptedAccounts::default(),
    };
    let reports = Reports::create(plan.report)?;
    let sender = Sender::start(service, &plan.sending)?;
    let pipeline = Pipeline::new();
    let cancel = sender.cancel_handle();
    pipeline.stop_on_signal(move || cancel.cancel())?;
    let Read { sources, tables } = inputs.read(pipeline.stop(), plan.quiet)?;
    let checker = Checker::new(settings.clone(), &sources, plan.rules.show_values)
        .counting(expected.as_ref().map(Expected::expectations));
    let mut history = HistoryCheck::new(plan.target, pipeline.stop(), plan.requests);
    let asked =
        history.begin(&settings, &mut journal).and_then(|()| match plan.again || plan.requests.is_some() {
            true => Ok(Ended::default()),
            false => {
                let suppliers = journal.histories().into_keys();
                Ended::read(plan.target, &pipeline.stop(), suppliers, &index, plan.sending.dry_run)
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
    let copies = copies(plan, &sources, pipeline.stop())?;
    let bytes = sources.iter().map(|source| source.bytes).sum();
    let progress = Progress::new(plan.quiet, bytes, pipeline.read());
    let lost = history.lost().clone();
    let (inputs, records) = ((&sources[..], &*settings, copies), (journal, history));
    let mut upload =
        Run::new(inputs, pipeline.stop(), sender, plan, records, reports, progress).comparing(expected);
    tables.map_or(Ok(()), |tables| upload.tables(tables))?;
    let preparer = Preparer {
        requests: plan.requests,
        documents,
        checker,
        index,
        staged,
        lost,
        ended,
        again: plan.again,
        retry_refused: plan.retry_refused,
        no_validate: plan.no_validate,
        dry_run: plan.sending.dry_run,
    };
    let end = pipeline.run(sources.clone(), plan.rules.workers(), preparer, &mut upload);
    let summary = upload.end(end, begun)?;
    if let Some(fault) = &summary.fault {
        print_error(fault);
    }
    print(&if plan.json { shown::json(&summary) } else { shown::text(&summary) })?;
    Ok(summary.exit())
}

/// The inputs, and what a run needs to read them as documents.
fn inputs(plan: &Plan<'_>) -> Result<(Inputs, Option<Documents>), Error> {
    let (Some(supplier), [folder]) = (plan.documents_of, plan.paths) else {
        let (written, default) = (plan.written(), TableOptions::default());
        let tables = plan.tables.unwrap_or(&default);
        let inputs = match plan.requests {
            Some(requests) => Inputs::find_requests(&[requests], plan.paths, &written, tables)?,
            None => Inputs::find(plan.paths, &written, tables)?,
        };
        return Ok((inputs, None));
    };
    let sources = find_documents(folder, &plan.written())?;
    let documents = Documents::new(supplier, folder, sources.clone()).map_err(Error::file("read", folder))?;
    Ok((Inputs::without_tables(sources), Some(documents)))
}

/// Finds what the inputs contain more than once. Accounts and businesses have identities, of which the last copy counts;
/// equal copies of other requests are one.
fn copies(plan: &Plan<'_>, sources: &[Source], stop: StopFlag) -> Result<Copies, Error> {
    let identify = match plan.requests {
        None => account_hash,
        Some(Selection::Businesses) => business_hash,
        Some(_) => return Ok(Copies::as_they_come()),
    };
    Copies::find(sources, identify, plan.rules.workers(), stop, plan.quiet)
}
