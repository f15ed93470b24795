//! Checks that workers respect the status and the limit of suppliers.

use crate::plan::Action;
use crate::quiet::accounts;
use crate::simulation::Simulation;
use crate::specs::AccountRef;
use cutover_core::SupplierStatus;
use cutover_process::State;
use std::collections::{BTreeMap, BTreeSet};

/// Current settings of the suppliers.
#[derive(Debug, Default)]
pub(crate) struct Bounds {
    stopped: BTreeSet<u8>,
    limits: BTreeMap<u8, u32>,
    /// Claims that were already seen, by the version of the process.
    seen: BTreeSet<(AccountRef, i64)>,
}

impl Bounds {
    /// Applies a change of a setting.
    pub(crate) fn set(&mut self, act: &Action) {
        match act {
            Action::SetStatus(supplier, SupplierStatus::Ongoing) => drop(self.stopped.remove(supplier)),
            Action::SetStatus(supplier, _) => drop(self.stopped.insert(*supplier)),
            Action::SetLimit(supplier, None) => drop(self.limits.remove(supplier)),
            Action::SetLimit(supplier, Some(limit)) => drop(self.limits.insert(*supplier, *limit)),
            _ => {}
        }
    }

    pub(crate) fn is_stopped(&self, supplier: u8) -> bool {
        self.stopped.contains(&supplier)
    }

    fn is_bounded(&self, supplier: u8) -> bool {
        self.is_stopped(supplier) || self.limits.contains_key(&supplier)
    }

    /// Returns what is wrong with the claims that are held now.
    fn fault(&mut self, held: &[(AccountRef, i64)]) -> Option<String> {
        let new: Vec<_> = held.iter().filter(|claim| self.seen.insert(**claim)).collect();
        new.into_iter().find_map(|(account, _)| {
            let supplier = account.supplier;
            let running = held.iter().filter(|(of, _)| of.supplier == supplier).count();
            let is_over = self.limits.get(&supplier).is_some_and(|limit| running > *limit as usize);
            (is_over || self.is_stopped(supplier))
                .then(|| format!("{account:?} was claimed as one of {running}: {self:?}"))
        })
    }
}

impl Simulation {
    /// Checks after a commit of a worker that it took no claim that it must not take.
    pub(crate) fn check_claims(&self) {
        let bounded = |account: &AccountRef| self.oracle().bounds.is_bounded(account.supplier);
        let held: Vec<_> = accounts().filter(bounded).filter_map(|account| self.claim(account)).collect();
        let fault = self.oracle().bounds.fault(&held);
        if let Some(fault) = fault {
            self.oracle().violate(fault);
        }
    }

    /// Exempts claims that were taken before a setting changed.
    pub(crate) fn note_claims(&self) {
        let held: Vec<_> = accounts().filter_map(|account| self.claim(account)).collect();
        self.oracle().bounds.seen.extend(held);
    }

    fn claim(&self, account: AccountRef) -> Option<(AccountRef, i64)> {
        let process = self.process(account)?.process;
        (process.state() == State::InProgress).then(|| (account, process.version()))
    }
}
