use super::check::Checked;
use super::finding::Finding;
use super::summary::{Codes, Example, Summary};
use cutover_core::Level;
use std::collections::HashMap;
use std::time::Duration;

/// Counts of a run so far.
#[derive(Debug, Default)]
pub(super) struct Tally {
    pub(super) files: u64,
    pub(super) unreadable: u64,
    pub(super) accounts: u64,
    pub(super) faulty: u64,
    with_warnings: u64,
    errors: u64,
    warnings: u64,
    codes: HashMap<(Level, &'static str), Counted>,
}

#[derive(Debug)]
struct Counted {
    count: u64,
    example: Example,
}

impl Tally {
    /// Counts an account and what was found in it.
    pub(super) fn account(&mut self, checked: &Checked, file: &str, line: u32) {
        self.accounts += 1;
        if checked.findings.is_empty() {
            return;
        }
        self.faulty += u64::from(checked.is_faulty());
        let errors = checked.findings.iter().filter(|finding| finding.level == Level::Error).count();
        let warnings = checked.findings.len() - errors;
        self.with_warnings += u64::from(warnings > 0);
        self.errors += errors as u64;
        self.warnings += warnings as u64;
        for finding in &checked.findings {
            self.finding(finding, || Example {
                file: file.to_owned(),
                line,
                import_supplier: checked.supplier().map(str::to_owned),
                external_account_number: checked.number().map(str::to_owned),
                attr: finding.attr.to_string(),
            });
        }
    }

    fn finding(&mut self, finding: &Finding, example: impl FnOnce() -> Example) {
        let counted = self.codes.entry((finding.level, finding.code));
        counted.or_insert_with(|| Counted { count: 0, example: example() }).count += 1;
    }

    /// The sums, after so much time.
    pub(super) fn summary(&mut self, interrupted: bool, time: Duration) -> Summary {
        Summary {
            interrupted,
            files: self.files,
            unreadable_files: self.unreadable,
            accounts: self.accounts,
            valid: self.accounts - self.faulty,
            faulty: self.faulty,
            with_warnings: self.with_warnings,
            errors: self.errors,
            warnings: self.warnings,
            top_errors: self.top(Level::Error),
            top_warnings: self.top(Level::Warning),
            not_checked: NOT_CHECKED,
            milliseconds: u64::try_from(time.as_millis()).unwrap_or(u64::MAX),
        }
    }

    /// The most frequent codes of a level, equally frequent ones by their names.
    fn top(&self, level: Level) -> Vec<Codes> {
        let found = self.codes.iter().filter(|((of, _), _)| *of == level);
        let mut codes: Vec<Codes> = found
            .map(|((_, code), found)| Codes { code, count: found.count, example: found.example.clone() })
            .collect();
        codes.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| a.code.cmp(b.code)));
        codes.truncate(TOP);
        codes
    }
}

/// How many codes a summary names.
const TOP: usize = 20;

/// The rules about accounts that need the service (rules 1.9): they are silent here.
const NOT_CHECKED: &[&str] = &["DOC-02", "DOC-03", "PST-01", "PST-10", "PST-12"];

#[cfg(test)]
mod tests {
    use super::*;
    use cutover_rules::{Needs, rule};

    fn checked(findings: &[(Level, &'static str)]) -> Checked {
        let finding = |(level, code): &(Level, &'static str)| Finding {
            level: *level,
            attr: "a.b".into(),
            code,
            detail: "".into(),
        };
        Checked { identity: None, findings: findings.iter().map(finding).collect() }
    }

    #[test]
    fn rules_that_are_not_checked_need_the_service() {
        for id in NOT_CHECKED {
            assert_eq!(rule(id).unwrap().needs, Needs::Service, "{id}");
        }
    }

    #[test]
    fn accounts_and_findings_are_counted_apart() {
        let mut tally = Tally::default();
        let (error, warning) = (Level::Error, Level::Warning);
        tally.account(&checked(&[]), "f", 1);
        tally.account(&checked(&[(warning, "w")]), "f", 2);
        tally.account(&checked(&[(error, "b"), (error, "b"), (error, "a"), (warning, "b")]), "f", 3);
        tally.account(&checked(&[(error, "a"), (error, "c")]), "g", 4);
        let sums = tally.summary(false, Duration::from_millis(1_500));
        assert_eq!((sums.accounts, sums.valid, sums.faulty), (4, 2, 2));
        assert_eq!((sums.errors, sums.warnings, sums.with_warnings), (5, 2, 2));
        let top =
            |codes: &[Codes]| -> Vec<_> { codes.iter().map(|c| (c.code, c.count, c.example.line)).collect() };
        assert_eq!(top(&sums.top_errors), [("a", 2, 3), ("b", 2, 3), ("c", 1, 4)]);
        assert_eq!(top(&sums.top_warnings), [("b", 1, 3), ("w", 1, 2)]);
    }
}
