use super::{Operator, StoreError};
use chrono::{DateTime, Utc};
use cutover_core::{SupplierCode, Word, string_enum};

string_enum! {
    "a cause of a hold";
    /// Why the imports of a supplier are held (contract D16).
    pub enum HoldCause {
        /// An operator held them.
        Operator = "operator",
        /// The supplier itself asked for it.
        Supplier = "supplier",
        /// All accounts of a wave have ended.
        Wave = "wave",
        /// Too many of the last accounts that ended have failed.
        ErrorRate = "error_rate",
    }
}

/// A reason to hold the imports of a supplier.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HoldReason {
    /// Its cause.
    pub by: Word<HoldCause>,
    /// Who holds them, as in the audit trail: an operator, or a key of the supplier; `None` if the service does.
    pub owner: Option<Operator>,
    /// When it was added.
    pub since: DateTime<Utc>,
    /// The words of the operator or of the supplier.
    pub because: Option<String>,
}

/// A hold of the imports of a supplier: its first reason, the counts of that time, and the reasons added since.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hold {
    /// The first reason.
    pub first: HoldReason,
    /// Further reasons, oldest first.
    pub also: Vec<HoldReason>,
    /// The wave that was running, from 1.
    pub wave: Option<u32>,
    /// Accounts that had ended since the last release.
    pub ended: u64,
    /// Number of these that had failed; with a window, among the last of that number.
    pub failed: u64,
    /// The number of accounts that the share of failures is about.
    pub window: Option<u32>,
}

/// The last accounts of a supplier that ended, of which a number may fail.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ErrorWindow {
    /// Number of failures among them that does not hold yet.
    pub limit: u32,
    /// Their number.
    pub window: u32,
    /// A bit for each: set if it failed. The account that ended as the n-th since the last release has the bit
    /// n modulo the window.
    pub failed: Vec<u8>,
}

/// Decides if accounts of a supplier may be claimed (contract D16). A supplier that has neither a setting of
/// gates nor a hold has none, so its imports cost nothing more.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gate {
    /// The store's key of the supplier.
    pub supplier_id: i64,
    /// The number of the running wave, from 1; 0 if none has begun.
    pub wave: u32,
    /// Number of accounts that the wave may claim; `None` for all.
    pub wave_size: Option<u64>,
    /// Number of accounts that the wave has claimed, each once.
    pub claimed: u64,
    /// Number of accounts that have ended since the last release.
    pub ended: u64,
    /// Number of these that failed.
    pub failed: u64,
    /// Time of the last release, or of the settings if it was not held since; `None` for gates of older versions.
    pub began_at: Option<DateTime<Utc>>,
    /// The last of these, if they decide about a hold.
    pub errors: Option<ErrorWindow>,
    /// The hold, if the supplier is held.
    pub hold: Option<Hold>,
}

/// The gates of suppliers, and the accounts of their waves.
///
/// An account belongs to the running wave from its first claim since the wave began. It is open until it ends. If
/// its claim is given back, it can be claimed again although the wave is full.
pub trait Gates {
    /// Returns the gate of a supplier, if it has one.
    fn gate(&mut self, supplier_id: i64) -> Result<Option<Gate>, StoreError>;

    /// Adds or replaces the gate of a supplier.
    fn save_gate(&mut self, gate: &Gate) -> Result<(), StoreError>;

    /// Removes the gate of a supplier, if it has one.
    fn remove_gate(&mut self, supplier_id: i64) -> Result<(), StoreError>;

    /// Returns the hold of a supplier.
    fn hold(&mut self, supplier_id: i64) -> Result<Option<Hold>, StoreError>;

    /// Makes processes open accounts of the running wave, and returns how many did not belong to it before.
    fn join_wave(&mut self, supplier_id: i64, process_ids: &[i64]) -> Result<u64, StoreError>;

    /// Notes that processes have ended: they belong to their wave, but are not open.
    fn leave_wave(&mut self, process_ids: &[i64]) -> Result<(), StoreError>;

    /// Returns true if an account of the running wave is open.
    fn is_wave_open(&mut self, supplier_id: i64) -> Result<bool, StoreError>;

    /// Returns those of these processes that are open accounts of a wave, by key.
    fn open_in_wave(&mut self, process_ids: &[i64]) -> Result<Vec<i64>, StoreError>;

    /// Removes all accounts from the wave of a supplier.
    fn clear_wave(&mut self, supplier_id: i64) -> Result<(), StoreError>;
}

/// Queries that find gates of any supplier.
pub trait AnyGates {
    /// Locks the gates of those of these suppliers that have one until the transaction ends, and returns them in the
    /// order of their keys.
    fn lock_gates(&mut self, suppliers: &[SupplierCode]) -> Result<Vec<(SupplierCode, Gate)>, StoreError>;

    /// Returns all suppliers that are held, by code.
    fn holds(&mut self) -> Result<Vec<(SupplierCode, Hold)>, StoreError>;

    /// Returns the suppliers that are not held although their wave is full and no account of it is open.
    fn ended_waves(&mut self) -> Result<Vec<SupplierCode>, StoreError>;
}
