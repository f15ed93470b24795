use super::super::links;
use super::payload::shortened;
use cutover_app::operator::References;
use cutover_app::port::StoredIssue;

/// An error or a warning in a table.
pub(super) struct Issue {
    /// The id of its row.
    pub(super) id: String,
    /// The id of the line of the payload that it is about.
    pub(super) anchor: Option<String>,
    pub(super) attr: String,
    /// The document, contract, tariff or meter point that it is about.
    pub(super) value: Option<String>,
    pub(super) code: String,
    /// The page that explains the code.
    pub(super) code_link: Option<String>,
    pub(super) rule: Option<String>,
    /// The page that explains the rule.
    pub(super) rule_link: Option<String>,
    pub(super) detail: String,
    pub(super) source: String,
}

impl Issue {
    pub(super) fn new(
        id: String,
        anchor: Option<String>,
        issue: &StoredIssue,
        references: &References,
    ) -> Self {
        Self {
            id,
            anchor,
            attr: issue.attr.clone(),
            value: references.of(issue).map(shortened),
            code_link: links::explanation(&issue.code),
            code: issue.code.clone(),
            rule_link: issue.rule.as_deref().and_then(links::rule),
            rule: issue.rule.clone(),
            detail: issue.detail.clone(),
            source: issue.source.to_string(),
        }
    }
}

/// Returns the rows of issues. Their ids are those of the marks in a payload.
pub(super) fn all(
    kind: &str,
    issues: &[StoredIssue],
    references: &References,
    anchor: impl Fn(&str) -> Option<String>,
) -> Vec<Issue> {
    let row = |(n, issue)| {
        let id = format!("{kind}-{n}");
        let anchor = anchor(&id);
        Issue::new(id, anchor, issue, references)
    };
    issues.iter().enumerate().map(row).collect()
}
