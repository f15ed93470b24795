use cutover_core::{IssueSource, Word};

/// An issue of a payload, as stored with its process.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StoredIssue {
    /// The path.
    pub attr: String,
    /// The [pattern](cutover_core::AttrPath::pattern) of the path.
    pub pattern: String,
    /// The code, as text because an older or newer program may have written it.
    pub code: String,
    /// The id of the rule; `None` if no rule applies.
    pub rule: Option<String>,
    /// A description for people.
    pub detail: String,
    /// The request that it is about.
    pub source: Word<IssueSource>,
}

/// The issues of the last check of a payload, and warnings of requests after the import.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StoredIssues {
    /// Errors, for which an import was rejected.
    pub errors: Vec<StoredIssue>,
    /// Warnings, which never refuse a payload.
    pub warnings: Vec<StoredIssue>,
}
