use super::counts::Tally;
use super::dispatcher::Dispatcher;
use super::findings::Findings;
use super::lost::{HistoryCheck, Lost};
use super::plan::Plan;
use super::prepare::Prepared;
use super::queue::BatchQueue;
use super::recorder::Recorder;
use super::sender::{Answer, Event, Sender};
use super::shown;
use super::summary::Summary;
use crate::across::Across;
use crate::assemble::TablesRead;
use crate::copies::Copies;
use crate::error::{Error, print_error};
use crate::expect::{Difference, Expected};
use crate::input::{InputEvent, Location, Source};
use crate::interrupt::StopFlag;
use crate::journal::{Journal, Outcome};
use crate::output::grouped;
use crate::pipeline::{End, Listener};
use crate::progress::Progress;
use crate::report::Reports;
use crate::request::{Kind, Selection};
use crate::service::Fault;
use crate::validate::{Checked, Finding, Settings};
use cutover_core::State;
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

/// An upload in progress: queues the checked accounts of the pipeline and handles the answers of the service.
pub(super) struct Run<'s> {
    sources: &'s [Source],
    settings: &'s Settings,
    stop: StopFlag,
    dry_run: bool,
    /// What is sent, if not accounts.
    requests: Option<Selection>,
    history: HistoryCheck<'s>,
    /// Suppliers of accounts that the service accepted in this run.
    stored: BTreeSet<String>,
    copies: Copies,
    across: Across,
    /// What the source system counted, if that is compared.
    expected: Option<Expected>,
    queue: BatchQueue,
    dispatcher: Dispatcher,
    recorder: Recorder<'s>,
    findings: Findings<'s>,
    tally: Tally,
    progress: Progress,
}

/// Maximum time between two commits of the journal while the run waits for answers.
const TICK: Duration = Duration::from_millis(250);
/// Time that requests in flight have to end after Ctrl-C or a permanent fault.
const GRACE: Duration = Duration::from_secs(10);

impl Listener<Prepared> for &mut Run<'_> {
    fn on_event(&mut self, location: Location, event: InputEvent<Prepared>) -> Result<(), Error> {
        match event {
            InputEvent::Opened => {
                self.tally.files += 1;
                Ok(())
            }
            InputEvent::Account(account) => self.account(account),
            InputEvent::TooLarge => {
                let kind = self.requests.map_or(Kind::Account, |requests| requests.kind_of(b""));
                let mut account = Prepared::too_large(kind, location);
                let source = &self.sources[location.source as usize];
                account.checked = account.checked.located(source, location.line);
                self.account(account)
            }
            InputEvent::Unreadable(reason) => self.unreadable(location, &reason),
        }
    }

    /// Sends and records what there is, because the next input may take long.
    fn on_idle(&mut self) -> Result<(), Error> {
        self.dispatch()
    }
}

impl<'s> Run<'s> {
    pub(super) fn new(
        (sources, settings, copies): (&'s [Source], &'s Settings, Copies),
        stop: StopFlag,
        sender: Sender,
        plan: &Plan<'_>,
        (journal, history): (Journal, HistoryCheck<'s>),
        reports: Reports,
        progress: Progress,
    ) -> Self {
        Self {
            sources,
            settings,
            stop,
            dry_run: plan.sending.dry_run,
            requests: plan.requests,
            history,
            stored: BTreeSet::new(),
            copies,
            across: Across::default(),
            expected: None,
            queue: BatchQueue::new(plan.sending.one_by_one),
            dispatcher: Dispatcher::new(sender, plan.sending.connections),
            recorder: Recorder::new(sources, journal),
            findings: Findings::new(sources, reports),
            tally: Tally::default(),
            progress,
        }
    }

    /// The same, which also compares the inputs with what the source system counted.
    pub(super) fn comparing(self, expected: Option<Expected>) -> Self {
        Self { expected, ..self }
    }

    /// Takes what was found about tables and no account.
    ///
    /// # Errors
    /// [`Error`] if a report cannot be written.
    pub(super) fn tables(&mut self, mut tables: TablesRead) -> Result<(), Error> {
        self.tally.files += tables.counts.files;
        self.tally.tables = Some(tables.counts);
        tables.each_finding(|finding| self.findings.table(finding))
    }

    fn file(&self, location: Location) -> &'s str {
        &self.sources[location.source as usize].name
    }

