/// The position of a byte among the accounts of an array, or of accounts one after another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    /// It is part of an account.
    Inside,
    /// It lies between two accounts.
    Between,
    /// It is the last byte of an account.
    Ends,
    /// It follows the last byte of a text that is not an account.
    EndsBefore,
}

/// Finds the ends of accounts by their braces. Whether they are JSON is judged later.
#[derive(Debug)]
pub(super) struct Splitter {
    /// Number of open braces and brackets of the current account.
    depth: usize,
    in_string: bool,
    is_escaped: bool,
    /// True inside a text that is not an object.
    in_other: bool,
    line: u32,
    /// Line on which the current account, or the last one, begins.
    pub(super) line_of_value: u32,
    /// True while the rest of an account that is too large is left out.
    pub(super) is_skipping: bool,
}

impl Splitter {
    pub(super) fn new() -> Self {
        Self {
            depth: 0,
            in_string: false,
            is_escaped: false,
            in_other: false,
            line: 1,
            line_of_value: 1,
            is_skipping: false,
        }
    }

    /// Takes the next byte.
    pub(super) fn next(&mut self, byte: u8) -> Step {
        let step = self.step(byte);
        if byte == b'\n' {
            self.line = self.line.saturating_add(1);
        }
        if self.is_skipping && matches!(step, Step::Ends | Step::EndsBefore) {
            self.is_skipping = false;
            return Step::Between;
        }
        step
    }

    fn step(&mut self, byte: u8) -> Step {
        if self.in_string {
            self.in_string = self.is_escaped || byte != b'"';
            self.is_escaped = !self.is_escaped && byte == b'\\';
            return Step::Inside;
        }
        if self.depth > 0 {
            match byte {
                b'"' => self.in_string = true,
                b'{' | b'[' => self.depth += 1,
                b'}' | b']' => self.depth -= 1,
                _ => {}
            }
            return if self.depth == 0 { Step::Ends } else { Step::Inside };
        }
        match byte {
            b',' | b'[' | b']' | b'\n' | b'\r' if self.in_other => {
                self.in_other = false;
                Step::EndsBefore
            }
            _ if self.in_other => Step::Inside,
            b' ' | b'\t' | b'\r' | b'\n' | b',' | b'[' | b']' => Step::Between,
            _ => {
                self.line_of_value = self.line;
                self.depth = usize::from(byte == b'{');
                self.in_other = byte != b'{';
                Step::Inside
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The accounts of a text, with their lines.
    fn split(text: &str) -> Vec<(u32, String)> {
        let (mut splitter, mut found, mut start) = (Splitter::new(), Vec::new(), 0);
        for (at, byte) in text.bytes().enumerate() {
            let end = match splitter.next(byte) {
                Step::Inside => continue,
                Step::Between => start,
                Step::Ends => at + 1,
                Step::EndsBefore => at,
            };
            if end > start {
                found.push((splitter.line_of_value, text[start..end].to_owned()));
            }
            start = at + 1;
        }
        if start < text.len() {
            found.push((splitter.line_of_value, text[start..].to_owned()));
        }
        found
    }

    #[test]
    fn accounts_end_with_their_braces() {
        let found =
            |text| split(text).into_iter().map(|(line, text)| format!("{line} {text}")).collect::<Vec<_>>();
        assert_eq!(
            found("[{\"a\": [1]},\n {\"b\": \"}\\\"{\"}]\n"),
            ["1 {\"a\": [1]}", "2 {\"b\": \"}\\\"{\"}"]
        );
        assert_eq!(found("{\n}\n{\n}"), ["1 {\n}", "3 {\n}"]);
        assert_eq!(found("[1, null,\n{}]"), ["1 1", "1 null", "2 {}"]);
        assert_eq!(found("[]"), [""; 0]);
        assert_eq!(found("[{\"a\": "), ["1 {\"a\": "]);
    }
}
