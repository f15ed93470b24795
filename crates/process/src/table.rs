use crate::{EventKind, ShownEvent, State};
use cutover_core::Word;

/// The kind of run that a row of the table applies to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Run {
    /// All processes.
    Any,
    /// Real imports.
    Real,
    /// Dry runs.
    Dry,
}

impl Run {
    fn holds(self, is_dry_run: bool) -> bool {
        match self {
            Self::Any => true,
            Self::Real => !is_dry_run,
            Self::Dry => is_dry_run,
        }
    }
}

/// One legal step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Transition {
    /// The status before; `None` if there is no process yet.
    pub from: Option<State>,
    /// The event.
    pub on: EventKind,
    /// The kind of run that it applies to.
    pub run: Run,
    /// The status after.
    pub to: State,
    /// If set, `latest_event.occurred_at` becomes the time of this step. Claims and their return are internal
    /// to the service and leave it unchanged.
    pub moves_latest_event: bool,
}

impl Transition {
    /// The event that the API shows afterwards; the status determines it (contract 3).
    pub fn shown_event(&self) -> ShownEvent {
        self.to.shown_event()
    }
}

const fn row(from: State, on: EventKind, run: Run, to: State) -> Transition {
    Transition { from: Some(from), on, run, to, moves_latest_event: true }
}

const fn quiet(from: State, on: EventKind, to: State) -> Transition {
    Transition { moves_latest_event: false, ..row(from, on, Run::Any, to) }
}

/// Every legal step (contract D6). All others are refused.
pub static TRANSITIONS: &[Transition] = {
    use EventKind as On;
    use Run::{Any, Dry, Real};
    use State::{Cancelled, DryRunErrored, DryRunSucceeded, Errored, InProgress, Pending, Processed};
    &[
        Transition { from: None, on: On::Created, run: Any, to: Pending, moves_latest_event: true },
        row(Pending, On::Replaced, Any, Pending),
        quiet(Pending, On::Claimed, InProgress),
        row(Pending, On::WindowMissed, Real, Errored),
        row(Pending, On::WindowMissed, Dry, DryRunErrored),
        row(Pending, On::Cancelled, Any, Cancelled),
        row(InProgress, On::Imported, Real, Processed),
        row(InProgress, On::Rejected, Real, Errored),
        row(InProgress, On::Rejected, Dry, DryRunErrored),
        row(InProgress, On::RetriesExhausted, Real, Errored),
        row(InProgress, On::RetriesExhausted, Dry, DryRunErrored),
        row(InProgress, On::DryRunPassed, Dry, DryRunSucceeded),
        row(InProgress, On::DryRunFailed, Dry, DryRunErrored),
        quiet(InProgress, On::Released, Pending),
        quiet(InProgress, On::ShutDown, Pending),
        quiet(InProgress, On::Deferred, Pending),
        quiet(InProgress, On::Failed, Pending),
        row(Errored, On::Resubmitted, Any, Pending),
        row(Errored, On::RetriedByOperator, Any, Pending),
        row(DryRunSucceeded, On::Resubmitted, Any, Pending),
        row(DryRunSucceeded, On::RetriedByOperator, Any, Pending),
        row(DryRunSucceeded, On::Cancelled, Any, Cancelled),
        row(DryRunErrored, On::Resubmitted, Any, Pending),
        row(DryRunErrored, On::RetriedByOperator, Any, Pending),
        row(DryRunErrored, On::Cancelled, Any, Cancelled),
        row(Cancelled, On::Resubmitted, Any, Pending),
        row(Cancelled, On::RetriedByOperator, Any, Pending),
        row(Processed, On::Undone, Real, Cancelled),
    ]
};

/// The row for an event in a state.
///
/// # Errors
/// [`IllegalStep`] if the table has none.
pub fn transition(
    from: Option<State>,
    on: EventKind,
    is_dry_run: bool,
) -> Result<&'static Transition, IllegalStep> {
    let mut rows = TRANSITIONS.iter().filter(|row| row.from == from && row.on == on).peekable();
    let reason = match (rows.peek().is_some(), is_dry_run) {
        (false, _) => Refusal::State,
        (true, true) => Refusal::DryRun,
        (true, false) => Refusal::RealRun,
    };
    rows.find(|row| row.run.holds(is_dry_run)).ok_or(IllegalStep {
        state: from.map(Word::from),
        event: on,
        reason,
    })
}

