use super::counts::{Counts, Sent};
use super::prepare::Prepared;
use super::sender::{Answer, BYTES, Batch, Event, LINES, MOST, Manner, Sender};
use super::summary::Summary;
use crate::error::{Error, tell};
use crate::input::{Place, Seen, Source};
use crate::interrupt::Stop;
use crate::journal::{Journal, Outcome, Places, Problem, Record};
use crate::output::grouped;
use crate::pipeline::{End, Listen};
use crate::progress::Progress;
use crate::report::Reports;
use crate::service::{self, Fault};
use crate::validate::{Example, Finding, INTERRUPTED, Repeated, Row, TopCodes, UNREADABLE};
use cutover_core::Level;
use cutover_model::Totals;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Where everything comes together: accounts of the inputs, answers of the service, journal, reports and sums.
pub(super) struct Desk<'s> {
    sources: &'s [Source],
    stop: Stop,
    sender: Sender,
    /// So many batches are under way at most: a bit more than requests, so that these need not wait.
    most: usize,
    /// So many lines make a batch.
    lines: usize,
    under_way: usize,
    batch: Batch,
    bytes: usize,
    fault: Option<Fault>,
    journal: Journal,
    dry_run: bool,
    reports: Reports,
    progress: Progress,
    repeated: Repeated,
    codes: TopCodes,
    files: u64,
    unreadable: u64,
    accounts: u64,
    warnings: u64,
    with_warnings: u64,
    counts: Counts,
    before: Counts,
    left_out: u64,
    /// The journal of earlier runs, where it was looked into.
    earlier: Option<Places>,
    sent: Sent,
}

/// The journal is kept up to date at least so often.
const TICK: Duration = Duration::from_millis(250);
/// After Ctrl-C what is under way may take so long.
const LAST: Duration = Duration::from_secs(10);

/// The code of what an earlier run was told and this one did not ask again.
const REFUSED_BEFORE: &str = "refused_in_an_earlier_run";
const REFUSED_BEFORE_DETAIL: &str =
    "The service refused it as it is. --retry-refused sends it again; `report` says why it was refused.";
/// The code of what is imported as it was before it was changed.
const OTHER_CONTENT: &str = "already_imported_with_other_content";
const OTHER_CONTENT_DETAIL: &str =
    "It was imported as an earlier run sent it; what was changed since is not imported, and not in the sums.";
const INTERRUPTED_DETAIL: &str = "The run was interrupted: not every account was sent.";

impl Listen<Prepared> for &mut Desk<'_> {
    fn see(&mut self, place: Place, seen: Seen<Prepared>) -> Result<(), Error> {
        match seen {
            Seen::Opened => {
                self.files += 1;
                Ok(())
            }
            Seen::Account(account) => self.account(account),
            Seen::TooLarge => self.account(Prepared::too_large(place)),
            Seen::Unreadable(why) => self.unreadable(place, &why),
        }
    }

    /// What has come is sent, and what is answered is written down, though the inputs take their time.
    fn idle(&mut self) -> Result<(), Error> {
        self.dispatch()
    }
}

impl<'s> Desk<'s> {
    pub(super) fn new(
        sources: &'s [Source],
        stop: Stop,
        sender: Sender,
        manner: &Manner,
        journal: Journal,
        reports: Reports,
        progress: Progress,
    ) -> Self {
        Self {
            sources,
            stop,
            sender,
            most: manner.connections + 1,
            lines: if manner.one_by_one { 1 } else { LINES },
            under_way: 0,
            batch: Vec::new(),
            bytes: 0,
            fault: None,
            dry_run: manner.dry_run,
            journal,
            reports,
            progress,
            repeated: Repeated::default(),
            codes: TopCodes::default(),
            files: 0,
            unreadable: 0,
            accounts: 0,
            warnings: 0,
            with_warnings: 0,
            counts: Counts::default(),
            before: Counts::default(),
            left_out: 0,
            earlier: None,
            sent: Sent::default(),
        }
    }

