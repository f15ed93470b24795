//! Figures of the whole installation for monitoring, the same from every node.

use crate::App;
use crate::port::{ServerFigures, StoreError, SupplierFigures, read_committed};
use cutover_process::State;
use std::cmp::Reverse;
use std::time::Duration;

/// Maximum number of suppliers with a series of their own in monitoring.
const NAMED: usize = 100;
/// The name of the series for all other suppliers. A supplier of that name is one of them.
const OTHERS: &str = "other";

/// Numbers of waiting, running and ended processes of all suppliers, and of webhooks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Backlog {
    /// Waiting processes of the suppliers with most of them, and of all others together.
    pub waiting: Vec<Waiting>,
    /// Number of processes that are being imported.
    pub running: u64,
    /// Number of processes in each state that ends a process, in the order of the states.
    pub ended: Vec<(State, u64)>,
    /// Webhooks and their open deliveries.
    pub webhooks: WebhookBacklog,
    /// Number of suppliers whose imports are held.
    pub held: u64,
}

/// Numbers of webhooks and of their open deliveries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct WebhookBacklog {
    /// Enabled webhooks.
    pub enabled: u64,
    /// Disabled webhooks.
    pub disabled: u64,
    /// Open deliveries of enabled webhooks. Events after the position of a webhook are not counted.
    pub open: u64,
    /// Age of the oldest of their events; zero if there is none.
    pub oldest: Duration,
}

/// Waiting processes of a supplier, or of several.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Waiting {
    /// The supplier; `other` for suppliers without a series of their own.
    pub supplier: String,
    /// Number of pending processes.
    pub pending: u64,
    /// Time since the first of them became due. Zero if none is due, or the supplier is held or not Ongoing.
    pub oldest_due: Duration,
}

impl App {
    /// Returns the numbers of waiting, running and ended processes. The cost does not depend on their number.
    ///
    /// # Errors
    /// [`StoreError`] if the store failed.
    pub fn backlog(&self) -> Result<Backlog, StoreError> {
        let now = self.clock.now();
        let (suppliers, webhooks, holds) = read_committed(&*self.store, |tx| {
            Ok((tx.supplier_figures(now)?, tx.webhook_figures()?, tx.holds()?))
        })?;
        let is_held = |of: &SupplierFigures| holds.iter().any(|(supplier, _)| *supplier == of.supplier);
        let in_state = |state| suppliers.iter().map(|figures| count(figures, state)).sum();
        let ended = State::ALL.iter().filter(|state| state.has_ended());
        let since = |figures: &SupplierFigures| {
            let due = figures.first_due_at.filter(|_| figures.is_ongoing && !is_held(figures));
            due.and_then(|at| (now - at).to_std().ok()).unwrap_or_default()
        };
        let waiting = suppliers.iter().map(|figures| Waiting {
            supplier: figures.supplier.to_string(),
            pending: count(figures, State::Pending),
            oldest_due: since(figures),
        });
        Ok(Backlog {
            waiting: bounded(waiting.collect()),
            running: in_state(State::InProgress),
            ended: ended.map(|state| (*state, in_state(*state))).collect(),
            held: holds.len() as u64,
            webhooks: WebhookBacklog {
                enabled: webhooks.enabled,
                disabled: webhooks.disabled,
                open: webhooks.open,
                oldest: webhooks.oldest.and_then(|at| (now - at).to_std().ok()).unwrap_or_default(),
            },
        })
    }

    /// Returns figures of the database server; `None` for an embedded database.
    ///
    /// # Errors
    /// [`StoreError`] if the server did not answer.
    pub fn server_figures(&self) -> Result<Option<ServerFigures>, StoreError> {
        self.store.server_figures()
    }

    /// Returns the number of payment vendors whose circuit breaker is open.
    pub fn open_vendor_circuits(&self) -> usize {
        self.vendors.open_circuits()
    }
}

fn count(figures: &SupplierFigures, state: State) -> u64 {
    figures.states.iter().filter(|(of, _)| *of == state).map(|(_, processes)| processes).sum()
}

/// Sorts by the number of pending processes, and merges all but the first into one.
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
    fn few_suppliers_are_named_each() {
        assert_eq!(bounded(Vec::new()), []);
        let two = bounded(vec![waiting("A", 0), waiting("B", 7)]);
        assert_eq!(two, [waiting("B", 7), waiting("A", 0)]);
        // The name `other` must not denote two series.
        let named_other = bounded(vec![waiting("other", 9), waiting("A", 1)]);
        assert_eq!(named_other, [waiting("A", 1), waiting("other", 9)]);
    }
}
