//! Runs: named stretches of a supplier's work, to be looked at and compared (contract D15, decision 0048).

use super::scope::Scoped;
use super::{Audited, Operations, OperatorError};
use crate::port::{
    AuditAction, Cause, CauseCount, Detail, RefusedCreate, Rows, Run, RunFigures, StoreError, Stretch,
    Subject, Supplier,
};
use chrono::{DateTime, TimeDelta, Utc};
use cutover_core::Zone;
use cutover_model::rust_decimal::Decimal;
use cutover_model::{Others, Totals};
use cutover_process::State;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Maximum length of the name of a run, in characters.
const MAX_NAME: usize = 100;
/// Number of refused accounts that are read at once.
const PAGE: u32 = 1_000;
/// Maximum number of errors that are shown.
const CAUSES: usize = 10;
/// The states of outcomes.
const STATES: [State; 4] = [State::Processed, State::Errored, State::DryRunSucceeded, State::DryRunErrored];

/// A run with its figures.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunReport {
    /// The run.
    pub run: Run,
    /// Number of accounts in each state.
    pub counts: Vec<(State, u64)>,
    /// Totals of the accounts that passed.
    pub totals: Totals,
    /// The most frequent errors, the most frequent first; at most ten.
    pub top_errors: Vec<CauseCount>,
    /// The errors beside these.
    pub other_errors: Others,
    /// Number of accounts that were sent and refused, and have no outcome.
    pub refused: u64,
    /// The most frequent causes of refusals, the most frequent first; at most ten.
    pub top_refused: Vec<CauseCount>,
    /// The causes of refusals beside these.
    pub other_refused: Others,
    /// Time at which the first account ended.
    pub first_at: Option<DateTime<Utc>>,
    /// Time at which the last account ended.
    pub last_at: Option<DateTime<Utc>>,
    /// Number of ends per minute of the time in which accounts ended, with one decimal place.
    pub rate_per_minute: Decimal,
    /// The zone of the datetimes shown.
    pub zone: Zone,
}

/// A page of the runs of a supplier.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunPage {
    /// The runs, the last first.
    pub runs: Vec<RunReport>,
    /// The key before which the next page begins; `None` if there is none.
    pub next: Option<i64>,
}

impl RunReport {
    fn read(tx: &mut dyn Rows, run: Run, zone: Zone) -> Result<Self, StoreError> {
        let mut figures = tx.run_figures(run.id)?;
        // Those of an ended run are in its figures.
        if run.ended_at.is_none() {
            each_refused(tx, &run, &mut |_, refused| {
                figures.count_refusals(refused, 1);
                Ok(())
            })?;
        }
        Ok(Self::of(run, &figures, zone))
    }

    fn of(run: Run, figures: &RunFigures, zone: Zone) -> Self {
        let number = |count: &i64| u64::try_from(*count).unwrap_or_default();
        let count = |state: State| (state, figures.states.get(state.as_str()).map_or(0, number));
        let top = |causes: &BTreeMap<Cause, i64>| {
            let count = |(cause, accounts): (&Cause, _)| CauseCount {
                cause: cause.clone(),
                accounts: number(accounts),
            };
            let mut top: Vec<CauseCount> = causes.iter().map(count).collect();
            // Equal ones stay in the order of their causes.
            top.sort_by_key(|of| Reverse(of.accounts));
            let others = Others::beyond(&mut top, CAUSES, |of| of.accounts);
            (top, others)
        };
        let (top_errors, other_errors) = top(&figures.causes);
        let (top_refused, other_refused) = top(&figures.refused_causes);
        Self {
            run,
            counts: STATES.map(count).to_vec(),
            totals: figures.totals(),
            top_errors,
            other_errors,
            refused: number(&figures.refused),
            top_refused,
            other_refused,
            first_at: figures.stretches.first().map(|stretch| stretch.first_at),
            last_at: figures.stretches.last().map(|stretch| stretch.last_at),
            rate_per_minute: rate(&figures.stretches),
            zone,
        }
    }
}

/// Takes some accounts that were refused.
type TakeRefused<'t> = dyn FnMut(&mut dyn Rows, &[RefusedCreate]) -> Result<(), StoreError> + 't;

/// Calls a function with what was refused in a run, by number, some accounts at a time.
fn each_refused(tx: &mut dyn Rows, run: &Run, each: &mut TakeRefused<'_>) -> Result<(), StoreError> {
    let mut after = String::new();
    loop {
        let page = tx.refused_in_run(run, &after, PAGE)?;
        let Some(last) = page.last() else { return Ok(()) };
        after.clone_from(&last.number);
        each(tx, &page)?;
    }
}

