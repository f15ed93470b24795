use super::prepare::Prepared;
use super::sender;
use crate::across::SharedBirth;
use crate::copies::Earlier;
use crate::error::Error;
use crate::input::Source;
use crate::origin::TableFinding;
use crate::report::{Causes, Page, Reports, Row};
use crate::validate::{Checked, Finding, INTERRUPTED, TopCodes, UNREADABLE};
use cutover_core::{Code, Level, NON_FIELD_ERRORS};

/// Writes findings to the reports and counts them.
pub(super) struct Findings<'s> {
    sources: &'s [Source],
    reports: Reports,
    codes: TopCodes,
    pub(super) warnings: u64,
    /// Number of accounts with a warning.
    pub(super) with_warnings: u64,
    /// Number of warnings that are about many accounts; `warnings` includes them.
    pub(super) across: u64,
}

/// Code of an account that an earlier run was refused and this one did not send again.
const REFUSED_BEFORE: Code = Code::RefusedInAnEarlierRun;
const REFUSED_BEFORE_DETAIL: &str =
    "The service would refuse it again as it is. --retry-refused sends it all the same; `report` says why.";
/// Code of an account that was cancelled at the service.
const CANCELLED: Code = Code::StatusCancelled;
const CANCELLED_DETAIL: &str =
    "It was cancelled at the service, or its import was undone. --again sends it again.";
/// Code of an account that was changed after its import.
const OTHER_CONTENT: Code = Code::AlreadyImportedWithOtherContent;
const OTHER_CONTENT_DETAIL: &str =
    "It was imported as an earlier run sent it; later changes are neither imported nor in the sums.";
/// Code of a document that was changed after it was stored.
const CHANGED: Code = Code::ChangedSinceSent;
const CHANGED_DETAIL: &str =
    "An earlier run sent another document under this path; the service keeps that one and refuses this one.";
const INTERRUPTED_DETAIL: &str = "The run was interrupted: not every account was sent.";

impl<'s> Findings<'s> {
    pub(super) fn new(sources: &'s [Source], reports: Reports) -> Self {
        Self { sources, reports, codes: TopCodes::default(), warnings: 0, with_warnings: 0, across: 0 }
    }

    /// Adds the findings of the rules about an account.
    ///
    /// # Errors
    /// [`Error`] if a report cannot be written.
    pub(super) fn rules(&mut self, account: &Prepared) -> Result<(), Error> {
        let (checked, line) = (&account.checked, account.location.line);
        let file = &self.sources[account.location.source as usize].name;
        let warnings = checked.findings.iter().filter(|finding| finding.level == Level::Warning).count();
        self.warnings += warnings as u64;
        self.with_warnings += u64::from(warnings > 0);
        self.codes.add_all(checked, file, line);
        checked.findings.iter().try_for_each(|finding| self.reports.add(&checked.row(finding, file, line)))
    }

    /// Adds a finding about tables and no account.
    pub(super) fn table(&mut self, finding: &TableFinding<'_>) -> Result<(), Error> {
        let (attr, origin) = (finding.attr(), finding.origin());
        let row = Row::of_table(finding, attr.as_deref(), &origin);
        self.codes.add(Level::Error, &row);
        self.reports.add(&row)
    }

    /// Adds the reasons of the service for not taking an account.
    pub(super) fn refused(&mut self, account: &Prepared, reasons: &[sender::Finding]) -> Result<(), Error> {
        let mut reasons = reasons.iter();
        reasons.try_for_each(|found| self.add(account, Level::Error, &found.attr, &found.code, &found.detail))
    }

    /// Adds that an earlier run was refused an account.
    pub(super) fn refused_before(&mut self, account: &Prepared) -> Result<(), Error> {
        self.add(account, Level::Error, NON_FIELD_ERRORS, REFUSED_BEFORE.as_str(), REFUSED_BEFORE_DETAIL)
    }

