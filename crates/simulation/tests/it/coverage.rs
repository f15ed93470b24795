//! Counts what happened in all runs, because a simulation in which nothing happens finds nothing.

use crate::answer::Answer;
use cutover_core::Word;
use cutover_process::{HistoryEntry, State};
use std::collections::BTreeMap;

/// Numbers of occurrences.
#[derive(Debug, Clone, Default)]
pub(crate) struct Coverage {
    /// By action and answer.
    pub(crate) answers: BTreeMap<String, u64>,
    /// By state, event and next state.
    pub(crate) steps: BTreeMap<(Option<&'static str>, &'static str, &'static str), u64>,
}

impl Coverage {
    /// Counts an operation that has ended; `is_applied` is true if it committed.
    pub(crate) fn count(
        &mut self,
        planned: &'static str,
        kind: &'static str,
        answer: &Answer,
        is_applied: bool,
    ) {
        let lost = is_applied && matches!(answer, Answer::Unavailable | Answer::Silence);
        let what = format!("{kind}: {}{}", answer.label(), if lost { ", applied" } else { "" });
        *self.answers.entry(what).or_default() += 1;
        if planned != kind {
            *self.answers.entry(format!("{planned}: {kind}")).or_default() += 1;
        }
    }

    /// Counts a step of a process.
    pub(crate) fn step(&mut self, entry: &HistoryEntry) {
        let state = |state: &Word<State>| state.known().map_or("unknown", |state| state.as_str());
        let on = entry.event.known().map_or("unknown", |event| event.as_str());
        *self.steps.entry((entry.from.as_ref().map(state), on, state(&entry.to))).or_default() += 1;
    }

    /// Counts another occurrence this many times.
    pub(crate) fn add(&mut self, what: &str, times: u64) {
        *self.answers.entry(what.to_owned()).or_default() += times;
    }

    /// Adds the counts of another run.
    pub(crate) fn merge(&mut self, other: Self) {
        for (what, times) in other.answers {
            *self.answers.entry(what).or_default() += times;
        }
        for (step, times) in other.steps {
            *self.steps.entry(step).or_default() += times;
        }
    }

    /// Number of operations with this action and answer.
    pub(crate) fn of(&self, what: &str) -> u64 {
        self.answers.get(what).copied().unwrap_or_default()
    }
}
