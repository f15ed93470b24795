/// Result of a run, which scripts see as the exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    /// All accounts are well.
    Success,
    /// Some accounts are faulty.
    Faulty,
    /// It could not be done, or not completely: usage, an unreadable input, an unwritable report.
    Failed,
    /// Ctrl-C.
    Interrupted,
}

impl From<Exit> for u8 {
    fn from(exit: Exit) -> Self {
        match exit {
            Exit::Success => 0,
            Exit::Faulty => 1,
            Exit::Failed => 2,
            Exit::Interrupted => INTERRUPTED,
        }
    }
}

/// Exit code that shells give a program ended by SIGINT: 128 plus the number of the signal.
pub(crate) const INTERRUPTED: u8 = 130;
