use crate::input::BytesRead;
use cutover_core::plain;
use indicatif::{ProgressBar, ProgressStyle};
use std::io::{IsTerminal, stderr};
use std::time::Duration;

/// Progress bar on a terminal; hidden elsewhere.
pub(crate) struct Progress {
    bar: ProgressBar,
    read: BytesRead,
    quiet: bool,
}

impl Progress {
    /// A bar on standard error, with a length if the size of the inputs is known.
    pub(crate) fn new(quiet: bool, bytes: Option<u64>, read: BytesRead) -> Self {
        let bar = if quiet || !stderr().is_terminal() {
            ProgressBar::hidden()
        } else {
            ProgressBar::no_length().with_style(style(bytes.is_some()))
        };
        if let Some(bytes) = bytes {
            bar.set_length(bytes);
        }
        Self { bar, read, quiet }
    }

    /// Updates the bar after an account was checked. The message is renewed only every [`MESSAGE_INTERVAL`]
    /// accounts.
    pub(crate) fn checked(&self, accounts: u64, words: impl FnOnce() -> String) {
        if self.bar.is_hidden() {
            return;
        }
        self.bar.set_position(self.read.bytes());
        if accounts.is_multiple_of(MESSAGE_INTERVAL) {
            self.bar.set_message(words());
        }
    }

    /// Updates the bar when `done` of the accounts read so far are finished.
    pub(crate) fn done(&self, done: u64, of: u64, words: impl FnOnce() -> String) {
        if self.bar.is_hidden() {
            return;
        }
        let read = u128::from(self.read.bytes()) * u128::from(done) / u128::from(of.max(1));
        self.bar.set_position(u64::try_from(read).unwrap_or(u64::MAX));
        self.bar.set_message(words());
    }

    /// Shows why the run waits. Without a bar, long waits are printed as lines.
    pub(crate) fn waits(&self, why: &str, wait: Duration) {
        let seconds = wait.as_secs().max(1);
        if !self.bar.is_hidden() {
            self.bar.set_message(format!("waiting {seconds} s: {}", plain(why)));
        } else if !self.quiet && wait >= LONG_WAIT {
            eprintln!("waiting {seconds} s: {}", plain(why));
        }
    }

    /// Prints a line above the bar.
    pub(crate) fn print_above<T>(&self, print: impl FnOnce() -> T) -> T {
        self.bar.suspend(print)
    }
}

impl Drop for Progress {
    /// Removes the bar, so that later output starts at the beginning of a line.
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// Waits that are printed if there is no bar.
const LONG_WAIT: Duration = Duration::from_secs(2);

/// Number of accounts between two messages.
const MESSAGE_INTERVAL: u64 = 64;

fn style(length_known: bool) -> ProgressStyle {
    ProgressStyle::with_template(template(length_known)).unwrap_or_else(|_| ProgressStyle::default_bar())
}

fn template(length_known: bool) -> &'static str {
    if length_known { "{wide_bar} {percent}%  {eta} left  {msg}" } else { "{spinner} {bytes}  {msg}" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_templates_are_valid() {
        for length_known in [true, false] {
            assert!(ProgressStyle::with_template(template(length_known)).is_ok());
        }
    }
}
