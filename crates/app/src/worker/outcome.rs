use cutover_process::{Process, State};

/// Result of the last step that a worker wrote for a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// The process is in this state.
    Now(State),
    /// The claim had expired and somebody else wrote a step. Nothing was written.
    Stale,
}

impl Outcome {
    /// The outcome of a step that was written or not.
    pub(super) fn of(process: &Process, is_written: bool) -> Self {
        if is_written { Self::Now(process.state()) } else { Self::Stale }
    }
}
