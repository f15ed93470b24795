use super::{ErasedRows, Position, StoreError};
use chrono::{DateTime, Utc};
use cutover_core::{ExternalAccountNumber, ServiceAccountNumber, string_enum};

string_enum! {
    "a reason to keep an account";
    /// The reason why the import of an account is not undone (contract D18).
    #[derive(PartialOrd, Ord)]
    pub enum KeptBecause {
        /// Another system has billed it.
        Billed = "account_already_billed",
        /// Something was added to it since the import.
        Changed = "account_changed",
        /// Payload and history of its process are in an archive.
        Archived = "account_archived",
    }
}

/// The part of an imported account that decides whether its import can be undone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportedHead {
    /// The key of the account and its process.
    pub id: i64,
    /// The key of its supplier.
    pub supplier_id: i64,
    /// Its number at its previous supplier.
    pub external_account_number: ExternalAccountNumber,
    /// Time of the import.
    pub imported_at: DateTime<Utc>,
    /// Time at which something was first added to it.
    pub added_at: Option<DateTime<Utc>>,
    /// Time at which another system reported that it has billed it.
    pub billed_at: Option<DateTime<Utc>>,
    /// Set if payload and history of its process are archived.
    pub is_archived: bool,
}

impl ImportedHead {
    /// Its position in import order.
    pub fn position(&self) -> Position {
        (self.imported_at, self.id)
    }

    /// Returns the reason why its import cannot be undone; `None` if it can.
    pub fn kept_because(&self) -> Option<KeptBecause> {
        match self {
            Self { billed_at: Some(_), .. } => Some(KeptBecause::Billed),
            Self { added_at: Some(_), .. } => Some(KeptBecause::Changed),
            Self { is_archived: true, .. } => Some(KeptBecause::Archived),
            _ => None,
        }
    }
}

/// The time of a wave (contract D16): from its begin to that of the next one, or to the end of waves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WaveSpan {
    /// Its begin.
    pub began_at: DateTime<Utc>,
    /// Its end; `None` for the running wave.
    pub until: Option<DateTime<Utc>>,
}

/// Queries for undoing imports, and for what prevents it (contract D18).
pub trait Undo {
    /// Returns accounts of a supplier after a position, in import order, at most `limit`.
    fn imported_heads(
        &mut self,
        supplier_id: i64,
        after: Position,
        limit: u32,
    ) -> Result<Vec<ImportedHead>, StoreError>;

    /// Returns the accounts that processes imported, in the order of their keys.
    fn heads_of(&mut self, process_ids: &[i64]) -> Result<Vec<ImportedHead>, StoreError>;

    /// Notes that a wave of a supplier begins; 0 ends its waves.
    fn begin_wave(&mut self, supplier_id: i64, wave: u32, at: DateTime<Utc>) -> Result<(), StoreError>;

    /// Returns the time of the last wave of a supplier with this number, which a new setting of waves begins anew.
    fn wave_span(&mut self, supplier_id: i64, wave: u32) -> Result<Option<WaveSpan>, StoreError>;

    /// Locks an account as [`lock_account`](super::Accounts::lock_account) does, if it has this number. Returns false if
    /// it is gone, even if another one was imported since under the same key.
    fn lock_numbered(&mut self, account_id: i64, number: &ServiceAccountNumber) -> Result<bool, StoreError>;

    /// Notes when something was first added to an account since its import. The caller has locked it.
    fn mark_added(&mut self, account_id: i64, at: DateTime<Utc>) -> Result<(), StoreError>;

    /// Notes when an account was billed. Returns false if that is noted already. The caller has locked it.
    fn mark_billed(&mut self, account_id: i64, at: DateTime<Utc>) -> Result<bool, StoreError>;

    /// Removes every row of accounts, but not of their processes, and returns their number by table, without tables that
    /// had none. Their numbers are kept so that no account gets them again. The caller has locked them, and updates the
    /// totals with [`remove_totals`](super::Figures::remove_totals).
    fn remove_accounts(&mut self, account_ids: &[i64]) -> Result<Vec<ErasedRows>, StoreError>;
}

#[cfg(test)]
mod tests {
    use super::*;
    use cutover_core::{Code, Domain};

    /// Each is explained like any other code.
    #[test]
    fn reasons_are_codes() {
        let of_undo = Code::ALL.into_iter().filter(|code| code.domain() == Domain::Undo);
        assert_eq!(KeptBecause::WORDS, of_undo.map(Code::as_str).collect::<Vec<_>>());
    }
}
