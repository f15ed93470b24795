//! The issues of one account (contract D13).

use cutover_core::{Code, IssueSource, Word};
use serde::Serialize;

answers! {
    /// The errors and warnings of an account (contract D13).
    AccountIssues (Debug, Eq, Serialize) {
        /// The number of the current or last attempt to import the account; 0 before the first.
        attempt: u64;
        /// The errors for which the last attempt was rejected; empty if it was not.
        errors: Vec<AccountError>;
        /// The warnings of the last check of the account, and of requests after its import.
        warnings: Vec<AccountWarning>;
    }

    /// An error of an account.
    AccountError (Debug, Eq, Serialize) {
        /// The path of the offending input.
        attr: String;
        /// The stable code.
        code: Word<Code>;
        /// The id of the rule; `null` if no rule applies.
        rule: Option<String>;
        /// Text for people; its wording may change.
        detail: String;
    }

    /// A warning of an account.
    AccountWarning (Debug, Eq, Serialize) {
        /// The path of the offending input, in the request that `source` names.
        attr: String;
        /// The stable code.
        code: Word<Code>;
        /// The id of the rule; `null` if no rule applies.
        rule: Option<String>;
        /// Text for people; its wording may change.
        detail: String;
        /// The request that it is about.
        source: Word<IssueSource>;
    }
}
