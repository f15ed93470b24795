//! The check of the first accounts of the next wave, as an import would check them now.

use super::facts::{Facts, Sample};
use super::{Finding, count};
use crate::operator::{Operations, OperatorError};
use crate::port::{StoreError, Supplier};
use chrono::{DateTime, TimeDelta, Utc};
use cutover_process::State;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// Maximum number of accounts that are checked.
const ACCOUNTS: u64 = 5_000;
/// Time for which a result is kept for pages and requests, which many may ask for.
const KEPT: TimeDelta = TimeDelta::seconds(30);

/// What a sample depends on. `pending` is set while the supplier is held: then an account that is sent again makes a kept
/// sample invalid. While imports run, the number changes all the time and is left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Key {
    supplier_id: i64,
    revision: i64,
    wave: u64,
    pending: Option<u64>,
}

/// A sample with the time at which it was made.
#[derive(Debug)]
struct Kept {
    key: Key,
    at: DateTime<Utc>,
    sample: Sample,
}

/// The last samples of suppliers, by the keys of these.
#[derive(Debug, Default)]
pub(crate) struct Sampled(Mutex<HashMap<i64, Kept>>);

impl Sampled {
    fn get(&self, key: Key, since: DateTime<Utc>) -> Option<Sample> {
        let samples = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = samples.get(&key.supplier_id).filter(|kept| kept.key == key && kept.at >= since)?;
        Some(kept.sample.clone())
    }

    fn keep(&self, key: Key, at: DateTime<Utc>, sample: Sample) {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(key.supplier_id, Kept { key, at, sample });
    }
}

impl Operations<'_> {
    /// Adds a sample to the facts.
    pub(super) fn sampled(&self, supplier: &Supplier, facts: Facts) -> Result<Facts, OperatorError> {
        let sample = self.sample(supplier, &facts)?;
        Ok(Facts { sample: Some(sample), ..facts })
    }

    /// Like [`sampled`](Self::sampled), with a sample that is some seconds old.
    pub(super) fn sampled_lately(&self, supplier: &Supplier, facts: Facts) -> Result<Facts, OperatorError> {
        let is_held = facts.gate.as_ref().is_some_and(|gate| gate.hold.is_some());
        let key = Key {
            supplier_id: supplier.id,
            revision: supplier.revision,
            wave: of_wave(&facts),
            pending: is_held.then_some(facts.left.pending),
        };
        let sample = match self.app.sampled.get(key, facts.now - KEPT) {
            Some(sample) => sample,
            None => {
                let sample = self.sample(supplier, &facts)?;
                self.app.sampled.keep(key, facts.now, sample.clone());
                sample
            }
        };
        Ok(Facts { sample: Some(sample), ..facts })
    }

    fn sample(&self, supplier: &Supplier, facts: &Facts) -> Result<Sample, OperatorError> {
        let accounts = of_wave(facts);
        let most = accounts.min(ACCOUNTS);
        let checked = self.check_stored(supplier, facts.now, Some(State::Pending), most, &mut |_| {});
        let result = match checked {
            Ok(checked) => Ok(checked),
            // The service does not answer at all.
            Err(OperatorError::Store(error @ StoreError::Unavailable(_))) => return Err(error.into()),
            Err(error) => Err(error.to_string()),
        };
        Ok(Sample { accounts, result })
    }
}

/// Returns the number of accounts of the running wave or of the one after a release, or of all that wait.
fn of_wave(facts: &Facts) -> u64 {
    facts.forecast.wave.map_or(facts.left.pending, |(_, part)| part.accounts.min(facts.left.pending))
}

/// Judges the share of the sample that would fail by the setting that holds the imports.
pub(super) fn sample(facts: &Facts) -> Finding {
    let Some(Sample { accounts, result }) = &facts.sample else {
        return Finding::warn(
            "The accounts that wait were not checked.",
            "Ask for the readiness again; `cutover supplier what-if` checks them too.",
        );
    };
    let found = match result {
        Ok(found) => found,
        Err(why) => {
            return Finding::warn(
                format!("The accounts that wait could not be checked: {why}."),
                "The operator finds the cause with `cutover doctor`.",
            );
        }
    };
    if *accounts == 0 {
        return Finding::ok("No account waits.");
    }
    let checked = format!("Checked {} of the {} that come next", count(found.checked), count(*accounts));
    if found.failing == 0 {
        return Finding::ok(format!("{checked}: none would fail."));
    }
    let most = found
        .codes
        .first()
        .map(|(cause, group)| format!(", most often {} ({})", cause.code, count(group.count)));
    let detail = format!("{checked}: {} would fail{}", count(found.failing), most.unwrap_or_default());
    let action = format!(
        "`cutover supplier what-if {}` names them: correct them and send them again, or cancel them.",
        facts.supplier.code
    );
    match facts.supplier.settings.hold_on_errors {
        None => Finding::warn(format!("{detail}; no share of failures is set."), action),
        Some(share) => {
            let allowed = share.allowed(found.checked);
            let detail = format!("{detail}; {share} allows {}.", count(allowed));
            if found.failing > allowed {
                Finding::stop(detail, action)
            } else {
                Finding::warn(detail, action)
            }
        }
    }
}
