use super::check::Checked;
use super::summary::Summary;
use super::top::TopCodes;
use super::zones::SupplierZone;
use crate::assemble::TableCounts;
use crate::report::Row;
use cutover_core::Level;
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
    across: u64,
    codes: TopCodes,
    tables: Option<TableCounts>,
}

impl Tally {
    /// Counts an account and its findings.
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
        self.codes.add_all(checked, file, line);
    }

    /// Counts what many accounts have in common. It is not a warning of the account at which it is shown.
    pub(super) fn across(&mut self, checked: &Checked, file: &str, line: u32) {
        let warnings = checked.findings.len() as u64;
        self.warnings += warnings;
        self.across += warnings;
        self.codes.add_all(checked, file, line);
    }

    /// Counts the tables that accounts were made of.
    pub(super) fn tables(&mut self, counts: TableCounts) {
        self.files += counts.files;
        self.tables = Some(counts);
    }

    /// Counts a finding about tables and no account.
    pub(super) fn table_finding(&mut self, row: &Row<'_>) {
        self.codes.add(Level::Error, row);
    }

    /// Summary after this duration.
    pub(super) fn summary(&mut self, interrupted: bool, zones: Vec<SupplierZone>, time: Duration) -> Summary {
        Summary {
            interrupted,
            time_zones: zones,
            files: self.files,
            unreadable_files: self.unreadable,
            tables: self.tables,
            accounts: self.accounts,
            valid: self.accounts - self.faulty,
            faulty: self.faulty,
            with_warnings: self.with_warnings,
            errors: self.errors,
            warnings: self.warnings,
            warnings_across_accounts: self.across,
            causes: self.codes.causes(),
            not_checked: NOT_CHECKED,
            not_compared: 0,
            differences: None,
            milliseconds: u64::try_from(time.as_millis()).unwrap_or(u64::MAX),
        }
    }
}

/// Rules about accounts that need the service (rules 1.9); they find nothing here.
const NOT_CHECKED: &[&str] =
    &["DOC-02", "DOC-03", "PST-01", "PST-10", "PST-12", "PST-17", "PST-18", "PST-20"];

#[cfg(test)]
mod tests {
    use super::super::Finding;
    use super::*;
    use crate::report::CodeCount;
    use cutover_rules::{Needs, rule};

    fn checked(findings: &[(Level, &'static str)]) -> Checked {
        let finding = |(level, code): &(Level, &'static str)| Finding {
            level: *level,
            attr: "a.b".into(),
            code,
            rule: None,
            detail: "".into(),
            value: None,
            source: None,
        };
        let findings = findings.iter().map(finding).collect();
        Checked { findings, ..Checked::default() }
    }

    #[test]
    fn rules_that_are_not_checked_need_the_service() {
        for id in NOT_CHECKED {
            assert_eq!(rule(id).unwrap().needs, Needs::Service, "{id}");
        }
    }

    #[test]
    fn accounts_and_findings_are_counted_separately() {
        let mut tally = Tally::default();
        let (error, warning) = (Level::Error, Level::Warning);
        tally.account(&checked(&[]), "f", 1);
        tally.account(&checked(&[(warning, "w")]), "f", 2);
        tally.account(&checked(&[(error, "b"), (error, "b"), (error, "a"), (warning, "b")]), "f", 3);
        tally.account(&checked(&[(error, "a"), (error, "c")]), "g", 4);
        let sums = tally.summary(false, Vec::new(), Duration::from_millis(1_500));
        assert_eq!((sums.accounts, sums.valid, sums.faulty), (4, 2, 2));
        assert_eq!((sums.errors, sums.warnings, sums.with_warnings), (5, 2, 2));
        assert_eq!(sums.warnings_across_accounts, 0);
        fn top(codes: &[CodeCount]) -> Vec<(&str, u64, u64)> {
            codes.iter().map(|kind| (&*kind.code, kind.count, kind.example.line)).collect()
        }
        assert_eq!(top(&sums.causes.top_errors), [("a", 2, 3), ("b", 2, 3), ("c", 1, 4)]);
        assert_eq!(top(&sums.causes.top_warnings), [("b", 1, 3), ("w", 1, 2)]);
    }

    #[test]
    fn what_accounts_have_in_common_is_a_warning_of_none_of_them() {
        let mut tally = Tally::default();
        tally.account(&checked(&[(Level::Warning, "w")]), "f", 1);
        tally.across(&checked(&[(Level::Warning, "a")]), "f", 1);
        let sums = tally.summary(false, Vec::new(), Duration::ZERO);
        assert_eq!((sums.accounts, sums.with_warnings), (1, 1));
        assert_eq!((sums.warnings, sums.warnings_across_accounts), (2, 1));
        assert_eq!(sums.causes.top_warnings.len(), 2);
    }
}