    fn unreadable(&mut self, location: Location, reason: &str) -> Result<(), Error> {
        let file = self.file(location);
        self.progress.print_above(|| print_error(&format_args!("{file} cannot be read: {reason}")));
        self.tally.unreadable_files += 1;
        self.findings.unreadable(file, reason)
    }

    fn account(&mut self, mut account: Prepared) -> Result<(), Error> {
        self.tally.accounts += 1;
        if self.stop.is_set() {
            return Ok(());
        }
        if let Err(error) = self.settings.check() {
            // Answers to requests in flight are recorded, and the summary is printed.
            self.dispatcher.fail(Fault::permanent(error.to_string()));
            return Err(error);
        }
        if let Some(supplier) = account.checked.supplier() {
            self.recorder.journal.bind(self.settings.installation())?;
            if account.kind != Kind::Document {
                self.begin_history(supplier)?;
            }
        }
        if account.left_out {
            self.count(&account);
            self.tally.left_out += 1;
            return Ok(());
        }
        let Checked { identity, fingerprint, compared, findings, .. } = &mut account.checked;
        let occurrence = self.copies.see(account.identity, account.location, *fingerprint);
        if account.kind.is_account() && occurrence.earlier.is_none() {
            let in_common = self.across.see(compared, identity.as_ref(), account.location);
            let Location { source, line } = account.location;
            let in_common = in_common.into_iter().map(|found| Finding::in_common(found, self.sources));
            findings.extend(in_common.map(|found| found.located(&self.sources[source as usize], line)));
        }
        self.findings.rules(&account)?;
        if account.kind == Kind::Document && account.is_changed {
            self.findings.changed_since_sent(&account)?;
        }
        if let Some(earlier) = occurrence.earlier {
            self.tally.differing += u64::from(earlier.differs);
            self.findings.copy(&account, earlier)?;
        }
        if !occurrence.counts {
            // If both were sent, chance would decide which one is imported.
            self.tally.repeated += 1;
            return Ok(());
        }
        self.count(&account);
        self.count_again(&account);
        match account.earlier {
            _ if account.body.is_some() => self.queue(account),
            _ if account.ended == Some(State::Cancelled) => {
                self.tally.counts.cancelled += 1;
                self.findings.cancelled(&account)
            }
            Some(outcome) if outcome != Outcome::Faulty && !account.checked.is_faulty() => {
                self.answered_before(&account, outcome)
            }
            earlier => {
                self.tally.counts.add(Outcome::Faulty);
                if earlier == Some(Outcome::Faulty) || account.checked.fingerprint == 0 {
                    Ok(())
                } else {
                    self.recorder.faulty(&account)
                }
            }
        }
    }

    /// Counts an account that an earlier run sent and this one may send again.
    fn count_again(&mut self, account: &Prepared) {
        let is_sent = u64::from(account.body.is_some());
        match account.earlier {
            Some(Outcome::Refused) => self.tally.refused_again += is_sent,
            _ if account.ended.is_some() => self.tally.errored_again += is_sent,
            // With --again.
            Some(earlier) if earlier.is_stored() && account.lost.is_none() => {
                self.tally.sent_again += is_sent
            }
            _ => {}
        }
        if let Some(lost) = account.lost {
            self.tally.lost += 1;
            self.tally.missing_found += u64::from(lost == Lost::Missing);
            self.tally.sent_again += is_sent;
        }
    }

    /// Notes the history of the service's database before the first account of a supplier is sent.
    fn begin_history(&mut self, supplier: &str) -> Result<(), Error> {
        if self.recorder.journal.has_history(supplier) {
            return Ok(());
        }
        let history = self.settings.history(supplier)?;
        history.map_or(Ok(()), |history| self.recorder.journal.add_history(supplier, &history))
    }

