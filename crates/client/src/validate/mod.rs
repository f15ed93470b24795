//! `cutover-client validate`: checks every account of the inputs by the rules of the service, without the
//! service.

mod check;
mod finding;
mod options;
mod requests;
mod settings;
mod summary;
mod tally;
mod top;
mod validator;
mod values;
mod zones;

pub(crate) use check::{Checked, Checker};
pub use finding::Finding;
pub(crate) use options::{Options, Rules};
pub(crate) use requests::business_hash;
pub(crate) use settings::{Settings, history, installation};
use summary::Summary;
pub(crate) use summary::{not_compared, seconds};
pub(crate) use top::TopCodes;
pub use validator::Validator;
pub(crate) use zones::{SupplierZone, named};

use crate::across::Across;
use crate::assemble::{Inputs, Read, TablesRead};
use crate::copies::SeenAccounts;
use crate::error::{Error, print_error};
use crate::exit::Exit;
use crate::expect::{Difference, Expected};
use crate::identity::Identity;
use crate::input::{InputEvent, Location, Source};
use crate::output::{grouped, print};
use crate::pipeline::{End, Pipeline};
use crate::progress::Progress;
use crate::report::{Reports, Row};
use crate::request::Kind;
use chrono::{DateTime, Utc};
use cutover_core::Code;
use std::sync::Arc;
use std::time::Instant;
use tally::Tally;

/// Checks the inputs, writes the reports and prints the summary. `now` is the time to check as of, unless the
/// options name another.
///
/// # Errors
/// [`Error`] if an input does not exist, a report cannot be written, or an option makes no sense. An input
/// that turns out to be unreadable is reported, and the others are checked.
pub(crate) fn run(options: &Options, now: DateTime<Utc>) -> Result<Exit, Error> {
    let begun = Instant::now();
    let service = options.target.target().filter(|_| !options.rules.has_profile());
    let settings = Arc::new(Settings::new(&options.rules, now, service)?);
    let expected = options.expect.read()?;
    let inputs = Inputs::find(&options.paths, &options.report, &options.tables)?;
    let reports = Reports::create(&options.report)?;
    let pipeline = Pipeline::new();
    pipeline.stop_on_signal(|| {})?;
    let Read { sources, tables } = inputs.read(pipeline.stop(), options.quiet)?;
    let checker = Checker::new(settings.clone(), &sources, options.rules.show_values)
        .counting(expected.as_ref().map(Expected::expectations));
    let bytes = sources.iter().map(|source| source.bytes).sum();
    let progress = Progress::new(options.quiet, bytes, pipeline.read());
    let mut run = Run { expected, ..Run::new(&sources, &settings, reports, progress) };
    tables.map_or(Ok(()), |tables| run.tables(tables))?;
    let end = pipeline
        .run(sources.clone(), options.rules.workers(), checker, |location, seen| run.see(location, seen))?;
    let summary = run.end(end, begun)?;
    print(&if options.json { summary.json() } else { summary.text() })?;
    Ok(summary.exit())
}

/// State of a run.
struct Run<'s> {
    sources: &'s [Source],
    settings: &'s Settings,
    tally: Tally,
    seen: SeenAccounts,
    across: Across,
    expected: Option<Expected>,
    reports: Reports,
    progress: Progress,
}

impl<'s> Run<'s> {
    fn new(sources: &'s [Source], settings: &'s Settings, reports: Reports, progress: Progress) -> Self {
        let (tally, seen, across) = (Tally::default(), SeenAccounts::default(), Across::default());
        Self { sources, settings, tally, seen, across, expected: None, reports, progress }
    }

    /// Takes what was found about tables and no account.
    fn tables(&mut self, mut tables: TablesRead) -> Result<(), Error> {
        self.tally.tables(tables.counts);
        tables.each_finding(|finding| {
            let (attr, origin) = (finding.attr(), finding.origin());
            let row = Row::of_table(finding, attr.as_deref(), &origin);
            self.tally.table_finding(&row);
            self.reports.add(&row)
        })
    }

