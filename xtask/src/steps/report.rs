//! Output about steps.

use std::time::Duration;

use super::summary::Counts;
use super::{Done, Outcome, Step};

/// Lists the steps and what they check.
pub(super) fn list(steps: &[&Step]) -> String {
    rows(steps.iter().map(|step| (step.name, step.what)))
}

/// Formats names with their descriptions.
pub(super) fn rows<'a>(all: impl Iterator<Item = (&'a str, &'a str)>) -> String {
    all.map(|(name, what)| format!("{name:<12}{what}\n")).collect()
}

/// Formats a step in one line: name, result, duration, remark.
pub(super) fn line(name: &str, outcome: &Outcome, took: Duration) -> String {
    let (result, remark) = describe(outcome);
    let took = match outcome {
        Outcome::NotRun(_) => "-".to_owned(),
        _ => seconds(took),
    };
    format!("{name:<12}{result:<9}{took:>9}  {remark}").trim_end().to_owned()
}

/// Formats every step, then the numbers of tests, if any ran.
pub(super) fn table(done: &[Done], strict: bool) -> String {
    let mut text = format!("{:<12}{:<9}{:>9}  REMARK\n", "STEP", "RESULT", "TIME");
    for done in done {
        text.push_str(&line(done.name, &done.outcome, done.took));
        text.push('\n');
    }
    if strict && done.iter().any(|done| matches!(done.outcome, Outcome::NotRun(_) | Outcome::Partly(..))) {
        text.push_str("\nA step that did not run, or not whole, counts as failed here.\n");
    }
    if let Some(counts) = counts(done) {
        text.push_str(&format!("\n{} passed, {} failed\n", counts.passed, counts.failed));
    }
    text
}

/// `None` if no test was run.
fn counts(done: &[Done]) -> Option<Counts> {
    done.iter().find_map(|done| match done.outcome {
        Outcome::Tested(counts, _) | Outcome::Partly(counts, _) if counts != Counts::default() => {
            Some(counts)
        }
        _ => None,
    })
}

fn describe(outcome: &Outcome) -> (&'static str, &str) {
    match outcome {
        Outcome::Ok(remark) | Outcome::Tested(_, Ok(remark)) => ("ok", remark),
        Outcome::Failed(remark) | Outcome::Tested(_, Err(remark)) => ("FAILED", remark),
        Outcome::Partly(_, remark) => ("PARTLY", remark),
        Outcome::NotRun(remark) => ("NOT RUN", remark),
    }
}

fn seconds(took: Duration) -> String {
    let tenths = took.as_millis() / 100;
    format!("{}.{} s", tenths / 10, tenths % 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn done(name: &'static str, outcome: Outcome) -> Done {
        Done { name, outcome, took: Duration::from_millis(61_250) }
    }

    #[test]
    fn the_table_ends_in_the_number_of_tests() {
        let counts = Counts { passed: 7, failed: 2, ignored: 0 };
        let table = table(
            &[
                done("fmt", Outcome::Ok(String::new())),
                done("book", Outcome::NotRun("no tool".to_owned())),
                done("tests", Outcome::Tested(counts, Err("see above".to_owned()))),
            ],
            false,
        );
        let expected = "\
STEP        RESULT        TIME  REMARK
fmt         ok          61.2 s
book        NOT RUN          -  no tool
tests       FAILED      61.2 s  see above

7 passed, 2 failed
";
        assert_eq!(table, expected);
    }

    #[test]
    fn without_tests_there_is_no_number() {
        assert!(!table(&[done("fmt", Outcome::Ok(String::new()))], false).contains("passed"));
        let none = Outcome::Tested(Counts::default(), Err("does not compile".to_owned()));
        assert!(!table(&[done("tests", none)], false).contains("passed"));
    }

    #[test]
    fn strictness_is_shown_when_it_matters() {
        assert!(table(&[done("book", Outcome::NotRun(String::new()))], true).contains("counts as failed"));
        assert!(!table(&[done("book", Outcome::Ok(String::new()))], true).contains("counts as failed"));
        let partly = table(&[done("tests", Outcome::Partly(Counts::default(), "no tool".to_owned()))], true);
        assert!(partly.contains("tests       PARTLY      61.2 s  no tool\n"), "{partly}");
        assert!(partly.contains("counts as failed"));
    }
}