    fn answered_before(&mut self, account: &Prepared, outcome: Outcome) -> Result<(), Error> {
        self.tally.counts.add(outcome);
        self.tally.in_earlier_runs.add(outcome);
        if outcome.is_stored() {
            self.tally.stored.add(account.totals);
            return Ok(());
        }
        self.tally.refused_before += 1;
        self.findings.refused_before(account)
    }

    fn queue(&mut self, account: Prepared) -> Result<(), Error> {
        if self.queue.would_overflow(&account) {
            self.dispatch()?;
        }
        self.queue.push(account);
        if self.queue.is_full() { self.dispatch() } else { Ok(()) }
    }

    /// Sends the queued batch as soon as few enough are in flight.
    fn dispatch(&mut self) -> Result<(), Error> {
        while self.dispatcher.is_saturated() && !self.stop.is_set() {
            self.handle_events(TICK)?;
        }
        if let Some(fault) = self.dispatcher.fault() {
            return Err(fault.clone().into());
        }
        let batch = self.queue.take();
        if !batch.is_empty() && !self.stop.is_set() {
            self.dispatcher.send(batch)?;
        }
        self.handle_events(Duration::ZERO)
    }

    /// Handles all events of the sender, and waits for the first one.
    fn handle_events(&mut self, wait: Duration) -> Result<(), Error> {
        let before = self.tally.counts;
        let mut next = self.dispatcher.wait_event(wait);
        while let Some(event) = next {
            match event {
                Event::Answered(account, answer) => self.answered(&account, &answer)?,
                Event::BatchEnded => self.dispatcher.batch_ended(),
                Event::Waiting(fault, wait) => self.progress.waits(fault.why(), wait),
                Event::Failed(fault) => self.dispatcher.fail(fault),
                Event::Wake => {}
            }
            next = self.dispatcher.next_event();
        }
        if self.tally.counts != before {
            self.show_progress();
        }
        self.recorder.journal.commit()
    }

    fn answered(&mut self, account: &Prepared, answer: &Answer) -> Result<(), Error> {
        if account.kind.is_account() && account.is_changed && answer.outcome == Outcome::AlreadyThere {
            return self.changed_after_import(account);
        }
        self.tally.counts.add(answer.outcome);
        self.tally.items.added += answer.items.added;
        self.tally.items.already_there += answer.items.already_there;
        if answer.outcome.is_stored() {
            self.tally.stored.add(account.totals);
            // Documents are not in the database.
            self.note_stored(account.checked.supplier().filter(|_| account.kind != Kind::Document));
        }
        self.recorder.answered(account, answer)?;
        self.findings.refused(account, &answer.findings)
    }

    fn note_stored(&mut self, supplier: Option<&str>) {
        if let Some(new) = supplier.filter(|supplier| !self.stored.contains(*supplier)) {
            self.stored.insert(new.to_owned());
        }
    }

    /// Keeps the earlier record of an account that was changed after its import.
    fn changed_after_import(&mut self, account: &Prepared) -> Result<(), Error> {
        self.tally.counts.add(Outcome::AlreadyThere);
        let totals = self.recorder.earlier_totals(account)?;
        self.tally.stored.add(totals);
        self.findings.changed_after_import(account)
    }

    /// Counts an account, of copies the one that counts.
    fn count(&mut self, account: &Prepared) {
        if let Some(expected) = &mut self.expected {
            expected.add(account.checked.counts.as_ref());
        }
    }

    /// Compares the inputs with what was expected.
    fn differences(&mut self) -> Result<Option<Vec<Difference>>, Error> {
        let Some(expected) = &self.expected else { return Ok(None) };
        let differences = expected.differences();
        for difference in &differences {
            self.findings.not_as_expected(expected.file(), &difference.detail)?;
        }
        Ok(Some(differences))
    }

    fn show_progress(&self) {
        let counts = &self.tally.counts;
        self.progress.done(counts.all(), self.tally.accounts, || {
            let stored = grouped(counts.accepted + counts.already_there);
            let what = match self.requests {
                Some(Selection::Documents) => "documents",
                Some(_) => "requests",
                None => "accounts",
            };
            format!("{stored} {what} accepted, {} not", grouped(counts.not_taken()))
        });
    }