/// Returns the number of ends per minute of work: pauses do not count, and a second is the least.
fn rate(stretches: &[Stretch]) -> Decimal {
    let ends: u64 = stretches.iter().map(|stretch| stretch.ends).sum();
    let worked: TimeDelta = stretches.iter().map(|stretch| stretch.last_at - stretch.first_at).sum();
    let milliseconds = worked.num_milliseconds().max(1_000);
    let mut rate = (Decimal::from(ends) * Decimal::from(60_000) / Decimal::from(milliseconds)).round_dp(1);
    rate.rescale(1);
    rate
}

impl Operations<'_> {
    /// Starts a run of a supplier. Outcomes of its accounts are kept in it until it is ended.
    ///
    /// # Errors
    /// [`OperatorError`]: no such supplier, a run of it is open or has this name, or the name is not allowed.
    pub fn start_run(&self, supplier: &str, name: &str) -> Result<RunReport, OperatorError> {
        let name = checked_name(name)?;
        // The key of the hashes by path is derived from it.
        self.app.signing_certificate_key()?;
        let code = supplier.to_owned();
        self.act(AuditAction::RunStarted, move |tx, clock| {
            let supplier = to_change(tx, &code)?;
            if let Some(open) = tx.open_run(supplier.id)? {
                return Err(OperatorError::Refused(format!("the run {:?} is open: end it first", open.name)));
            }
            if tx.run(supplier.id, &name)?.is_some() {
                return Err(OperatorError::Exists { what: "run", name });
            }
            tx.lock_runs()?;
            tx.start_run(supplier.id, &name, clock.now())?;
            let run = tx.run(supplier.id, &name)?.ok_or_else(|| OperatorError::not_found("run", &name))?;
            let report = RunReport::read(tx.rows(), run, supplier.settings.time_zone)?;
            let detail = Detail::default().word("run", &name);
            Ok((report, Audited { subject: Subject::supplier(&supplier), detail }))
        })
    }

    /// Ends the open run of a supplier. It does not change any more, except that erased accounts leave it.
    ///
    /// # Errors
    /// [`OperatorError`]: no such supplier, or no run of it is open.
    pub fn end_run(&self, supplier: &str) -> Result<RunReport, OperatorError> {
        self.end_run_named(supplier, None)
    }

    /// The same, only if the open run has this name.
    pub(super) fn end_run_named(
        &self,
        supplier: &str,
        name: Option<&str>,
    ) -> Result<RunReport, OperatorError> {
        // Refused creates that are still in memory belong to the run.
        self.app.try_to_record_refused();
        let (code, name) = (supplier.to_owned(), name.map(str::to_owned));
        self.act(AuditAction::RunEnded, move |tx, clock| {
            let supplier = to_change(tx, &code)?;
            let none = || OperatorError::Refused("no run of the supplier is open".into());
            let is_meant = |run: &Run| name.as_ref().is_none_or(|name| *name == run.name);
            let run = tx.open_run(supplier.id)?.filter(is_meant).ok_or_else(none)?;
            tx.lock_runs()?;
            let at = clock.now();
            // Before it ends, for then they are read from what is kept.
            each_refused(tx.rows(), &run, &mut |tx, refused| tx.keep_refused(run.id, refused))?;
            if !tx.end_run(run.id, at)? {
                return Err(none());
            }
            let run = Run { ended_at: Some(at), ..run };
            let detail = Detail::default().word("run", &run.name);
            let report = RunReport::read(tx.rows(), run, supplier.settings.time_zone)?;
            Ok((report, Audited { subject: Subject::supplier(&supplier), detail }))
        })
    }

    /// Returns a run of a supplier.
    ///
    /// # Errors
    /// [`OperatorError::NotFound`] if there is no such supplier or run.
    pub fn show_run(&self, supplier: &str, name: &str) -> Result<RunReport, OperatorError> {
        self.read(|tx| {
            let supplier = tx.supplier(supplier)?;
            let run = run_of(tx, &supplier, name)?;
            Ok(RunReport::read(tx.rows(), run, supplier.settings.time_zone)?)
        })
    }

    /// Returns runs of a supplier, the last first: those before a key, at most `limit`.
    ///
    /// # Errors
    /// [`OperatorError::NotFound`] if there is no such supplier.
    pub fn runs(&self, supplier: &str, before: Option<i64>, limit: u32) -> Result<RunPage, OperatorError> {
        self.read(|tx| {
            let supplier = tx.supplier(supplier)?;
            let zone = supplier.settings.time_zone;
            let mut runs = tx.runs(supplier.id, before, limit.saturating_add(1))?;
            let has_more = runs.len() > limit as usize;
            runs.truncate(limit as usize);
            let next = runs.last().filter(|_| has_more).map(|run| run.id);
            let report = |run| RunReport::read(tx.rows(), run, zone);
            Ok(RunPage { runs: runs.into_iter().map(report).collect::<Result<_, _>>()?, next })
        })
    }
}

