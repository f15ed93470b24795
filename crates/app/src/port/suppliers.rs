use super::StoreError;
use chrono::{DateTime, Utc};
use cutover_core::{Level, SupplierCode, SupplierStatus, Word, Zone};
use std::collections::BTreeMap;

/// What the operator sets of an import supplier (contract D1).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SupplierSettings {
    /// Whether it takes accounts. In a status that a newer version wrote, it takes none.
    pub status: Word<SupplierStatus>,
    /// Where its documents lie: `/` and segments; default `/<code>`.
    pub document_root: String,
    /// Whether documents named in payloads must exist.
    pub verify_documents: bool,
    /// Recorded on imported accounts for the retailer's mailer.
    pub send_customer_emails: bool,
    /// Whether every import of it is a dry run.
    pub dry_run: bool,
    /// How many of its accounts may be imported at the same time, over all nodes.
    pub max_concurrent_imports: Option<u32>,
    /// Where its days and its datetimes without offset are.
    pub time_zone: Zone,
    /// Rules that are set otherwise than by default, by id (rules 1.5). Those that a newer version set to
    /// what this one does not know have their default level.
    pub rules: BTreeMap<String, Word<Level>>,
}

/// An import supplier.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Supplier {
    /// The store's key.
    pub id: i64,
    /// Whose it is.
    pub organisation_id: i64,
    /// The name of that organisation.
    pub organisation: String,
    /// Unique in the installation.
    pub code: SupplierCode,
    /// What the operator sets.
    pub settings: SupplierSettings,
    /// Grows with each change of the settings.
    pub revision: i64,
    /// When it was added.
    pub created_at: DateTime<Utc>,
}

/// Import suppliers.
pub trait Suppliers {
    /// Adds a supplier; `None` if the code is taken.
    fn add_supplier(
        &mut self,
        organisation_id: i64,
        code: &SupplierCode,
        settings: &SupplierSettings,
        at: DateTime<Utc>,
    ) -> Result<Option<Supplier>, StoreError>;

    /// Holds other transactions that do the same off until this one ends, whichever suppliers they are about:
    /// what is then read of all settings holds until some are added or replaced.
    fn lock_suppliers(&mut self) -> Result<(), StoreError>;

    /// Replaces the settings of a supplier; its revision is the next.
    fn set_supplier(&mut self, id: i64, settings: &SupplierSettings) -> Result<(), StoreError>;

    /// The supplier of a code, whoever owns it.
    fn supplier(&mut self, code: &SupplierCode) -> Result<Option<Supplier>, StoreError>;

    /// The supplier of a code if it is the organisation's. One of another organisation is not even read: it
    /// costs no more work than an absent one (contract D1).
    fn supplier_of(
        &mut self,
        organisation_id: i64,
        code: &SupplierCode,
    ) -> Result<Option<Supplier>, StoreError>;

    /// Whether a supplier that was read before has that revision still: much less to read than the supplier.
    fn is_current(&mut self, supplier: &Supplier) -> Result<bool, StoreError>;

    /// The supplier of a key.
    fn supplier_by_id(&mut self, id: i64) -> Result<Option<Supplier>, StoreError>;

    /// The suppliers of these keys, in any order.
    fn suppliers_by_ids(&mut self, ids: &[i64]) -> Result<Vec<Supplier>, StoreError>;

    /// Every supplier, by code.
    fn suppliers(&mut self) -> Result<Vec<Supplier>, StoreError>;
}
