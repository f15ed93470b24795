use std::io::{IsTerminal, Write, stdout};

/// Where the demo tells its story; silent where programs read.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stage {
    silent: bool,
    /// Whether a line can be written over, and text be bold.
    live: bool,
}

/// How wide the bar of progress is.
const BAR: usize = 24;

impl Stage {
    pub(super) fn new(silent: bool) -> Self {
        Self { silent, live: stdout().is_terminal() }
    }

    fn write(self, text: &str) {
        if !self.silent {
            let mut out = stdout().lock();
            // If nobody reads any more, the story goes on all the same.
            let _ = write!(out, "{text}").and_then(|()| out.flush());
        }
    }

    /// Text of its own lines.
    pub(super) fn say(self, text: &str) {
        self.write(&format!("{text}\n"));
    }

    /// A heading.
    pub(super) fn chapter(self, title: &str) {
        let title = if self.live { format!("\u{1b}[1m{title}\u{1b}[0m") } else { title.to_owned() };
        self.write(&format!("\n{title}\n"));
    }

    /// A command that the operator would type.
    pub(super) fn command(self, command: &str) {
        self.say(&format!("  $ {command}"));
    }

    /// A name and what there is to say of it.
    pub(super) fn row(self, name: &str, text: &str) {
        self.say(&format!("  {name:<24}{text}"));
    }

    /// What is wrong with a payload, and where.
    pub(super) fn errors(self, errors: &[(String, String)]) {
        for (attr, code) in errors {
            self.say(&format!("    {attr:<40} {code}"));
        }
    }

    /// What a step has come to: written over by the next, where the terminal can.
    pub(super) fn progress(self, done: usize, of: usize, text: &str) {
        if self.live {
            self.write(&format!("\r\u{1b}[K  {}  {text}", bar(done, of)));
        }
    }

    /// The last word of a progress.
    pub(super) fn progressed(self, done: usize, of: usize, text: &str) {
        let begin = if self.live { "\r\u{1b}[K" } else { "" };
        self.write(&format!("{begin}  {}  {text}\n", bar(done, of)));
    }
}

fn bar(done: usize, of: usize) -> String {
    let full = (BAR * done).checked_div(of).unwrap_or(BAR).min(BAR);
    format!("{}{}", "█".repeat(full), "░".repeat(BAR - full))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_fill() {
        let full = |done, of| bar(done, of).chars().filter(|c| *c == '█').count();
        assert_eq!([full(0, 10), full(5, 10), full(10, 10), full(11, 10), full(0, 0)], [0, 12, 24, 24, 24]);
    }
}