    /// Waits for the batches in flight, completes journal and reports, and returns the summary. `run` is the
    /// result of the pipeline.
    ///
    /// # Errors
    /// [`Error`] if a file cannot be written, or the pipeline failed other than by a fault of the service.
    pub(super) fn end(mut self, run: Result<End, Error>, begun: Instant) -> Result<Summary, Error> {
        let mut interrupted = match run {
            Ok(end) => end == End::Stopped,
            Err(_) if self.dispatcher.fault().is_some() => false,
            Err(error) => return Err(error),
        };
        if self.dispatcher.fault().is_none() {
            let ended = self.dispatch();
            ended.or_else(|error| if self.dispatcher.fault().is_some() { Ok(()) } else { Err(error) })?;
        }
        self.drain()?;
        self.recorder.journal.sync()?;
        interrupted |= self.stop.is_set();
        if !interrupted && self.dispatcher.fault().is_none() {
            self.end_histories()?;
        }
        for shared in self.across.shared_births() {
            self.findings.shared_birth(&shared, self.settings.show_values())?;
        }
        if interrupted {
            self.findings.interrupted()?;
        }
        // If the run ended early, accounts are missing that the inputs have.
        let is_whole = !interrupted && self.dispatcher.fault().is_none();
        let differences = if is_whole { self.differences()? } else { None };
        let summary = Summary { differences, ..self.summary(interrupted, begun.elapsed()) };
        self.findings.finish(&shown::page(&summary))?;
        Ok(summary)
    }

    /// Makes sure that the service has what it accepted, also in this run.
    fn end_histories(&mut self) -> Result<(), Error> {
        let lost = self.history.lost().clone();
        self.tally.missing = lost.missing() - self.tally.missing_found;
        let is_complete = self.tally.lost == lost.len();
        for supplier in &self.stored | &lost.suppliers {
            match self.history.end(self.settings, &mut self.recorder.journal, &supplier, is_complete) {
                Ok(lost) => self.tally.lost_meanwhile += lost,
                Err(Error::Service(why)) => self.dispatcher.fail(Fault::permanent(why)),
                Err(error) => return Err(error),
            }
        }
        self.recorder.journal.sync()
    }

    /// Handles events until no batch is in flight.
    fn drain(&mut self) -> Result<(), Error> {
        let mut deadline = None;
        while !self.dispatcher.is_idle() {
            self.handle_events(TICK)?;
            if self.stop.is_set() || self.dispatcher.fault().is_some() {
                let deadline = *deadline.get_or_insert_with(|| Instant::now() + GRACE);
                if Instant::now() >= deadline {
                    break;
                }
            }
        }
        Ok(())
    }

    fn summary(&self, interrupted: bool, time: Duration) -> Summary {
        let tally = &self.tally;
        Summary {
            requests: self.requests,
            items: tally.items,
            interrupted,
            fault: self.dispatcher.fault().map(|fault| fault.why().to_owned()),
            dry_run: self.dry_run,
            files: tally.files,
            tables: tally.tables,
            unreadable_files: tally.unreadable_files,
            accounts: tally.accounts,
            counts: tally.counts,
            in_earlier_runs: tally.in_earlier_runs,
            sent_again: tally.sent_again,
            errored_again: tally.errored_again,
            refused_again: tally.refused_again,
            refused_before: tally.refused_before,
            repeated: tally.repeated,
            differing: tally.differing,
            missing: tally.missing,
            lost: tally.lost_meanwhile,
            left_out: tally.left_out,
            not_sent: tally.accounts - tally.counts.all() - tally.left_out - tally.repeated,
            warnings: self.findings.warnings,
            with_warnings: self.findings.with_warnings,
            warnings_across_accounts: self.findings.across,
            not_compared: self.across.not_compared(),
            differences: None,
            totals: tally.stored,
            causes: self.findings.causes(),
            time_zones: self.settings.zones(),
            journal: self.recorder.journal.path().display().to_string(),
            milliseconds: u64::try_from(time.as_millis()).unwrap_or(u64::MAX),
        }
    }
}
