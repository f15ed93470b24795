use cutover_core::{AttrPath, Code, Issue, Level, RuleId};
use cutover_model::MAX_FINDINGS;

/// The issues of a payload, in the order of an answer.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Report {
    /// The errors; of more than 1,000 the first 1,000 and one `too_many_errors` (rules 1.4).
    pub errors: Vec<Issue>,
    /// The warnings; of more than 1,000 the first 1,000.
    pub warnings: Vec<Issue>,
}

/// The result for a payload as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// No error; there may be warnings.
    Accepted,
    /// At least one error.
    Refused,
}

impl Report {
    /// Returns whether the payload is accepted.
    pub fn verdict(&self) -> Verdict {
        if self.errors.is_empty() { Verdict::Accepted } else { Verdict::Refused }
    }
}

/// Collects issues in bounded memory.
#[derive(Debug)]
pub(crate) struct Collector {
    least: Level,
    errors: Vec<Issue>,
    warnings: Vec<Issue>,
}

const KEPT: usize = MAX_FINDINGS + 1;

impl Collector {
    /// Collects issues of this level and above.
    pub(crate) fn new(least: Level) -> Self {
        Self { least, errors: Vec::new(), warnings: Vec::new() }
    }

    /// Returns whether issues of this level are collected.
    #[inline]
    pub(crate) fn takes(&self, level: Level) -> bool {
        level != Level::Off && level >= self.least
    }

    pub(crate) fn add(&mut self, issue: Issue) {
        if !self.takes(issue.level) {
            return;
        }
        let list = if issue.level == Level::Error { &mut self.errors } else { &mut self.warnings };
        list.push(issue);
        if list.len() > 4 * KEPT {
            sort_and_truncate(list);
        }
    }

    /// Returns the issues in order. Of equal ones that of the higher level is kept.
    pub(crate) fn finish(mut self) -> Report {
        sort_and_truncate(&mut self.errors);
        sort_and_truncate(&mut self.warnings);
        let errors = &self.errors;
        self.warnings.retain(|w| errors.binary_search_by(|e| e.key().cmp(&w.key())).is_err());
        self.warnings.truncate(MAX_FINDINGS);
        Report { errors: limit(self.errors), warnings: self.warnings }
    }
}

/// Prepares the errors of a use case for an answer: sorted, each once, the first 1,000 and one
/// `too_many_errors` if there are more (rules 1.4).
pub fn listed(mut errors: Vec<Issue>) -> Vec<Issue> {
    sort_and_truncate(&mut errors);
    limit(errors)
}

fn limit(mut errors: Vec<Issue>) -> Vec<Issue> {
    if errors.len() > MAX_FINDINGS {
        errors.truncate(MAX_FINDINGS);
        errors.push(too_many());
    }
    errors
}

fn sort_and_truncate(issues: &mut Vec<Issue>) {
    issues.sort_by(|a, b| a.key().cmp(&b.key()));
    issues.dedup_by(|a, b| a.key() == b.key());
    issues.truncate(KEPT);
}

fn too_many() -> Issue {
    let code = Code::TooManyErrors;
    let (attr, rule) = (AttrPath::root(), RuleId("STR-14"));
    Issue { attr, code, rule, level: Level::Error, detail: code.message().into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn issue(index: u32, code: Code, rule: &'static str, level: Level) -> Issue {
        let attr = AttrPath::root().name("notes").index(index);
        Issue { attr, code, rule: RuleId(rule), level, detail: code.detail().into() }
    }

    #[test]
    fn equal_issues_are_given_once_at_the_higher_level() {
        let mut collector = Collector::new(Level::Warning);
        for (index, rule, level) in [
            (1, "A", Level::Warning),
            (1, "B", Level::Error),
            (1, "C", Level::Error),
            (2, "A", Level::Warning),
            (2, "B", Level::Warning),
            (3, "A", Level::Off),
        ] {
            collector.add(issue(index, Code::Invalid, rule, level));
        }
        collector.add(issue(1, Code::Blank, "A", Level::Warning));
        let report = collector.finish();
        assert_eq!(report.errors, [issue(1, Code::Invalid, "B", Level::Error)]);
        assert_eq!(
            report.warnings,
            [issue(1, Code::Blank, "A", Level::Warning), issue(2, Code::Invalid, "A", Level::Warning),]
        );
    }

    #[test]
    fn memory_is_bounded_and_the_first_issues_in_order_are_kept() {
        let mut collector = Collector::new(Level::Warning);
        for i in (0..100_000).rev() {
            collector.add(issue(i, Code::Invalid, "A", Level::Error));
            collector.add(issue(i, Code::Invalid, "B", Level::Warning));
            assert!(collector.errors.len() <= 4 * KEPT && collector.warnings.len() <= 4 * KEPT);
        }
        let report = collector.finish();
        let first: Vec<Issue> = (0..1_000).map(|i| issue(i, Code::Invalid, "A", Level::Error)).collect();
        assert_eq!(report.errors[..1_000], first);
        assert_eq!(report.errors[1_000..], [too_many()]);
        let found = (0..2_000).rev().map(|i| issue(i, Code::Invalid, "A", Level::Error)).collect();
        assert_eq!(listed(found), report.errors);
    }
}
