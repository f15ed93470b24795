use super::StoreError;
use cutover_model::Totals;
use std::collections::BTreeSet;

/// The name of a table, and the number of its rows that were removed.
pub type ErasedRows = (&'static str, u64);

/// What an erasure leaves of an account: a keyed hash of its supplier and its number (decision 0018). Whoever lacks the key
/// cannot tell of whom it is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct ErasureMark(pub [u8; 32]);

masked! { ErasureMark }

/// Traces of removed rows on the disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Traces {
    /// None: they were overwritten.
    None,
    /// The write-ahead log holds them until its next checkpoint, which a long read transaction delays.
    UntilCheckpoint,
    /// The dead rows remain until their tables are vacuumed.
    UntilVacuum,
}

/// Queries that remove accounts and suppliers. The caller has locked the processes and the accounts.
pub trait Erasure {
    /// Returns the share of an account in the totals of its supplier, with all additions; `None` if it is not
    /// imported. Reads no details, so that an unreadable account can be removed.
    fn account_totals(&mut self, account_id: i64) -> Result<Option<Totals>, StoreError>;

    /// Returns the paths of the documents that an imported account names, as they were sent.
    fn account_documents(&mut self, account_id: i64) -> Result<Vec<String>, StoreError>;

    /// Removes every row of processes and of their accounts, and returns their number by table, without tables
    /// that had none. The caller updates the totals with [`super::Figures::remove_totals`].
    fn erase(&mut self, process_ids: &[i64]) -> Result<Vec<ErasedRows>, StoreError>;

    /// Sets the certificate key that the marks of a supplier are made with, and increments its revision: creates that were
    /// checked before are checked again. Marks that were made with another key are never found any more.
    fn set_mark_key(&mut self, supplier_id: i64, key_id: &str) -> Result<(), StoreError>;

    /// Leaves the mark of an erased account of a supplier, unless it is there already.
    fn add_erasure_mark(&mut self, supplier_id: i64, mark: ErasureMark) -> Result<(), StoreError>;

    /// Returns those of these marks that the supplier has.
    fn erasure_marks_among(
        &mut self,
        supplier_id: i64,
        marks: &[ErasureMark],
    ) -> Result<BTreeSet<ErasureMark>, StoreError>;

    /// Removes a mark. Returns false if the supplier does not have it.
    fn remove_erasure_mark(&mut self, supplier_id: i64, mark: ErasureMark) -> Result<bool, StoreError>;

    /// Counts what is kept of a supplier besides its processes: businesses and jobs. Reads an index of each.
    fn supplier_rows(&mut self, supplier_id: i64) -> Result<Vec<ErasedRows>, StoreError>;

    /// Removes figures of a supplier by the minute, and jobs of it with their lists, except the job that erases it.
    /// Removes at most `limit` rows, and returns their number by table: none if nothing was left.
    fn erase_minutes_and_jobs(
        &mut self,
        supplier_id: i64,
        job_id: i64,
        limit: u32,
    ) -> Result<Vec<ErasedRows>, StoreError>;

    /// Removes a supplier with its settings, its marks and the rest of its figures; returns the number of rows by table. `None`, and
    /// nothing is removed, if it has processes, businesses or refused creates, or if another transaction folds figures.
    fn erase_supplier(&mut self, supplier_id: i64) -> Result<Option<Vec<ErasedRows>>, StoreError>;
}
