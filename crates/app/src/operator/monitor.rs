//! What monitoring is told of the installation as a whole; every process can tell it.

use crate::App;
use crate::port::{ServerFigures, StoreError, SupplierFigures, read_committed};
use cutover_process::State;
use std::cmp::Reverse;
use std::time::Duration;

/// How many suppliers are told of one by one: each is a series that monitoring keeps.
const NAMED: usize = 100;
/// How monitoring calls the others together. A supplier of that name is one of them.
const OTHERS: &str = "other";

/// What waits, runs and has ended, over all suppliers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Backlog {
    /// What waits of the suppliers with the most that waits, and of the others together, if there are any.
    pub waiting: Vec<Waiting>,
    /// Processes that are being imported.
    pub running: u64,
    /// Processes that have ended, by the state that they stand in: all states in which one may, in their
    /// order.
    pub ended: Vec<(State, u64)>,
}

/// What waits of a supplier, or of several.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Waiting {
    /// Whose it is; `other` for those that are not named.
    pub supplier: String,
    /// Processes that wait, whatever for.
    pub pending: u64,
    /// For how long the first of them has been due. Zero if none is, or the supplier takes no imports.
    pub oldest_due: Duration,
}

impl App {
    /// What waits, runs and has ended. It costs the same whatever that has come to.
    ///
    /// # Errors
    /// [`StoreError`] if the store could not be asked.
    pub fn backlog(&self) -> Result<Backlog, StoreError> {
        let now = self.clock.now();
        let standings = read_committed(&*self.store, |tx| tx.supplier_figures(now))?;
        let in_state = |state| standings.iter().map(|standing| count(standing, state)).sum();
        let ended = State::ALL.iter().filter(|state| state.has_ended());
        let since = |standing: &SupplierFigures| {
            let due = standing.first_due_at.filter(|_| standing.is_ongoing);
            due.and_then(|at| (now - at).to_std().ok()).unwrap_or_default()
        };
        let waiting = standings.iter().map(|standing| Waiting {
            supplier: standing.supplier.to_string(),
            pending: count(standing, State::Pending),
            oldest_due: since(standing),
        });
        Ok(Backlog {
            waiting: bounded(waiting.collect()),
            running: in_state(State::InProgress),
            ended: ended.map(|state| (*state, in_state(*state))).collect(),
        })
    }

    /// What the database server says of itself; `None` where there is no server.
    ///
    /// # Errors
    /// [`StoreError`] if it could not be asked.
    pub fn server_figures(&self) -> Result<Option<ServerFigures>, StoreError> {
        self.store.server_figures()
    }

    /// How many payment vendors are left alone since they failed too often.
    pub fn open_vendor_circuits(&self) -> usize {
        self.vendors.open_circuits()
    }
}

fn count(standing: &SupplierFigures, state: State) -> u64 {
    standing.states.iter().filter(|(of, _)| *of == state).map(|(_, processes)| processes).sum()
}

/// Those with the most that waits, first, and the others as one.
fn bounded(mut waiting: Vec<Waiting>) -> Vec<Waiting> {
    waiting.sort_by(|one, other| {
        (one.supplier == OTHERS, Reverse(one.pending), &one.supplier).cmp(&(
            other.supplier == OTHERS,
            Reverse(other.pending),
            &other.supplier,
        ))
    });
    let named = waiting.iter().take(NAMED).take_while(|waiting| waiting.supplier != OTHERS).count();
    let others = waiting.split_off(named);
    if !others.is_empty() {
        waiting.push(Waiting {
            supplier: OTHERS.into(),
            pending: others.iter().map(|waiting| waiting.pending).sum(),
            oldest_due: others.iter().map(|waiting| waiting.oldest_due).max().unwrap_or_default(),
        });
    }
    waiting
}

#[cfg(test)]
mod tests {
    use super::*;

    fn waiting(supplier: &str, pending: u64) -> Waiting {
        Waiting { supplier: supplier.into(), pending, oldest_due: Duration::from_secs(pending / 2) }
    }

    #[test]
    fn the_suppliers_with_the_most_are_named_and_the_others_summed() {
        let all: Vec<Waiting> = (1..=150).map(|n| waiting(&format!("S-{n}"), n)).collect();
        let bounded = bounded(all);
        assert_eq!(bounded.len(), NAMED + 1);
        assert_eq!((&bounded[0], &bounded[99]), (&waiting("S-150", 150), &waiting("S-51", 51)));
        let oldest_due = Duration::from_secs(25);
        assert_eq!(bounded[100], Waiting { supplier: "other".into(), pending: 50 * 51 / 2, oldest_due });
    }

    #[test]
    fn of_few_suppliers_each_is_named_once() {
        assert_eq!(bounded(Vec::new()), []);
        let two = bounded(vec![waiting("A", 0), waiting("B", 7)]);
        assert_eq!(two, [waiting("B", 7), waiting("A", 0)]);
        // No name stands for two series.
        let called_other = bounded(vec![waiting("other", 9), waiting("A", 1)]);
        assert_eq!(called_other, [waiting("A", 1), waiting("other", 9)]);
    }
}
