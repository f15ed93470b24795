use crate::input::BytesRead;
use crate::output::grouped;
use indicatif::{ProgressBar, ProgressStyle};
use std::io::{IsTerminal, stderr};

/// What a run shows of itself on a terminal; elsewhere nothing.
pub(crate) struct Progress {
    bar: ProgressBar,
    read: BytesRead,
}

impl Progress {
    /// A bar on standard error, of so many bytes as the inputs have if that is known.
    pub(crate) fn new(quiet: bool, bytes: Option<u64>, read: BytesRead) -> Self {
        let bar = if quiet || !stderr().is_terminal() {
            ProgressBar::hidden()
        } else {
            ProgressBar::no_length().with_style(style(bytes.is_some()))
        };
        if let Some(bytes) = bytes {
            bar.set_length(bytes);
        }
        Self { bar, read }
    }

    /// So many accounts were looked at, so many of them faulty.
    pub(crate) fn at(&self, accounts: u64, faulty: u64) {
        if self.bar.is_hidden() {
            return;
        }
        self.bar.set_position(self.read.bytes());
        if accounts.is_multiple_of(EVERY) {
            self.bar.set_message(format!("{} accounts, {} faulty", grouped(accounts), grouped(faulty)));
        }
    }

    /// Prints a line above the bar.
    pub(crate) fn above(&self, print: impl FnOnce()) {
        self.bar.suspend(print);
    }
}

impl Drop for Progress {
    /// Takes the bar away: what is printed next begins a line.
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// After so many accounts the words are made anew: nobody reads faster.
const EVERY: u64 = 64;

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
    fn the_templates_are_ones() {
        for length_known in [true, false] {
            assert!(ProgressStyle::with_template(template(length_known)).is_ok());
        }
    }
}
