use super::{Cause, StoreError};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

/// A fault for which accounts are refused: nothing of a value.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct RefusedFault {
    /// The code.
    pub code: String,
    /// The pattern of the path: see [`pattern`](cutover_core::AttrPath::pattern).
    pub attr: String,
}

impl From<&RefusedFault> for Cause {
    fn from(fault: &RefusedFault) -> Self {
        Self { code: fault.code.clone(), attr: Some(fault.attr.clone()).filter(|attr| !attr.is_empty()) }
    }
}

/// The last refused create of an account that was not accepted since (contract D13).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefusedCreate {
    /// The account's number at its previous supplier, trimmed.
    pub number: String,
    /// Time of the refusal.
    pub refused_at: DateTime<Utc>,
    /// Its faults, each once.
    pub causes: Vec<RefusedFault>,
}

/// Figures of the refused creates of a supplier.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RefusedFigures {
    /// Number of accounts that were refused and not accepted since.
    pub accounts: u64,
    /// Number of refused payloads without a usable number.
    pub without_number: u64,
    /// The most frequent causes, with the number of accounts of each, the most frequent first.
    pub top: Vec<(RefusedFault, u64)>,
}

/// Queries of refused creates (contract D13). They keep figures of them.
pub trait Refusals {
    /// Locks the refused creates of a supplier until the transaction ends.
    fn lock_refusals(&mut self, supplier_id: i64) -> Result<(), StoreError>;

    /// Returns the refused creates of a supplier with these numbers, by number.
    fn refused_among(
        &mut self,
        supplier_id: i64,
        numbers: &[String],
    ) -> Result<Vec<RefusedCreate>, StoreError>;

    /// Removes refused creates that are stored, adds others, and counts payloads without a number. The caller holds
    /// the [lock](Self::lock_refusals).
    fn change_refusals(
        &mut self,
        supplier_id: i64,
        removed: &[RefusedCreate],
        added: &[RefusedCreate],
        without_number: u64,
    ) -> Result<(), StoreError>;

    /// Returns the oldest refused creates of a supplier, at most `limit`.
    fn oldest_refused(&mut self, supplier_id: i64, limit: u32) -> Result<Vec<RefusedCreate>, StoreError>;

    /// Returns the refused creates of a supplier with greater numbers than `after`, by number, at most `limit`.
    fn refused_after(
        &mut self,
        supplier_id: i64,
        after: &str,
        limit: u32,
    ) -> Result<Vec<RefusedCreate>, StoreError>;

    /// Returns the figures of a supplier, with at most `limit` causes.
    fn refused_figures(&mut self, supplier_id: i64, limit: u32) -> Result<RefusedFigures, StoreError>;

    /// Returns refused creates of a supplier whose numbers contain a text, ignoring the case of ASCII letters, by number, at most
    /// `limit`. Reads all numbers: a supplier has a limited number of refused creates.
    fn refused_with_part(
        &mut self,
        supplier_id: i64,
        part: &str,
        limit: u32,
    ) -> Result<Vec<RefusedCreate>, StoreError>;
}
