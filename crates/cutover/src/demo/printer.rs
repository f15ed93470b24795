use std::io::{IsTerminal, Write, stdout};

/// Prints the progress of the demo; nothing if the output is JSON.
#[derive(Debug, Clone, Copy)]
pub(super) struct Printer {
    silent: bool,
    /// True on a terminal, where lines can be overwritten and text be bold.
    is_terminal: bool,
}

/// Width of the progress bar.
const BAR: usize = 24;

impl Printer {
    pub(super) fn new(silent: bool) -> Self {
        Self { silent, is_terminal: stdout().is_terminal() }
    }

    fn write(self, text: &str) {
        if !self.silent {
            let mut out = stdout().lock();
            // The demo goes on if standard output is closed.
            let _ = write!(out, "{text}").and_then(|()| out.flush());
        }
    }

    pub(super) fn line(self, text: &str) {
        self.write(&format!("{text}\n"));
    }

    pub(super) fn chapter(self, title: &str) {
        let title = if self.is_terminal { format!("\u{1b}[1m{title}\u{1b}[0m") } else { title.to_owned() };
        self.write(&format!("\n{title}\n"));
    }

    /// Prints a command of the program that an operator would type.
    pub(super) fn command(self, words: &str) {
        self.line(&format!("  $ cutover {words}"));
    }

    pub(super) fn row(self, name: &str, text: &str) {
        self.line(&format!("  {name:<24}{text}"));
    }

    /// Prints the progress of a step. Without a terminal only the last call of a step prints.
    pub(super) fn progress(self, done: usize, of: usize, text: &str, is_last: bool) {
        let full = (BAR * done).checked_div(of).unwrap_or(BAR).min(BAR);
        let bar = format!("{}{}", "█".repeat(full), "░".repeat(BAR - full));
        let begin = if self.is_terminal { "\r\u{1b}[K" } else { "" };
        if self.is_terminal || is_last {
            self.write(&format!("{begin}  {bar}  {text}{}", if is_last { "\n" } else { "" }));
        }
    }
}
