//! Progress of a run, and its interruption.

use crate::input::BytesRead;
use crate::interrupt::StopFlag;
use crate::output::counted;
use crate::progress::Progress;

/// Shows how far a run is, and says when it is to end early.
pub(super) struct Watch {
    pub(super) read: BytesRead,
    progress: Progress,
    stop: StopFlag,
}

impl Watch {
    /// `bytes` is the size of the files.
    pub(super) fn new(quiet: bool, bytes: Option<u64>, stop: StopFlag) -> Self {
        let read = BytesRead::default();
        Self { progress: Progress::new(quiet, bytes, read.clone()), read, stop }
    }

    /// Shows how many rows were read.
    pub(super) fn rows(&self, count: u64) {
        self.progress.checked(count, || counted(count, "row"));
    }

    /// Shows how many accounts or requests were made.
    pub(super) fn made(&self, count: u64, noun: &str) {
        self.progress.checked(count, || format!("{} made", counted(count, noun)));
    }

    /// Prints above the bar.
    pub(super) fn print_above<T>(&self, print: impl FnOnce() -> T) -> T {
        self.progress.print_above(print)
    }

    /// True if the run is to end early.
    pub(super) fn is_stopped(&self) -> bool {
        self.stop.is_set()
    }
}
