use super::StoreError;
use chrono::{DateTime, Utc};
use cutover_core::{Code, ExternalAccountNumber, SupplierCode, Word};
use cutover_model::Totals;
use cutover_process::{State, Traits};

/// How many processes of a supplier stand in a state, with an error if it is one of those.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StateCount {
    /// The state.
    pub state: Word<State>,
    /// The error that they ended with.
    pub error: Option<Word<Code>>,
    /// How many.
    pub processes: u64,
}

impl StateCount {
    /// The state that the API counts them in: of one that a newer version wrote, the nearest, as far as a count tells.
    pub fn nearest(&self) -> State {
        let of = Traits { has_error: self.error.is_some(), ..Traits::default() };
        self.state.known().copied().unwrap_or_else(|| State::nearest(of))
    }
}

/// How many processes of a supplier that stand in a state came to it in a minute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MinuteCount {
    /// When the minute began.
    pub minute: DateTime<Utc>,
    /// The state: imported or rehearsed, or failed.
    pub state: Word<State>,
    /// How many.
    pub processes: u64,
}

/// How the processes of a supplier stand, for monitoring.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SupplierFigures {
    /// The supplier.
    pub supplier: SupplierCode,
    /// Whether what waits may be imported: the supplier is neither paused nor complete.
    pub is_ongoing: bool,
    /// When the first process that waits is due, or was.
    pub first_due_at: Option<DateTime<Utc>>,
    /// How many processes stand in which state; states without any may be left out.
    pub states: Vec<(State, u64)>,
}

/// Figures that are kept, so that asking for them costs the same whatever they have come to (contract D12). The
/// store counts processes by itself, whoever writes them.
///
/// Those that write at the same time leave changes and do not wait for each other. What is read counts them in;
/// [`Figures::fold`] makes few of many.
pub trait Figures {
    /// Adds to what the imported accounts of a supplier come to.
    fn add_totals(&mut self, supplier_id: i64, added: &Totals) -> Result<(), StoreError>;

    /// Takes off what the imported accounts of a supplier come to: an account is erased.
    fn remove_totals(&mut self, supplier_id: i64, removed: &Totals) -> Result<(), StoreError>;

    /// What the imported accounts of a supplier come to, with all that was added to them.
    ///
    /// # Errors
    /// [`StoreError::Failed`] if the sum of balances cannot be held exactly: see [`Totals::checked_add`].
    fn totals(&mut self, supplier_id: i64) -> Result<Totals, StoreError>;

    /// The processes of a supplier by state and error; those that there are none of are left out.
    fn state_counts(&mut self, supplier_id: i64) -> Result<Vec<StateCount>, StoreError>;

    /// How every supplier stands, for monitoring. What it reads is bounded by the number of suppliers: while many
    /// changes wait to be folded, the oldest of them are left out. Processes in a state that this version does not
    /// know are left out too.
    fn supplier_figures(&mut self, at: DateTime<Utc>) -> Result<Vec<SupplierFigures>, StoreError>;

    /// The processes of a supplier that were imported or rehearsed, or failed, by the minute and the state of
    /// their last step: from the minute of a time on, oldest first.
    fn minute_counts(
        &mut self,
        supplier_id: i64,
        since: DateTime<Utc>,
    ) -> Result<Vec<MinuteCount>, StoreError>;

    /// Accounts of a supplier whose processes stand failed with an error, the first created first.
    fn failed_with(
        &mut self,
        supplier_id: i64,
        error: &Word<Code>,
        limit: u32,
    ) -> Result<Vec<ExternalAccountNumber>, StoreError>;

    /// Whether there is something to fold.
    fn has_changes(&mut self) -> Result<bool, StoreError>;

    /// Folds the oldest changes, at most `limit` of each kind; how many. None if somebody else is at it. Those whose
    /// sum cannot be held exactly stay.
    fn fold(&mut self, limit: u32) -> Result<usize, StoreError>;
}
