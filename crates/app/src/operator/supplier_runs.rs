//! Runs as suppliers see them, and start and end them (contract D23).

use super::runs::checked_name;
use super::{CodeDiff, Difference, Differing, OperatorError, RunDiff, RunReport};
use crate::App;
use crate::account::profile;
use crate::auth::Caller;
use crate::port::{CauseCount, MayConflict, StoreError, Supplier, read};
use cutover_core::{AttrPath, Code, Issue, Level, Now, RuleId, SupplierCode};
use cutover_model::{
    ChangedAccount, ChangedAttr, RunAccounts, RunCause, RunCodeShown, RunCounts, RunDiffShown,
    RunRefusedShown, RunShown, SyntaxError, Timestamp, decode_run,
};
use cutover_process::State;
use cutover_rules::{Facts, check_run};

/// Reason why a supplier did not start or end a run.
#[derive(Debug, thiserror::Error)]
pub enum RunRefused {
    /// The organisation has no such supplier, or the supplier has no such run.
    #[error("there is no such supplier or run")]
    NotFound,
    /// The settings of the supplier leave runs to operators.
    #[error("the supplier may not start and end runs")]
    NotAllowed,
    /// A run is open, or the supplier is being erased.
    #[error("a run is open")]
    Open,
    /// A run has this name.
    #[error("a run has this name")]
    Exists,
    /// The run has ended.
    #[error("the run has ended")]
    Ended,
    /// The body is not JSON.
    #[error(transparent)]
    Syntax(#[from] SyntaxError),
    /// The errors of the request.
    #[error("the run failed validation")]
    Faults(Vec<Issue>),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl MayConflict for RunRefused {
    fn is_conflict(&self) -> bool {
        matches!(self, Self::Store(error) if error.is_conflict())
    }
}

impl App {
    /// Starts a run for a supplier that may do so.
    ///
    /// # Errors
    /// [`RunRefused`]; nothing is changed then.
    pub fn start_supplier_run(
        &self,
        caller: &Caller,
        code: &str,
        body: &[u8],
    ) -> Result<RunShown, RunRefused> {
        let supplier = self.supplier_of_runs(caller, code)?;
        let name = self.name_of_run(&supplier, body)?;
        check_allowed(&supplier)?;
        let (open, same) =
            read(&*self.store, |tx| Ok((tx.open_run(supplier.id)?, tx.run(supplier.id, name.trim())?)))?;
        match (open, same) {
            (_, Some(_)) => return Err(RunRefused::Exists),
            (Some(_), None) => return Err(RunRefused::Open),
            (None, None) => {}
        }
        match self.as_caller(caller).start_run(supplier.code.as_str(), &name) {
            Ok(report) => Ok(report.into()),
            Err(OperatorError::NotFound { .. }) => Err(RunRefused::NotFound),
            Err(OperatorError::Exists { .. }) => Err(RunRefused::Exists),
            Err(OperatorError::Refused(_) | OperatorError::Changed(_)) => Err(RunRefused::Open),
            Err(OperatorError::Store(error)) => Err(error.into()),
        }
    }

    /// Ends a run of a supplier that may do so.
    ///
    /// # Errors
    /// [`RunRefused`]; nothing is changed then.
    pub fn end_supplier_run(&self, caller: &Caller, code: &str, name: &str) -> Result<RunShown, RunRefused> {
        let supplier = self.supplier_of_runs(caller, code)?;
        check_allowed(&supplier)?;
        let run = read(&*self.store, |tx| tx.run(supplier.id, name))?.ok_or(RunRefused::NotFound)?;
        if run.ended_at.is_some() {
            return Err(RunRefused::Ended);
        }
        match self.as_caller(caller).end_run_named(supplier.code.as_str(), Some(name)) {
            Ok(report) => Ok(report.into()),
            Err(OperatorError::NotFound { .. }) => Err(RunRefused::NotFound),
            Err(OperatorError::Exists { .. } | OperatorError::Refused(_) | OperatorError::Changed(_)) => {
                Err(RunRefused::Ended)
            }
            Err(OperatorError::Store(error)) => Err(error.into()),
        }
    }

    /// Finds a supplier of the caller's organisation.
    fn supplier_of_runs(&self, caller: &Caller, code: &str) -> Result<Supplier, RunRefused> {
        let code: SupplierCode = cutover_core::trimmed(code).parse().map_err(|_| RunRefused::NotFound)?;
        let found = read(&*self.store, |tx| tx.supplier_of(caller.organisation_id, &code))?;
        found.ok_or(RunRefused::NotFound)
    }

    fn name_of_run(&self, supplier: &Supplier, body: &[u8]) -> Result<String, RunRefused> {
        let zone = supplier.settings.time_zone;
        let decoded = decode_run(body, zone, self.settings.limits)?;
        let facts = Facts::at(Now::new(self.clock.now(), zone));
        let report = check_run(&decoded, facts, &profile(Some(supplier)));
        let request = decoded.draft.filter(|_| report.errors.is_empty());
        let request = request.and_then(cutover_model::draft::RunRequest::into_valid);
        let request = request.ok_or(RunRefused::Faults(report.errors))?;
        let refused = |_| {
            let (attr, code) = (AttrPath::root().name("name"), Code::Invalid);
            let detail = "The name has 1 to 100 characters and no control characters.".into();
            RunRefused::Faults(vec![Issue {
                attr,
                code,
                rule: RuleId("STR-04"),
                level: Level::Error,
                detail,
            }])
        };
        checked_name(request.name.as_sent()).map_err(refused)
    }
}

/// Refuses a supplier that may not start and end runs.
fn check_allowed(supplier: &Supplier) -> Result<(), RunRefused> {
    if supplier.settings.supplier_runs { Ok(()) } else { Err(RunRefused::NotAllowed) }
}

fn causes(of: Vec<CauseCount>) -> Vec<RunCause> {
    let cause =
        |CauseCount { cause, accounts }| RunCause { code: cause.code, attr: cause.attr, count: accounts };
    of.into_iter().map(cause).collect()
}

impl From<RunReport> for RunShown {
    fn from(report: RunReport) -> Self {
        let time = |at| Timestamp(report.zone.local(at));
        let count = |state: State| {
            report.counts.iter().find(|(counted, _)| *counted == state).map_or(0, |(_, count)| *count)
        };
        Self {
            started_at: time(report.run.started_at),
            ended_at: report.run.ended_at.map(time),
            counts: RunCounts {
                processed: count(State::Processed),
                errored: count(State::Errored),
                dry_run_succeeded: count(State::DryRunSucceeded),
                dry_run_errored: count(State::DryRunErrored),
            },
            totals: report.totals.into(),
            first_at: report.first_at.map(time),
            last_at: report.last_at.map(time),
            rate_per_minute: report.rate_per_minute.to_string(),
            name: report.run.name,
            top_errors: causes(report.top_errors),
            other_errors: report.other_errors,
            refused: RunRefusedShown {
                accounts: report.refused,
                top_errors: causes(report.top_refused),
                other_errors: report.other_refused,
            },
        }
    }
}

impl From<RunDiff> for RunDiffShown {
    fn from(diff: RunDiff) -> Self {
        let mut groups = diff.groups;
        let mut group = |of: Difference| {
            let found = groups.iter_mut().find(|(difference, _)| *difference == of);
            let group = found.map(|(_, group)| std::mem::take(group)).unwrap_or_default();
            RunAccounts { count: group.count, examples: group.examples }
        };
        let code = |CodeDiff { cause, a, b }| RunCodeShown { code: cause.code, attr: cause.attr, a, b };
        let changed = |Differing { number, paths }| ChangedAccount {
            external_account_number: number,
            attrs: paths.map(|paths| paths.into_iter().map(str::to_owned).collect()),
        };
        let attr = |(attr, count): (&str, u64)| ChangedAttr { attr: attr.to_owned(), count };
        Self {
            new: group(Difference::New),
            gone: group(Difference::Gone),
            changed: group(Difference::Changed),
            fixed: group(Difference::Fixed),
            broken: group(Difference::Broken),
            changed_accounts: diff.changed.into_iter().map(changed).collect(),
            changed_attrs: diff.paths.into_iter().map(attr).collect(),
            codes: diff.codes.into_iter().map(code).collect(),
            totals: diff.totals.into(),
        }
    }
}
