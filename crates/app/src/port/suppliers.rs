use super::StoreError;
use chrono::{DateTime, Utc};
use cutover_core::{Level, SupplierCode, SupplierStatus, Word, Zone};
use std::collections::BTreeMap;

/// Settings of an import supplier (contract D1).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SupplierSettings {
    /// Its status. It accepts no accounts in a status of a newer version.
    pub status: Word<SupplierStatus>,
    /// The root of its documents: `/` and plain segments. Default `/<code>`.
    pub document_root: String,
    /// If set, documents named in payloads must exist.
    pub verify_documents: bool,
    /// If set, the retailer's mailer may write to customers of imported accounts.
    pub send_customer_emails: bool,
    /// If set, every import is a dry run.
    pub dry_run: bool,
    /// Maximum number of concurrent imports over all nodes.
    pub max_concurrent_imports: Option<u32>,
    /// The zone of its dates and its datetimes without offset.
    pub time_zone: Zone,
    /// Levels of rules that differ from the default, by id (rules 1.5). A rule with a level of a newer
    /// version has its default level.
    pub rules: BTreeMap<String, Word<Level>>,
}

impl SupplierSettings {
    /// The settings of a new supplier before any is changed.
    pub fn new(code: &str) -> Self {
        Self {
            status: SupplierStatus::Ongoing.into(),
            document_root: format!("/{code}"),
            verify_documents: false,
            send_customer_emails: false,
            dry_run: false,
            max_concurrent_imports: None,
            time_zone: Zone::UTC,
            rules: BTreeMap::new(),
        }
    }
}

/// An import supplier.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Supplier {
    /// The store's key.
    pub id: i64,
    /// The organisation that owns it.
    pub organisation_id: i64,
    /// The name of that organisation.
    pub organisation: String,
    /// Its code, unique in the installation.
    pub code: SupplierCode,
    /// Its settings.
    pub settings: SupplierSettings,
    /// The revision of the settings, incremented by each change.
    pub revision: i64,
    /// Time of creation.
    pub created_at: DateTime<Utc>,
}

/// Queries of import suppliers.
pub trait Suppliers {
    /// Adds a supplier; `None` if the code is taken.
    fn add_supplier(
        &mut self,
        organisation_id: i64,
        code: &SupplierCode,
        settings: &SupplierSettings,
        at: DateTime<Utc>,
    ) -> Result<Option<Supplier>, StoreError>;

    /// Locks all suppliers against other holders of this lock until the transaction ends. Settings that are
    /// read after it do not change until this transaction changes them.
    fn lock_suppliers(&mut self) -> Result<(), StoreError>;

    /// Replaces the settings of a supplier and increments its revision.
    fn set_supplier(&mut self, id: i64, settings: &SupplierSettings) -> Result<(), StoreError>;

    /// Returns the supplier with this code, of any organisation.
    fn supplier(&mut self, code: &SupplierCode) -> Result<Option<Supplier>, StoreError>;

    /// Returns the supplier with this code if the organisation owns it. A supplier of another organisation
    /// costs no more work than an absent one (contract D1).
    fn supplier_of(
        &mut self,
        organisation_id: i64,
        code: &SupplierCode,
    ) -> Result<Option<Supplier>, StoreError>;

    /// Returns true if a supplier that was read before still has the same revision. Reads much less than the
    /// supplier.
    fn is_current(&mut self, supplier: &Supplier) -> Result<bool, StoreError>;

    /// Returns the supplier with this key.
    fn supplier_by_id(&mut self, id: i64) -> Result<Option<Supplier>, StoreError>;

    /// Returns the suppliers with these keys, in any order.
    fn suppliers_by_ids(&mut self, ids: &[i64]) -> Result<Vec<Supplier>, StoreError>;

    /// Returns every supplier, by code.
    fn suppliers(&mut self) -> Result<Vec<Supplier>, StoreError>;
}
