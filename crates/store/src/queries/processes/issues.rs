//! Issues of the last check, as JSON.

use super::super::types::Json;
use crate::error::Result;
use cutover_app::port::{StoredIssue, StoredIssues};
use cutover_core::{IssueSource, Word};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// Members that a newer version leaves out are empty. Members that it adds are ignored. Of an account, the
/// source is left out, and the pattern if it is the path.
#[derive(Serialize, Deserialize, Default)]
#[serde(default)]
struct IssueJson<'a> {
    attr: Cow<'a, str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pattern: Option<Cow<'a, str>>,
    code: Cow<'a, str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rule: Option<Cow<'a, str>>,
    detail: Cow<'a, str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<Cow<'a, str>>,
}

#[derive(Serialize, Deserialize, Default)]
#[serde(default)]
struct IssuesJson<'a> {
    errors: Vec<IssueJson<'a>>,
    warnings: Vec<IssueJson<'a>>,
}

impl<'a> From<&'a StoredIssue> for IssueJson<'a> {
    fn from(issue: &'a StoredIssue) -> Self {
        let source = Some(&issue.source).filter(|source| **source != IssueSource::Account);
        Self {
            attr: issue.attr.as_str().into(),
            pattern: Some(issue.pattern.as_str()).filter(|pattern| *pattern != issue.attr).map(Cow::from),
            code: issue.code.as_str().into(),
            rule: issue.rule.as_deref().map(Cow::from),
            detail: issue.detail.as_str().into(),
            source: source.map(|source| source.as_str().into()),
        }
    }
}

fn to_json(issues: &[StoredIssue]) -> Vec<IssueJson<'_>> {
    issues.iter().map(IssueJson::from).collect()
}

fn from_json(issues: Vec<IssueJson<'_>>) -> Vec<StoredIssue> {
    let issue = |json: IssueJson<'_>| StoredIssue {
        pattern: json.pattern.unwrap_or_else(|| json.attr.clone()).into_owned(),
        attr: json.attr.into_owned(),
        code: json.code.into_owned(),
        rule: json.rule.map(Cow::into_owned),
        detail: json.detail.into_owned(),
        source: json.source.map(|source| Word::read(&source)).unwrap_or_default(),
    };
    issues.into_iter().map(issue).collect()
}

/// Returns the value of the column, null if there are no issues.
pub(crate) fn write(issues: &StoredIssues) -> Result<Option<Json<'static>>> {
    if issues.errors.is_empty() && issues.warnings.is_empty() {
        return Ok(None);
    }
    let json = IssuesJson { errors: to_json(&issues.errors), warnings: to_json(&issues.warnings) };
    Json::of(&json).map(Some)
}

pub(super) fn read(column: Option<Json<'_>>) -> Result<StoredIssues> {
    let Some(column) = column else { return Ok(StoredIssues::default()) };
    let json: IssuesJson<'static> = column.read("a list of issues")?;
    Ok(StoredIssues { errors: from_json(json.errors), warnings: from_json(json.warnings) })
}
