use crate::App;
use crate::auth::Caller;
use crate::port::{StoreError, StoredIssue, StoredIssues, read};
use cutover_core::{Code, ExternalAccountNumber, SupplierCode, Word};
use cutover_model::{AccountError, AccountIssues, AccountWarning};
use cutover_process::{Process, ProcessError};

impl App {
    /// Returns the issues of an account (contract D13); `None` if the organisation has no such process.
    ///
    /// # Errors
    /// [`StoreError`] if they could not be read.
    pub fn account_issues(
        &self,
        caller: &Caller,
        supplier: &str,
        number: &str,
    ) -> Result<Option<AccountIssues>, StoreError> {
        let (Ok(code), Ok(number)) = (
            cutover_core::trimmed(supplier).parse::<SupplierCode>(),
            number.parse::<ExternalAccountNumber>(),
        ) else {
            return Ok(None);
        };
        // One snapshot, so that the errors are those of the attempt.
        read(&*self.store, |tx| {
            let Some(supplier) = tx.supplier_of(caller.organisation_id, &code)? else { return Ok(None) };
            let Some(stored) = tx.process(supplier.id, &number)? else { return Ok(None) };
            let issues = of_last_attempt(&stored.process, tx.issues(stored.process.id())?);
            Ok(Some(shown(stored.process.snapshot().attempt, issues)))
        })
    }
}

/// Returns the issues without errors of an earlier attempt: the last one may be running, or have failed without
/// items.
pub(crate) fn of_last_attempt(process: &Process, issues: StoredIssues) -> StoredIssues {
    without_unrelated_errors(process.latest_error(), issues)
}

/// Returns the issues without errors that do not belong to the error of their attempt.
pub(crate) fn without_unrelated_errors(error: Option<&ProcessError>, issues: StoredIssues) -> StoredIssues {
    // The error of a newer version may have items as well.
    let is_rejected = error.is_some_and(|error| {
        error.code.known().is_none_or(|code| *code == Code::ImportProcessFailedValidation)
    });
    StoredIssues { errors: if is_rejected { issues.errors } else { Vec::new() }, ..issues }
}

fn shown(attempt: u32, issues: StoredIssues) -> AccountIssues {
    let error = |issue: StoredIssue| AccountError {
        attr: issue.attr,
        code: Word::read(&issue.code),
        rule: issue.rule,
        detail: issue.detail,
    };
    let warning = |issue: StoredIssue| AccountWarning {
        attr: issue.attr,
        code: Word::read(&issue.code),
        rule: issue.rule,
        detail: issue.detail,
        source: issue.source,
    };
    AccountIssues {
        attempt: attempt.into(),
        errors: issues.errors.into_iter().map(error).collect(),
        warnings: issues.warnings.into_iter().map(warning).collect(),
    }
}
