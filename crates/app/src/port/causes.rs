//! Causes: why accounts failed and what they were warned of, grouped so that accounts can be counted by them
//! (contract D13).

use super::{StoredIssue, StoredIssues};
use cutover_process::ProcessError;

/// Maximum number of errors, and of warnings, of one account that are counted. A payload with a thousand
/// different faults would otherwise cost a thousand rows; the issues themselves are all kept.
pub const MAX_CAUSES: usize = 100;

/// A kind of error or warning that accounts have.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cause {
    /// The code, as text because a newer program may have written it.
    pub code: String,
    /// The [pattern](cutover_core::AttrPath::pattern) of the path; `None` for the error of a process that is
    /// about no part of its payload.
    pub attr: Option<String>,
}

impl Cause {
    /// Returns the codes of sorted causes, each once.
    pub fn codes(causes: &[Self]) -> impl Iterator<Item = &str> {
        causes.chunk_by(|one, next| one.code == next.code).map(|same| same[0].code.as_str())
    }

    /// Returns the causes of the error of a process, sorted: the items of the step that ended it, or the code
    /// of the error itself.
    pub fn of_error(error: Option<&ProcessError>, issues: Option<&StoredIssues>) -> Vec<Self> {
        let Some(error) = error else { return Vec::new() };
        let items = issues.map(|issues| Self::of_issues(&issues.errors)).unwrap_or_default();
        if items.is_empty() { vec![Self { code: error.code.to_string(), attr: None }] } else { items }
    }

    /// Returns the causes of issues, sorted, each once. Of more than [`MAX_CAUSES`] those of the first issues.
    pub fn of_issues(issues: &[StoredIssue]) -> Vec<Self> {
        let mut causes: Vec<Self> = Vec::new();
        for issue in issues {
            let cause = Self { code: issue.code.clone(), attr: Some(issue.pattern.clone()) };
            if causes.len() < MAX_CAUSES
                && let Err(position) = causes.binary_search(&cause)
            {
                causes.insert(position, cause);
            }
        }
        causes
    }
}

/// A cause with the number of accounts that have it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CauseCount {
    /// The cause.
    pub cause: Cause,
    /// The number of accounts.
    pub accounts: u64,
}

#[cfg(test)]
mod tests {
    use super::*;
    use cutover_core::Code;

    fn issue(n: usize) -> StoredIssue {
        StoredIssue { code: format!("c{}", n % 3), pattern: format!("p{n:05}"), ..StoredIssue::default() }
    }

    #[test]
    fn the_causes_of_an_account_are_bounded() {
        let issues: Vec<_> = (0..10_000).chain(0..10_000).map(issue).collect();
        let causes = Cause::of_issues(&issues);
        assert_eq!(causes.len(), MAX_CAUSES);
        assert!(causes.is_sorted());
        assert!(causes.iter().all(|cause| cause.attr.as_deref() < Some("p00100")));
    }

    #[test]
    fn a_failure_without_items_is_counted_by_its_own_code() {
        let error = ProcessError::new(Code::ScheduleWindowMissed);
        let own = Cause { code: "schedule_window_missed".to_owned(), attr: None };
        assert_eq!(Cause::of_error(Some(&error), None), std::slice::from_ref(&own));
        assert_eq!(Cause::of_error(Some(&error), Some(&StoredIssues::default())), [own]);
        let issues = StoredIssues { errors: vec![issue(1), issue(1)], warnings: vec![issue(2)] };
        assert_eq!(Cause::of_error(Some(&error), Some(&issues)), Cause::of_issues(&[issue(1)]));
        assert_eq!(Cause::of_error(None, Some(&issues)), []);
    }
}
