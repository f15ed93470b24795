use crate::port::Supplier;
use chrono::{DateTime, TimeDelta, Utc};
use cutover_core::SupplierCode;
use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

/// How long a supplier is remembered: a program of an earlier version changes one without a new revision.
const REMEMBERED: TimeDelta = TimeDelta::seconds(5);

/// Suppliers as they were last read, for those who have what they decide confirmed by the store: it compares
/// the revision.
#[derive(Default)]
pub(crate) struct KnownSuppliers(RwLock<HashMap<SupplierCode, Known>>);

struct Known {
    supplier: Arc<Supplier>,
    read_at: DateTime<Utc>,
}

impl KnownSuppliers {
    pub(super) fn recall(
        &self,
        organisation_id: i64,
        code: &SupplierCode,
        now: DateTime<Utc>,
    ) -> Option<Arc<Supplier>> {
        let known = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let Known { supplier, read_at } = known.get(code)?;
        // A clock may be set back.
        let is_fresh = (TimeDelta::zero()..REMEMBERED).contains(&(now - read_at));
        (is_fresh && supplier.organisation_id == organisation_id).then(|| supplier.clone())
    }

    pub(super) fn remember(&self, supplier: &Arc<Supplier>, now: DateTime<Utc>) {
        let known = Known { supplier: supplier.clone(), read_at: now };
        self.0.write().unwrap_or_else(PoisonError::into_inner).insert(supplier.code.clone(), known);
    }
}
