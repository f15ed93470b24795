//! `cutover-client documents`: `upload` is a run of [`crate::upload`]; `check` compares the documents that accounts name with a folder that is to become the part of
//! the storage of their supplier. The rules about documents are those of the service, with the folder as the storage.

mod folder;
mod options;
mod summary;

pub(crate) use options::{CheckOptions, Command};

use crate::error::{Error, print_error};
use crate::exit::Exit;
use crate::identity::Identity;
use crate::input::{InputEvent, Location, Source, find};
use crate::journal::fingerprint_of;
use crate::output::{grouped, print};
use crate::pipeline::{End, Pipeline, Worker};
use crate::progress::Progress;
use crate::report::{Reports, Row};
use crate::request::Kind;
use crate::validate::{Checked, Finding, INTERRUPTED, TopCodes, UNREADABLE};
use chrono::{DateTime, Utc};
use cutover_core::{Issue, Now, Zone};
use cutover_model::decode_account;
use cutover_rules::{DocumentState, Facts, Profile, check_account, documents_of_account};
use folder::Folder;
use std::collections::{HashMap, HashSet};
use summary::Summary;

/// Runs a command about documents. `now` is the current time.
///
/// # Errors
/// [`Error`] if the folder or an input does not exist, or a report cannot be written.
pub(crate) fn run(command: &Command, now: DateTime<Utc>) -> Result<Exit, Error> {
    match command {
        Command::Check(options) => check(options, now),
        Command::Upload(options) => crate::upload::send_documents(options, now),
    }
}

fn check(options: &CheckOptions, now: DateTime<Utc>) -> Result<Exit, Error> {
    let folder = Folder::open(&options.folder)?;
    let sources = find(&options.accounts, &options.report)?;
    let reports = Reports::create(&options.report)?;
    let pipeline = Pipeline::new();
    pipeline.stop_on_signal(|| {})?;
    let bytes = sources.iter().map(|source| source.bytes).sum();
    let progress = Progress::new(options.quiet, bytes, pipeline.read());
    let mut run = Run {
        sources: &sources,
        reports,
        progress,
        codes: TopCodes::default(),
        seen: HashSet::new(),
        summary: Summary::default(),
    };
    let checker = DocumentChecker { folder, now: Now::new(now, Zone::UTC) };
    let end = pipeline
        .run(sources.clone(), options.workers(), checker, |location, event| run.see(location, event))?;
    let summary = run.end(end)?;
    print(&if options.json { summary.json() } else { summary.text() })?;
    Ok(summary.exit())
}

/// Looks up the documents of accounts.
struct DocumentChecker {
    folder: Folder,
    now: Now,
}

/// A document that an account names.
struct Named {
    hash: u64,
    state: DocumentState,
}

impl Worker for DocumentChecker {
    type Output = (Checked, Vec<Named>);

    fn process(&self, location: Location, account: &[u8]) -> Self::Output {
        let account = account.trim_ascii();
        let fingerprint = fingerprint_of(account);
        let of = |identity, findings| Checked { identity, fingerprint, findings, ..Checked::default() };
        let decoded = match decode_account(account, Zone::UTC) {
            Ok(decoded) => decoded,
            Err(error) => return (of(None, vec![Finding::no_json(error, location.line)]), Vec::new()),
        };
        let wanted = decoded.draft.as_ref().map(documents_of_account).unwrap_or_default();
        let states: HashMap<String, DocumentState> = wanted
            .into_iter()
            .map(|document| (document.path.clone(), self.folder.state(&document)))
            .collect();
        let facts = Facts { documents: Some(&states), ..Facts::at(self.now) };
        let report = check_account(&decoded, facts, &Profile::default());
        let is_account = decoded.draft.as_ref().is_some_and(|request| request.account.usable().is_some());
        let issues = report.errors.into_iter().chain(report.warnings);
        let issues = issues.filter(|issue| is_of_document(issue) || hides_documents(issue, is_account));
        let findings = issues.map(Finding::from).collect();
        let named =
            states.iter().map(|(path, state)| Named { hash: fingerprint_of(path.as_bytes()), state: *state });
        (of(Identity::of(&decoded), findings), named.collect())
    }
}

fn is_of_document(issue: &Issue) -> bool {
    issue.rule.0.starts_with("DOC-")
}

/// The members with the path of a document.
const PATHS: [&str; 2] = ["notes.#.document_paths.#.document_path", "statements.#.statement_path"];

/// True if a value that may name documents cannot be read.
fn hides_documents(issue: &Issue, is_account: bool) -> bool {
    let attr = issue.attr.pattern();
    let is_below = |path: &str| matches!(path.strip_prefix(&attr), Some(rest) if rest.is_empty() || rest.starts_with('.'));
    issue.rule.0.starts_with("STR-") && (!is_account || PATHS.into_iter().any(is_below))
}

/// State of a run.
struct Run<'s> {
    sources: &'s [Source],
    reports: Reports,
    progress: Progress,
    codes: TopCodes,
    /// The documents that were named; one costs 10 to 20 bytes.
    seen: HashSet<u64>,
    summary: Summary,
}

impl Run<'_> {
    fn see(&mut self, location: Location, event: InputEvent<(Checked, Vec<Named>)>) -> Result<(), Error> {
        let file = &self.sources[location.source as usize].name;
        match event {
            InputEvent::Opened => self.summary.files += 1,
            InputEvent::Account((checked, named)) => self.account(location, &checked, &named)?,
            InputEvent::TooLarge => self.account(location, &Checked::too_large(Kind::Account), &[])?,
            InputEvent::Unreadable(why) => {
                self.progress.print_above(|| print_error(&format_args!("{file} cannot be read: {why}")));
                self.summary.unreadable_files += 1;
                self.reports.add(&Row::of_run(Some(file), UNREADABLE, &why))?;
            }
        }
        let summary = &self.summary;
        self.progress.checked(summary.accounts, || {
            format!("{} accounts, {} documents missing", grouped(summary.accounts), grouped(summary.missing))
        });
        Ok(())
    }

    fn account(&mut self, location: Location, checked: &Checked, named: &[Named]) -> Result<(), Error> {
        self.summary.accounts += 1;
        self.summary.faulty += u64::from(checked.is_faulty());
        for document in named.iter().filter(|document| self.seen.insert(document.hash)) {
            self.summary.documents += 1;
            self.summary.missing += u64::from(document.state == DocumentState::Missing);
        }
        let (file, line) = (&self.sources[location.source as usize].name, location.line);
        self.codes.add_all(checked, file, line);
        checked.findings.iter().try_for_each(|finding| self.reports.add(&checked.row(finding, file, line)))
    }

    fn end(mut self, end: End) -> Result<Summary, Error> {
        if end == End::Stopped {
            self.summary.interrupted = true;
            let why = "The run was interrupted: not every account was read.";
            self.reports.add(&Row::of_run(None, INTERRUPTED, why))?;
        }
        self.summary.causes = self.codes.causes();
        self.reports.finish(&self.summary.page())?;
        Ok(self.summary)
    }
}
