use super::StoreError;
use cutover_model::Totals;

/// The name of a table, and the number of its rows that were removed.
pub type ErasedRows = (&'static str, u64);

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

/// Queries that remove accounts. The caller has locked the process and the account.
pub trait Erasure {
    /// Returns the share of an account in the totals of its supplier, with all additions; `None` if it is not
    /// imported. Reads no details, so that an unreadable account can be removed.
    fn account_totals(&mut self, account_id: i64) -> Result<Option<Totals>, StoreError>;

    /// Returns the paths of the documents that an imported account names, as they were sent.
    fn account_documents(&mut self, account_id: i64) -> Result<Vec<String>, StoreError>;

    /// Removes every row of a process and of its account, and returns their number by table, without tables
    /// that had none. The caller updates the totals with [`super::Figures::remove_totals`].
    fn erase(&mut self, process_id: i64) -> Result<Vec<ErasedRows>, StoreError>;
}
