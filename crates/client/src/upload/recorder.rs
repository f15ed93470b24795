use super::prepare::Prepared;
use super::sender::{self, Answer, MAX_FINDINGS};
use crate::error::Error;
use crate::input::Source;
use crate::journal::{Journal, LatestRecords, Outcome, Problem, Record};
use crate::service;
use crate::validate::Finding;
use cutover_core::Level;
use cutover_model::Totals;

/// Writes the outcome of each account to the journal.
pub(super) struct Recorder<'s> {
    sources: &'s [Source],
    pub(super) journal: Journal,
    /// Records of earlier runs, read when first needed.
    earlier: Option<LatestRecords>,
}

impl<'s> Recorder<'s> {
    pub(super) fn new(sources: &'s [Source], journal: Journal) -> Self {
        Self { sources, journal, earlier: None }
    }

    /// Records an answer of the service.
    ///
    /// # Errors
    /// [`Error`] if the journal cannot be written.
    pub(super) fn answered(&mut self, account: &Prepared, answer: &Answer) -> Result<(), Error> {
        let problem = |f: &sender::Finding| Problem { attr: f.attr.clone(), code: f.code.clone() };
        let errors = answer.findings.iter().map(problem).collect();
        self.add(account, answer.outcome, Some(answer.status), errors)
    }

    /// Records that an account was not sent because it breaks the rules.
    ///
    /// # Errors
    /// [`Error`] if the journal cannot be written.
    pub(super) fn faulty(&mut self, account: &Prepared) -> Result<(), Error> {
        let errors = account.checked.findings.iter().filter(|finding| finding.level == Level::Error);
        let problem = |f: &Finding| Problem { attr: service::attr(&f.attr), code: f.code.to_owned() };
        let errors = errors.take(MAX_FINDINGS).map(problem).collect();
        self.add(account, Outcome::Faulty, None, errors)
    }

    fn add(
        &mut self,
        account: &Prepared,
        outcome: Outcome,
        status: Option<u16>,
        errors: Vec<Problem>,
    ) -> Result<(), Error> {
        let checked = &account.checked;
        let place = self.sources[account.location.source as usize].place(account.location.line);
        let line = place.line.and_then(|line| u32::try_from(line).ok());
        self.journal.add(&Record {
            file: place.file,
            line: line.unwrap_or(account.location.line),
            request: account.kind,
            import_supplier: checked.supplier().map(str::to_owned),
            external_account_number: checked.number().map(str::to_owned),
            fingerprint: format!("{:016x}", account.checked.fingerprint),
            outcome,
            status,
            errors,
            totals: account.totals.filter(|_| outcome.is_stored()).map(Into::into),
        })
    }

    /// Returns the control totals that an earlier run recorded for an account.
    ///
    /// # Errors
    /// [`Error`] if the journal cannot be read.
    pub(super) fn earlier_totals(&mut self, account: &Prepared) -> Result<Option<Totals>, Error> {
        let (Some(supplier), Some(number)) = (account.checked.supplier(), account.checked.number()) else {
            return Ok(None);
        };
        let earlier = match &mut self.earlier {
            Some(earlier) => earlier,
            none => none.insert(self.journal.latest_records()?),
        };
        Ok(earlier.get(supplier, number)?.and_then(|record| record.totals?.totals()))
    }
}
