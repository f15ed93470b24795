use crate::port::Supplier;
use chrono::{DateTime, TimeDelta, Utc};
use cutover_core::SupplierCode;
use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

/// Maximum age of a cached supplier. It is bounded because earlier versions of the program do not increment
/// the revision.
const MAX_AGE: TimeDelta = TimeDelta::seconds(5);

/// Cache of suppliers. The store confirms decisions on a cached supplier by comparing its revision.
#[derive(Default)]
pub(crate) struct SupplierCache(RwLock<HashMap<SupplierCode, Entry>>);

struct Entry {
    supplier: Arc<Supplier>,
    read_at: DateTime<Utc>,
}

impl SupplierCache {
    pub(super) fn get(
        &self,
        organisation_id: i64,
        code: &SupplierCode,
        now: DateTime<Utc>,
    ) -> Option<Arc<Supplier>> {
        let entries = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let Entry { supplier, read_at } = entries.get(code)?;
        // The age is negative if the clock was set back.
        let is_fresh = (TimeDelta::zero()..MAX_AGE).contains(&(now - read_at));
        (is_fresh && supplier.organisation_id == organisation_id).then(|| supplier.clone())
    }

    pub(super) fn insert(&self, supplier: &Arc<Supplier>, now: DateTime<Utc>) {
        let entry = Entry { supplier: supplier.clone(), read_at: now };
        self.0.write().unwrap_or_else(PoisonError::into_inner).insert(supplier.code.clone(), entry);
    }
}
