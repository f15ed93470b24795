use super::finding::Finding;
use super::settings::{Settings, SupplierRules};
use super::values::with_values;
use crate::across::{Compared, SharedBirth};
use crate::expect::{Counts, Expectations};
use crate::identity::Identity;
use crate::input::{Location, Source};
use crate::journal::fingerprint_of;
use crate::pipeline::Worker;
use crate::report::Row;
use crate::request::Kind;
use cutover_core::{AttrPath, Level, Zone};
use cutover_model::{AccountRequest, Decoded, SyntaxError, Totals, decode_account};
use cutover_rules::{Facts, check_account};
use std::sync::Arc;

/// Decodes and checks accounts as validate and create of the service do, except rules that need the service
/// (rules 1.9).
#[derive(Debug)]
pub(crate) struct Checker {
    settings: Arc<Settings>,
    pub(super) sources: Vec<Source>,
    /// True if findings show what was sent.
    pub(super) show_values: bool,
    /// What is counted of each account, if that is compared.
    expectations: Option<Arc<Expectations>>,
}

/// Result of checking an account.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Checked {
    /// Identity of the account, as far as known.
    pub(crate) identity: Option<Identity>,
    /// Fingerprint of its bytes; 0 if it is too large.
    pub(crate) fingerprint: u64,
    /// Errors, then warnings, each in the order of the service's answers.
    pub(crate) findings: Vec<Finding>,
    /// What is compared with other accounts.
    pub(crate) compared: Compared,
    /// Its rows, if they are compared with what the source system counted.
    pub(crate) counts: Option<Counts>,
}

impl Checked {
    /// An account or another request too large to be decoded.
    pub(crate) fn too_large(kind: Kind) -> Self {
        Self::only(None, Finding::too_large(kind))
    }

    /// What many accounts have in common, at the first of them.
    pub(crate) fn shared_birth(shared: &SharedBirth, sources: &[Source], show_value: bool) -> Self {
        let Location { source, line } = shared.first.location;
        let finding = Finding::shared_birth(shared, show_value).located(&sources[source as usize], line);
        Self::only(shared.first.identity.clone(), finding)
    }

    fn only(identity: Option<Identity>, finding: Finding) -> Self {
        Self { identity, findings: vec![finding], ..Self::default() }
    }

    /// True if the service would refuse it.
    pub(crate) fn is_faulty(&self) -> bool {
        self.findings.iter().any(|finding| finding.level == Level::Error)
    }

    /// Supplier of the account.
    pub(crate) fn supplier(&self) -> Option<&str> {
        self.identity.as_ref()?.supplier.as_deref()
    }

    /// Account number at the supplier.
    pub(crate) fn number(&self) -> Option<&str> {
        self.identity.as_ref()?.number.as_deref()
    }

    /// Adds what was found about the rows of the account, and the places of all findings in the tables. `source` is the
    /// input that the account is in, and `line` its line there.
    pub(crate) fn located(mut self, source: &Source, line: u32) -> Self {
        if source.is_of_tables() && (!self.findings.is_empty() || source.has_findings(line)) {
            self.add_origins(source, line);
        }
        self
    }

    fn add_origins(&mut self, source: &Source, line: u32) {
        let origins = match source.origins(line) {
            Ok(Some(origins)) => origins,
            Ok(None) => return,
            // What was found about the rows is not known, so the account must not count as faultless.
            Err(error) => return self.findings.push(Finding::unknown_origin(&error)),
        };
        self.findings.iter_mut().for_each(|finding| finding.locate(&origins));
        self.findings.extend(origins.findings.iter().map(Finding::of_table));
        self.findings.sort_by_key(|finding| finding.level != Level::Error);
    }