/// Returns the run of a supplier with this name.
pub(super) fn run_of(tx: &mut Scoped<'_>, supplier: &Supplier, name: &str) -> Result<Run, OperatorError> {
    tx.run(supplier.id, name)?.ok_or_else(|| OperatorError::not_found("run", name))
}

/// Finds a supplier and locks the suppliers, so that two runs cannot be started at the same time.
fn to_change(tx: &mut Scoped<'_>, code: &str) -> Result<Supplier, OperatorError> {
    tx.lock_suppliers()?;
    let supplier = tx.supplier(code)?;
    if tx.erasure_of(supplier.id)?.is_some() {
        return Err(OperatorError::Refused("it is being erased: it has no runs any more".into()));
    }
    Ok(supplier)
}

pub(super) fn checked_name(name: &str) -> Result<String, OperatorError> {
    let name = name.trim();
    let length = name.chars().count();
    if length == 0 || length > MAX_NAME || name.chars().any(char::is_control) {
        let refused =
            format!("the name of a run has 1 to {MAX_NAME} characters, none of them a control character");
        return Err(OperatorError::Refused(refused));
    }
    Ok(name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::port::Outcome;

    #[test]
    fn every_outcome_is_counted() {
        let counted = |state: &State| STATES.contains(state);
        assert_eq!(State::ALL.map(|state| counted(&state)), State::ALL.map(State::is_outcome));
    }

    fn at(seconds: i64) -> DateTime<Utc> {
        DateTime::from_timestamp(1_795_000_000 + seconds, 0).unwrap()
    }

    fn end(process_id: i64, seconds: i64) -> Outcome {
        Outcome {
            process_id,
            state: State::Errored.into(),
            ended_at: at(seconds),
            content: None,
            paths: None,
            causes: Vec::new(),
            totals: Totals::default(),
        }
    }

    /// Returns the rate of ends at these seconds, counted in two shards.
    fn rate_of(ends: &[i64]) -> String {
        let mut shards = [RunFigures::default(), RunFigures::default()];
        for (n, seconds) in ends.iter().enumerate() {
            shards[n % 2].replace(None, Some(&end(n as i64, *seconds))).unwrap();
        }
        let [mut all, other] = shards;
        all.merge(other).unwrap();
        rate(&all.stretches).to_string()
    }

    #[test]
    fn the_rate_leaves_pauses_out() {
        assert_eq!(rate_of(&[]), "0.0");
        assert_eq!(rate_of(&[7]), "60.0");
        assert_eq!(rate_of(&[0, 10, 20, 30, 40, 60]), "6.0");
        // Five minutes are no pause yet.
        assert_eq!(rate_of(&[0, 300]), "0.4");
        assert_eq!(rate_of(&[0, 30, 331, 361]), "4.0");
        // The order in which shards are written does not matter.
        assert_eq!(rate_of(&[361, 30, 0, 331]), "4.0");
    }

    #[test]
    fn an_outcome_that_is_replaced_counts_once_and_its_end_twice() {
        let mut figures = RunFigures::default();
        let (first, second) = (end(1, 0), Outcome { state: State::Processed.into(), ..end(1, 60) });
        figures.replace(None, Some(&first)).unwrap();
        figures.replace(Some(&first), Some(&second)).unwrap();
        let run = Run { id: 1, supplier_id: 1, name: "one".into(), started_at: at(0), ended_at: None };
        let report = RunReport::of(run, &figures, Zone::UTC);
        assert_eq!(report.counts[..2], [(State::Processed, 1), (State::Errored, 0)]);
        assert_eq!((report.first_at, report.last_at), (Some(at(0)), Some(at(60))));
        assert_eq!(report.rate_per_minute.to_string(), "2.0");
    }

    #[test]
    fn names_are_bounded() {
        assert_eq!(checked_name(" night 1 ").unwrap(), "night 1");
        assert!(checked_name(&"é".repeat(100)).is_ok());
        for name in ["", "  ", "a\nb", &"a".repeat(101)] {
            assert!(checked_name(name).is_err(), "{name:?}");
        }
    }
}
