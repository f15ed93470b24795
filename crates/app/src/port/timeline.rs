use super::{HoldCause, Job, Operator, StoreError, StoredCertificate};
use chrono::{DateTime, Utc};
use cutover_core::Word;

/// A note that a person wrote into the timeline of a supplier.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SupplierNote {
    /// When it was written.
    pub at: DateTime<Utc>,
    /// Its author.
    pub by: Operator,
    /// The text.
    pub text: String,
}

/// A hold of a supplier by the service.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServiceHold {
    /// When it began, or when this reason was added to another hold.
    pub at: DateTime<Utc>,
    /// Its cause.
    pub by: Word<HoldCause>,
    /// The wave that was running, from 1.
    pub wave: Option<u32>,
    /// Accounts that had ended since the last release.
    pub ended: u64,
    /// Number of these that had failed.
    pub failed: u64,
}

/// The part of a supplier's timeline to read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimelineRange {
    /// The store's key of the supplier.
    pub supplier_id: i64,
    /// Before this time.
    pub before: DateTime<Utc>,
    /// Maximum number of rows.
    pub limit: u32,
}

/// What is kept for the timeline of a supplier alone, and what else belongs to it by time. Each query returns the last first.
pub trait Timeline {
    /// Adds a note.
    fn add_supplier_note(&mut self, supplier_id: i64, note: &SupplierNote) -> Result<(), StoreError>;

    /// Keeps that the service holds a supplier.
    fn add_service_hold(&mut self, supplier_id: i64, hold: &ServiceHold) -> Result<(), StoreError>;

    /// Returns notes of a supplier.
    fn supplier_notes(&mut self, range: TimelineRange) -> Result<Vec<SupplierNote>, StoreError>;

    /// Returns holds of a supplier by the service.
    fn service_holds(&mut self, range: TimelineRange) -> Result<Vec<ServiceHold>, StoreError>;

    /// Returns the begins of waves of a supplier with their numbers; 0 where its waves ended.
    fn wave_begins(&mut self, range: TimelineRange) -> Result<Vec<(DateTime<Utc>, u32)>, StoreError>;

    /// Returns jobs of a supplier that are not being prepared, by their begin.
    fn begun_jobs(&mut self, range: TimelineRange) -> Result<Vec<Job>, StoreError>;

    /// Returns issued certificates of a supplier, by the begin of their issue.
    fn issued_certificates(&mut self, range: TimelineRange) -> Result<Vec<StoredCertificate>, StoreError>;
}