    /// A finding of the account as a row of a report.
    pub(crate) fn row<'r>(&'r self, finding: &'r Finding, file: &'r str, line: u32) -> Row<'r> {
        let source = finding.source.as_ref();
        Row {
            file: source.map(|source| &*source.file).or(Some(file)),
            line: source.map_or(Some(line.into()), |source| source.line),
            import_supplier: self.supplier(),
            external_account_number: self.number(),
            level: finding.level.as_str(),
            attr: Some(&finding.attr),
            code: finding.code,
            detail: &finding.detail,
            source,
        }
    }
}

impl Checker {
    /// A checker of what is in these inputs.
    pub(crate) fn new(settings: Arc<Settings>, sources: &[Source], show_values: bool) -> Self {
        Self { settings, sources: sources.to_vec(), show_values, expectations: None }
    }

    /// The same, which also counts the rows of accounts.
    pub(crate) fn counting(self, expectations: Option<Arc<Expectations>>) -> Self {
        Self { expectations, ..self }
    }

    /// Checks an account; also returns the decoded account if it is JSON.
    pub(crate) fn check<'j>(
        &self,
        location: Location,
        account: &'j [u8],
    ) -> (Checked, Option<Decoded<AccountRequest<'j>>>) {
        let (checked, decoded) = self.check_alone(location, account);
        (checked.located(&self.sources[location.source as usize], location.line), decoded)
    }

    fn check_alone<'j>(
        &self,
        location: Location,
        account: &'j [u8],
    ) -> (Checked, Option<Decoded<AccountRequest<'j>>>) {
        let fingerprint = fingerprint_of(account);
        let (decoded, identity, rules) = match self.decode(account) {
            Ok(found) => found,
            Err(error) => {
                let findings = vec![Finding::no_json(error, location.line)];
                return (Checked { fingerprint, findings, ..Checked::default() }, None);
            }
        };
        let report = check_account(&decoded, Facts::at(rules.now), &rules.profile);
        let issues = report.errors.into_iter().chain(report.warnings);
        let findings = match self.show_values {
            true => with_values(issues.collect(), account),
            false => issues.map(Finding::from).collect(),
        };
        let compared = Compared::of(identity.as_ref(), &decoded);
        let counts = self.expectations.as_ref().map(|expectations| expectations.count(account));
        let checked = Checked { identity, fingerprint, findings, compared, counts };
        (checked, Some(decoded))
    }

    /// Control totals of an account.
    ///
    /// # Errors
    /// The paths of the faults because of which it cannot be counted.
    pub(crate) fn totals(
        &self,
        checked: &Checked,
        decoded: &Decoded<AccountRequest<'_>>,
    ) -> Result<Totals, Vec<AttrPath>> {
        let account = decoded.draft.as_ref().and_then(|request| request.account.usable());
        let account = account.ok_or_else(|| vec![AttrPath::root()])?;
        Totals::of_draft(account, self.settings.of(checked.supplier()).now.zone)
    }

    /// The rules of the supplier that an account or a request names.
    pub(super) fn rules_of(&self, identity: Option<&Identity>) -> Arc<SupplierRules> {
        self.settings.of(identity.and_then(|identity| identity.supplier.as_deref()))
    }

    /// Decodes an account; also returns whose it is, and the rules of that supplier.
    fn decode<'j>(&self, account: &'j [u8]) -> Result<Known<'j>, SyntaxError> {
        let decoded = decode_account(account, Zone::UTC)?;
        let identity = Identity::of(&decoded);
        let rules = self.rules_of(identity.as_ref());
        let differs = decoded.zone_matters && rules.now.zone != Zone::UTC;
        let decoded = if differs { decode_account(account, rules.now.zone)? } else { decoded };
        Ok((decoded, identity, rules))
    }
}

/// A decoded account, whose it is, and the rules of that supplier.
type Known<'j> = (Decoded<AccountRequest<'j>>, Option<Identity>, Arc<SupplierRules>);

impl Worker for Checker {
    type Output = Checked;

    fn process(&self, location: Location, account: &[u8]) -> Checked {
        self.check(location, account).0
    }
}
