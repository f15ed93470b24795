use std::process::ExitCode;

/// How a run ended; scripts see it as the exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    /// All is well.
    Well,
    /// Some accounts are faulty.
    Faulty,
    /// It could not be done, or not all of it: usage, an unreadable input, an unwritable report.
    Failed,
    /// Ctrl-C.
    Interrupted,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(match exit {
            Exit::Well => 0,
            Exit::Faulty => 1,
            Exit::Failed => 2,
            Exit::Interrupted => INTERRUPTED,
        })
    }
}

/// What shells give a program that SIGINT ended: 128 and the number of the signal.
pub(crate) const INTERRUPTED: u8 = 130;
