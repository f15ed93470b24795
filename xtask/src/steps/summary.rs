//! Parses the results of `cargo test`.

/// Numbers of tests over all binaries.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Counts {
    pub(super) passed: u64,
    pub(super) failed: u64,
    pub(super) ignored: u64,
}

impl Counts {
    /// Adds the numbers of a line, if it is the result of a test binary: `test result: ok. 3 passed; 0
    /// failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.01s`.
    pub(super) fn add_line(&mut self, line: &str) {
        let Some((_, counts)) = line.strip_prefix("test result: ").and_then(|rest| rest.split_once(". "))
        else {
            return;
        };
        for count in counts.split("; ") {
            match count.split_once(' ').map(|(number, what)| (number.parse::<u64>(), what)) {
                Some((Ok(number), "passed")) => self.passed += number,
                Some((Ok(number), "failed")) => self.failed += number,
                Some((Ok(number), "ignored")) => self.ignored += number,
                _ => {}
            }
        }
    }
}

impl std::ops::AddAssign for Counts {
    fn add_assign(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.ignored += other.ignored;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_of_binaries_are_added_up() {
        let output = "\
running 4 tests
test a ... ok
test result: FAILED. 3 passed; 1 failed; 0 ignored; 0 measured; 2 filtered out; finished in 0.01s

   Doc-tests cutover_core
test result: ok. 12 passed; 0 failed; 2 ignored; 0 measured; 0 filtered out; finished in 1.50s
";
        let mut counts = Counts::default();
        output.lines().for_each(|line| counts.add_line(line));
        assert_eq!(counts, Counts { passed: 15, failed: 1, ignored: 2 });
    }

    #[test]
    fn other_lines_add_nothing() {
        let mut counts = Counts::default();
        for line in [
            "",
            "test result",
            "test result: ok",
            "5 passed; 1 failed",
            "  test result: ok. 5 passed; 0 failed",
        ] {
            counts.add_line(line);
        }
        assert_eq!(counts, Counts::default());
    }
}