    /// Adds that an account is left alone because it was cancelled at the service.
    pub(super) fn cancelled(&mut self, account: &Prepared) -> Result<(), Error> {
        self.add(account, Level::Error, NON_FIELD_ERRORS, CANCELLED.as_str(), CANCELLED_DETAIL)
    }

    /// Adds that an account is in an earlier line already.
    pub(super) fn copy(&mut self, account: &Prepared, earlier: Earlier) -> Result<(), Error> {
        let found = Finding::copy(account.kind, earlier, self.sources);
        if found.level == Level::Warning {
            self.count_warning(account);
        }
        self.add(account, found.level, &found.attr, found.code, &found.detail)
    }

    /// Adds a date of birth that many accounts share.
    pub(super) fn shared_birth(&mut self, shared: &SharedBirth, show_value: bool) -> Result<(), Error> {
        let (at, checked) = (shared.first.location, Checked::shared_birth(shared, self.sources, show_value));
        let file = &self.sources[at.source as usize].name;
        self.warnings += 1;
        self.across += 1;
        self.codes.add_all(&checked, file, at.line);
        checked.findings.iter().try_for_each(|finding| self.reports.add(&checked.row(finding, file, at.line)))
    }

    fn count_warning(&mut self, account: &Prepared) {
        let is_first = account.checked.findings.iter().all(|finding| finding.level != Level::Warning);
        self.warnings += 1;
        self.with_warnings += u64::from(is_first);
    }

    /// Adds a warning that an account was changed after its import.
    pub(super) fn changed_after_import(&mut self, account: &Prepared) -> Result<(), Error> {
        self.count_warning(account);
        self.add(account, Level::Warning, NON_FIELD_ERRORS, OTHER_CONTENT.as_str(), OTHER_CONTENT_DETAIL)
    }

    /// Adds a warning that a document is another one than an earlier run sent under its path.
    pub(super) fn changed_since_sent(&mut self, document: &Prepared) -> Result<(), Error> {
        self.count_warning(document);
        self.add(document, Level::Warning, NON_FIELD_ERRORS, CHANGED.as_str(), CHANGED_DETAIL)
    }

    fn add(
        &mut self,
        account: &Prepared,
        level: Level,
        attr: &str,
        code: &str,
        detail: &str,
    ) -> Result<(), Error> {
        let (input, line) = (&self.sources[account.location.source as usize], account.location.line);
        let origin = input.origins(line)?.and_then(|origins| origins.of(attr));
        let row = Row {
            file: Some(origin.as_ref().map_or(&input.name, |origin| &origin.file)),
            line: origin.as_ref().map_or(Some(line.into()), |origin| origin.line),
            import_supplier: account.checked.supplier(),
            external_account_number: account.checked.number(),
            level: level.as_str(),
            attr: Some(attr),
            code,
            detail,
            source: origin.as_ref(),
        };
        self.codes.add(level, &row);
        self.reports.add(&row)
    }

    /// Adds that an input could not be read to its end.
    pub(super) fn unreadable(&mut self, file: &str, reason: &str) -> Result<(), Error> {
        self.reports.add(&Row::of_run(Some(file), UNREADABLE, reason))
    }

    /// Adds that the run was interrupted.
    pub(super) fn interrupted(&mut self) -> Result<(), Error> {
        self.reports.add(&Row::of_run(None, INTERRUPTED, INTERRUPTED_DETAIL))
    }

    /// Adds that the inputs do not have what the source system counted.
    pub(super) fn not_as_expected(&mut self, file: &str, detail: &str) -> Result<(), Error> {
        self.reports.add(&Row::of_run(Some(file), Code::NotAsExpected, detail))
    }

    /// The most frequent findings.
    pub(super) fn causes(&self) -> Causes {
        self.codes.causes()
    }

    /// Completes the reports.
    pub(super) fn finish(self, page: &Page) -> Result<(), Error> {
        self.reports.finish(page)
    }
}
