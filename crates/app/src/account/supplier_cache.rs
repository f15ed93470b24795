use crate::port::Supplier;
use chrono::{DateTime, TimeDelta, Utc};
use cutover_core::SupplierCode;
use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

/// Maximum age of a cached supplier. It is bounded because earlier versions of the program do not increment
/// the revision.
const MAX_AGE: TimeDelta = TimeDelta::seconds(5);
/// Maximum time since the store confirmed a cached supplier at which it is taken as it is: a request may take as long.
const CURRENT: TimeDelta = TimeDelta::milliseconds(10);

/// Cache of suppliers. The store confirms what is stored because of a cached supplier by comparing its revision.
#[derive(Default)]
pub(crate) struct SupplierCache(RwLock<HashMap<SupplierCode, Entry>>);

struct Entry {
    supplier: Arc<Supplier>,
    read_at: DateTime<Utc>,
    /// Time at which the store last confirmed its revision.
    confirmed_at: DateTime<Utc>,
}

impl Entry {
    fn is_fresh(&self, now: DateTime<Utc>) -> bool {
        is_within(MAX_AGE, self.read_at, now)
    }
}

/// The age is negative if the clock was set back.
fn is_within(most: TimeDelta, since: DateTime<Utc>, now: DateTime<Utc>) -> bool {
    (TimeDelta::zero()..most).contains(&(now - since))
}

impl SupplierCache {
    pub(super) fn get(
        &self,
        organisation_id: i64,
        code: &SupplierCode,
        now: DateTime<Utc>,
    ) -> Option<Arc<Supplier>> {
        self.find(organisation_id, code, |entry| entry.is_fresh(now))
    }

    /// Returns a supplier that was current a moment ago, for answers after which nothing is stored.
    pub(super) fn current(
        &self,
        organisation_id: i64,
        code: &SupplierCode,
        now: DateTime<Utc>,
    ) -> Option<Arc<Supplier>> {
        let is_current = |entry: &Entry| entry.is_fresh(now) && is_within(CURRENT, entry.confirmed_at, now);
        self.find(organisation_id, code, is_current)
    }

    fn find(
        &self,
        organisation_id: i64,
        code: &SupplierCode,
        is_wanted: impl FnOnce(&Entry) -> bool,
    ) -> Option<Arc<Supplier>> {
        let entries = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let entry = entries.get(code).filter(|entry| entry.supplier.organisation_id == organisation_id)?;
        is_wanted(entry).then(|| entry.supplier.clone())
    }

    pub(super) fn insert(&self, supplier: &Arc<Supplier>, now: DateTime<Utc>) {
        let entry = Entry { supplier: supplier.clone(), read_at: now, confirmed_at: now };
        self.0.write().unwrap_or_else(PoisonError::into_inner).insert(supplier.code.clone(), entry);
    }

    /// Records that the store has this revision of a supplier.
    pub(super) fn confirm(&self, supplier: &Supplier, now: DateTime<Utc>) {
        let mut entries = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(entry) =
            entries.get_mut(&supplier.code).filter(|entry| entry.supplier.revision == supplier.revision)
        {
            entry.confirmed_at = now;
        }
    }

    /// Removes a supplier whose settings were changed.
    pub(crate) fn remove(&self, code: &SupplierCode) {
        self.0.write().unwrap_or_else(PoisonError::into_inner).remove(code);
    }
}