    fn file(&self, place: Place) -> &'s str {
        &self.sources[place.source as usize].name
    }

    fn unreadable(&mut self, place: Place, why: &str) -> Result<(), Error> {
        let file = self.file(place);
        self.progress.above(|| tell(&format_args!("{file} cannot be read: {why}")));
        self.unreadable += 1;
        self.reports.add(&Row::of_run(Some(file), UNREADABLE, why))
    }

    fn account(&mut self, mut account: Prepared) -> Result<(), Error> {
        self.accounts += 1;
        if self.stop.is_asked_for() {
            return Ok(());
        }
        if account.left_out {
            self.left_out += 1;
            return Ok(());
        }
        // One that is not sent is no first: what comes after it may be the account mended.
        let identity = account.checked.identity.as_ref().filter(|_| !account.checked.is_faulty());
        let first = identity.and_then(|identity| self.repeated.meet(identity, account.place));
        if let Some(first) = first {
            // Sent as well, it would be up to chance which of them counts.
            let finding = Finding::repeated(self.file(first), first.line);
            account.checked.findings.push(Finding { level: Level::Error, ..finding });
            self.findings(&account)?;
            self.counts.add(Outcome::Faulty);
            return Ok(());
        }
        self.findings(&account)?;
        match account.before {
            _ if account.body.is_some() => self.queue(account),
            Some(outcome) if outcome != Outcome::Faulty && !account.checked.is_faulty() => {
                self.answered_before(&account, outcome)
            }
            before => {
                self.counts.add(Outcome::Faulty);
                if before == Some(Outcome::Faulty) || account.print == 0 {
                    Ok(())
                } else {
                    self.record(&account, None)
                }
            }
        }
    }

    /// Takes up what the rules find.
    fn findings(&mut self, account: &Prepared) -> Result<(), Error> {
        let (checked, file, line) = (&account.checked, self.file(account.place), account.place.line);
        let warnings = checked.findings.iter().filter(|finding| finding.level == Level::Warning).count();
        self.warnings += warnings as u64;
        self.with_warnings += u64::from(warnings > 0);
        self.codes.add_all(checked, file, line);
        checked.findings.iter().try_for_each(|finding| self.reports.add(&finding.row(file, line, checked)))
    }

    fn answered_before(&mut self, account: &Prepared, outcome: Outcome) -> Result<(), Error> {
        self.counts.add(outcome);
        self.before.add(outcome);
        if outcome.is_there() {
            self.sent.add(account.totals);
            return Ok(());
        }
        self.problem(account, Level::Error, "non_field_errors", REFUSED_BEFORE, REFUSED_BEFORE_DETAIL)
    }

    /// Puts an account into the next batch.
    fn queue(&mut self, account: Prepared) -> Result<(), Error> {
        let bytes = account.body.as_ref().map_or(0, |body| body.len());
        if self.bytes + bytes > BYTES {
            self.dispatch()?;
        }
        self.bytes += bytes;
        self.batch.push(Arc::new(account));
        if self.batch.len() >= self.lines { self.dispatch() } else { Ok(()) }
    }

    /// Sends the batch as soon as there are not too many under way.
    fn dispatch(&mut self) -> Result<(), Error> {
        while self.under_way >= self.most && !self.stop.is_asked_for() {
            self.hear(TICK)?;
        }
        if let Some(fault) = &self.fault {
            return Err(fault.clone().into());
        }
        let batch = std::mem::take(&mut self.batch);
        self.bytes = 0;
        if !batch.is_empty() && !self.stop.is_asked_for() {
            self.under_way += 1;
            self.sender.send(batch)?;
        }
        self.hear(Duration::ZERO)
    }

    /// Takes up everything that has happened, waiting for something at most so long.
    fn hear(&mut self, wait: Duration) -> Result<(), Error> {
        let before = self.counts;
        let mut next = self.sender.events().recv_timeout(wait).ok();
        while let Some(event) = next {
            match event {
                Event::Answered(account, answer) => self.answered(&account, &answer)?,
                Event::Over => self.under_way -= 1,
                Event::Waiting(fault, wait) => self.progress.waits(fault.why(), wait),
                Event::Failed(fault) => {
                    self.fault.get_or_insert(fault);
                    self.sender.brake().pull();
                }
                Event::Look => {}
            }
            next = self.sender.events().try_recv().ok();
        }
        if self.counts != before {
            self.show();
        }
        self.journal.commit()
    }

    fn answered(&mut self, account: &Prepared, answer: &Answer) -> Result<(), Error> {
        if account.is_changed && answer.outcome == Outcome::AlreadyThere {
            return self.imported_otherwise(account);
        }
        self.counts.add(answer.outcome);
        if answer.outcome.is_there() {
            self.sent.add(account.totals);
        }
        self.record(account, Some(answer))?;
        answer.findings.iter().try_for_each(|found| {
            self.problem(account, Level::Error, &found.attr, &found.code, &found.detail)
        })
    }

    /// Takes up that an account was changed after the service had imported it. The earlier record stands.
    fn imported_otherwise(&mut self, account: &Prepared) -> Result<(), Error> {
        self.counts.add(Outcome::AlreadyThere);
        let totals = self.earlier_totals(account)?;
        self.sent.add(totals);
        let is_first = account.checked.findings.iter().all(|finding| finding.level != Level::Warning);
        self.warnings += 1;
        self.with_warnings += u64::from(is_first);
        self.problem(account, Level::Warning, "non_field_errors", OTHER_CONTENT, OTHER_CONTENT_DETAIL)
    }

    fn earlier_totals(&mut self, account: &Prepared) -> Result<Option<Totals>, Error> {
        let (Some(supplier), Some(number)) = (account.checked.supplier(), account.checked.number()) else {
            return Ok(None);
        };
        let places = match &mut self.earlier {
            Some(places) => places,
            none => none.insert(self.journal.places()?),
        };
        Ok(places.record(supplier, number)?.and_then(|record| record.totals?.totals()))
    }

    /// Takes up what is to be told of an account.
    fn problem(
        &mut self,
        account: &Prepared,
        level: Level,
        attr: &str,
        code: &str,
        detail: &str,
    ) -> Result<(), Error> {
        let (file, line, checked) = (self.file(account.place), account.place.line, &account.checked);
        self.codes.add(level, code.to_owned().into(), || Example {
            file: file.to_owned(),
            line,
            import_supplier: checked.supplier().map(str::to_owned),
            external_account_number: checked.number().map(str::to_owned),
            attr: attr.to_owned(),
        });
        self.reports.add(&Row {
            file: Some(file),
            line: Some(line),
            import_supplier: checked.supplier(),
            external_account_number: checked.number(),
            level: level.as_str(),
            attr: Some(attr),
            code,
            detail,
        })
    }

    /// Writes down what became of an account; without an answer, that it is faulty.
    fn record(&mut self, account: &Prepared, answer: Option<&Answer>) -> Result<(), Error> {
        let checked = &account.checked;
        let errors = match answer {
            Some(answer) => {
                let problem =
                    |f: &super::sender::Finding| Problem { attr: f.attr.clone(), code: f.code.clone() };
                answer.findings.iter().map(problem).collect()
            }
            None => {
                let errors = checked.findings.iter().filter(|finding| finding.level == Level::Error);
                let problem = |f: &Finding| Problem { attr: service::attr(&f.attr), code: f.code.to_owned() };
                errors.take(MOST).map(problem).collect()
            }
        };
        let outcome = answer.map_or(Outcome::Faulty, |answer| answer.outcome);
        self.journal.add(&Record {
            file: self.file(account.place).to_owned(),
            line: account.place.line,
            import_supplier: checked.supplier().map(str::to_owned),
            external_account_number: checked.number().map(str::to_owned),
            fingerprint: format!("{:016x}", account.print),
            outcome,
            status: answer.map(|answer| answer.status),
            errors,
            totals: account.totals.filter(|_| outcome.is_there()).map(Into::into),
        })
    }

    fn show(&self) {
        let counts = &self.counts;
        self.progress.done(counts.all(), self.accounts, || {
            let there = grouped(counts.accepted + counts.already_there);
            format!("{there} accounts accepted, {} not", grouped(counts.not_taken()))
        });
    }

    /// Waits for what is under way, ends journal and reports, and adds up. `run` is how the inputs ended.
    ///
    /// # Errors
    /// [`Error`] if something cannot be written, or the run ended by a fault that is not the service's.
    pub(super) fn end(mut self, run: Result<End, Error>, begun: Instant) -> Result<Summary, Error> {
        let mut interrupted = match run {
            Ok(end) => end == End::Stopped,
            Err(_) if self.fault.is_some() => false,
            Err(error) => return Err(error),
        };
        if self.fault.is_none() {
            let ended = self.dispatch();
            ended.or_else(|error| if self.fault.is_some() { Ok(()) } else { Err(error) })?;
        }
        self.wait()?;
        self.journal.sync()?;
        interrupted |= self.stop.is_asked_for();
        if interrupted {
            self.reports.add(&Row::of_run(None, INTERRUPTED, INTERRUPTED_DETAIL))?;
        }
        let summary = self.summary(interrupted, begun.elapsed());
        self.reports.finish(&summary.page())?;
        Ok(summary)
    }

    fn wait(&mut self) -> Result<(), Error> {
        let mut deadline = None;
        while self.under_way > 0 {
            self.hear(TICK)?;
            if self.stop.is_asked_for() || self.fault.is_some() {
                let deadline = *deadline.get_or_insert_with(|| Instant::now() + LAST);
                if Instant::now() >= deadline {
                    break;
                }
            }
        }
        Ok(())
    }

    fn summary(&self, interrupted: bool, time: Duration) -> Summary {
        Summary {
            interrupted,
            fault: self.fault.as_ref().map(|fault| fault.why().to_owned()),
            dry_run: self.dry_run,
            files: self.files,
            unreadable_files: self.unreadable,
            accounts: self.accounts,
            counts: self.counts,
            in_earlier_runs: self.before,
            left_out: self.left_out,
            not_sent: self.accounts - self.counts.all() - self.left_out,
            warnings: self.warnings,
            with_warnings: self.with_warnings,
            totals: self.sent,
            top_errors: self.codes.top(Level::Error),
            top_warnings: self.codes.top(Level::Warning),
            journal: self.journal.path().display().to_string(),
            milliseconds: u64::try_from(time.as_millis()).unwrap_or(u64::MAX),
        }
    }
}