    /// Handles the next event, in the order of the inputs.
    fn see(&mut self, location: Location, seen: InputEvent<Checked>) -> Result<(), Error> {
        match seen {
            InputEvent::Opened => self.tally.files += 1,
            InputEvent::Account(checked) => self.account(location, checked)?,
            InputEvent::TooLarge => {
                let source = &self.sources[location.source as usize];
                self.account(location, Checked::too_large(Kind::Account).located(source, location.line))?;
            }
            InputEvent::Unreadable(why) => self.unreadable(location, &why)?,
        }
        let tally = &self.tally;
        self.progress.checked(tally.accounts, || {
            format!("{} accounts, {} faulty", grouped(tally.accounts), grouped(tally.faulty))
        });
        Ok(())
    }

    fn account(&mut self, location: Location, mut checked: Checked) -> Result<(), Error> {
        self.settings.check()?;
        let account = checked.identity.as_ref().and_then(Identity::hash);
        let earlier = account.and_then(|account| self.seen.see(account, location, checked.fingerprint));
        match earlier {
            Some(earlier) => {
                let copy = Finding::copy(Kind::Account, earlier, self.sources);
                let source = &self.sources[location.source as usize];
                checked.findings.push(copy.located(source, location.line));
            }
            None => {
                let in_common = self.across.see(&checked.compared, checked.identity.as_ref(), location);
                let in_common = in_common.into_iter().map(|found| Finding::in_common(found, self.sources));
                let source = &self.sources[location.source as usize];
                checked.findings.extend(in_common.map(|found| found.located(source, location.line)));
                if let Some(expected) = &mut self.expected {
                    expected.add(checked.counts.as_ref());
                }
            }
        }
        let file = &self.sources[location.source as usize].name;
        self.tally.account(&checked, file, location.line);
        self.report(&checked, location)
    }

    fn report(&mut self, checked: &Checked, location: Location) -> Result<(), Error> {
        let file = &self.sources[location.source as usize].name;
        let mut findings = checked.findings.iter();
        findings.try_for_each(|finding| self.reports.add(&checked.row(finding, file, location.line)))
    }

    /// Adds what many accounts have in common.
    fn shared_births(&mut self) -> Result<(), Error> {
        for shared in self.across.shared_births() {
            let (at, checked) = (
                shared.first.location,
                Checked::shared_birth(&shared, self.sources, self.settings.show_values()),
            );
            self.tally.across(&checked, &self.sources[at.source as usize].name, at.line);
            self.report(&checked, at)?;
        }
        Ok(())
    }

    fn unreadable(&mut self, location: Location, why: &str) -> Result<(), Error> {
        let file = &self.sources[location.source as usize].name;
        self.progress.print_above(|| print_error(&format_args!("{file} cannot be read: {why}")));
        self.tally.unreadable += 1;
        self.reports.add(&Row::of_run(Some(file), UNREADABLE, why))
    }

    /// Compares the inputs with what was expected, if they were read to their end.
    fn differences(&mut self, end: End) -> Result<Option<Vec<Difference>>, Error> {
        let Some(expected) = self.expected.as_ref().filter(|_| end == End::Complete) else { return Ok(None) };
        let differences = expected.differences();
        for difference in &differences {
            self.reports.add(&Row::of_run(Some(expected.file()), Code::NotAsExpected, &difference.detail))?;
        }
        Ok(Some(differences))
    }

    /// Completes the reports and returns the summary.
    fn end(mut self, end: End, begun: Instant) -> Result<Summary, Error> {
        self.shared_births()?;
        if end == End::Stopped {
            self.reports.add(&Row::of_run(None, INTERRUPTED, INTERRUPTED_DETAIL))?;
        }
        let differences = self.differences(end)?;
        let summary = Summary {
            not_compared: self.across.not_compared(),
            differences,
            ..self.tally.summary(end == End::Stopped, self.settings.zones(), begun.elapsed())
        };
        self.reports.finish(&summary.page())?;
        Ok(summary)
    }
}

/// Code of an input that could not be read, or not to its end.
pub(crate) const UNREADABLE: Code = Code::UnreadableInput;
/// Code of the last row of a report of an interrupted run.
pub(crate) const INTERRUPTED: Code = Code::RunInterrupted;
const INTERRUPTED_DETAIL: &str = "The run was interrupted: later accounts were not checked.";