/// The reason why a step is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Refusal {
    /// The event is not legal in the state.
    State,
    /// The event is not for dry runs.
    DryRun,
    /// The event is for dry runs only.
    RealRun,
    /// No attempt is left.
    LastAttempt,
    /// A newer version wrote the state, so this one does not know the legal steps.
    NewerState,
}

impl Refusal {
    fn text(self) -> &'static str {
        match self {
            Self::State => "",
            Self::DryRun => ": it is a dry run",
            Self::RealRun => ": it is no dry run",
            Self::LastAttempt => ": this was its last attempt",
            Self::NewerState => ": a newer version of the program wrote this status",
        }
    }
}

/// A refused step, with the state and the event (contract D6).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a process that {} refuses the event {event}{}", being(.state.as_ref()), .reason.text())]
pub struct IllegalStep {
    /// The status of the process; `None` if there is no process.
    pub state: Option<Word<State>>,
    /// The refused event.
    pub event: EventKind,
    /// The reason.
    pub reason: Refusal,
}

fn being(state: Option<&Word<State>>) -> String {
    state.map_or("does not exist".to_owned(), |state| format!("is {state}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_unambiguous() {
        for (i, a) in TRANSITIONS.iter().enumerate() {
            for b in &TRANSITIONS[..i] {
                let disjoint = a.run != b.run && a.run != Run::Any && b.run != Run::Any;
                assert!((a.from, a.on) != (b.from, b.on) || disjoint, "{a:?} and {b:?}");
            }
        }
    }

    #[test]
    fn an_error_is_left_exactly_by_the_steps_into_an_error() {
        for row in TRANSITIONS {
            assert_eq!(row.to.is_error(), row.on.error_code().is_some(), "{row:?}");
        }
    }

    #[test]
    fn a_row_that_leaves_the_latest_event_leaves_its_name_too() {
        for row in TRANSITIONS.iter().filter(|row| !row.moves_latest_event) {
            assert_eq!(row.from.map(State::shown_event), Some(row.shown_event()), "{row:?}");
        }
    }

    #[test]
    fn only_an_undo_leaves_a_final_state() {
        for state in State::ALL {
            let left = TRANSITIONS.iter().any(|row| row.from == Some(state) && row.on != EventKind::Undone);
            assert_eq!(state.is_final(), !left, "{state}");
        }
    }

    #[test]
    fn an_ended_process_goes_on_only_on_request() {
        for row in TRANSITIONS.iter().filter(|row| row.from.is_some_and(State::has_ended)) {
            let is_requested = matches!(
                row.on,
                EventKind::Resubmitted
                    | EventKind::RetriedByOperator
                    | EventKind::Cancelled
                    | EventKind::Undone
            );
            assert!(is_requested, "{row:?}");
        }
        let going = State::ALL.iter().filter(|state| !state.has_ended());
        assert_eq!(going.map(|state| state.as_str()).collect::<Vec<_>>(), ["PENDING", "IN_PROGRESS"]);
    }

    #[test]
    fn an_undo_begins_with_an_account_and_ends_without() {
        let undone: Vec<_> = TRANSITIONS.iter().filter(|row| row.on == EventKind::Undone).collect();
        let ends: Vec<_> = undone.iter().map(|row| (row.from, row.run, row.to)).collect();
        assert_eq!(ends, [(Some(State::Processed), Run::Real, State::Cancelled)]);
    }

    #[test]
    fn a_refusal_names_state_and_event() {
        let text = |from, on, dry| transition(from, on, dry).unwrap_err().to_string();
        assert_eq!(
            text(Some(State::Processed), EventKind::Cancelled, false),
            "a process that is PROCESSED refuses the event cancelled"
        );
        assert_eq!(
            text(Some(State::InProgress), EventKind::Imported, true),
            "a process that is IN_PROGRESS refuses the event imported: it is a dry run"
        );
        assert_eq!(
            text(Some(State::InProgress), EventKind::DryRunPassed, false),
            "a process that is IN_PROGRESS refuses the event dry_run_passed: it is no dry run"
        );
        assert_eq!(
            text(None, EventKind::Claimed, false),
            "a process that does not exist refuses the event claimed"
        );
    }
}
