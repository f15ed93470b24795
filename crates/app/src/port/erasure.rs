use super::StoreError;
use cutover_model::Totals;

/// How many rows of a table were removed.
pub type ErasedRows = (&'static str, u64);

/// What is left of something on the disk after it was removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Traces {
    /// Nothing: it was overwritten.
    None,
    /// What the write-ahead log holds, until it is emptied: somebody reads for long.
    UntilCheckpoint,
    /// Its rows, which nobody sees, until their tables are vacuumed.
    UntilVacuum,
}

/// Removes accounts. Whoever does so has locked the process and the account.
pub trait Erasure {
    /// What an imported account counts for in the totals of its supplier, with all that was added to it; `None` if
    /// it is not imported. Its details are not read: one that cannot be read can be removed.
    fn account_totals(&mut self, account_id: i64) -> Result<Option<Totals>, StoreError>;

    /// The paths of documents that an imported account names, as they were sent.
    fn account_documents(&mut self, account_id: i64) -> Result<Vec<String>, StoreError>;

    /// Removes every row of a process and of its account; how many of each table, but for tables that had none.
    /// What the account counted for is taken off the totals by [`super::Figures::remove_totals`].
    fn erase(&mut self, process_id: i64) -> Result<Vec<ErasedRows>, StoreError>;
}
