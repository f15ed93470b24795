//! What the faults of an account are about, for operators: paths of documents, and references of contracts, tariffs and meter
//! points. The declarations of the model say which members these are.

use crate::codec::unpack;
use crate::port::{Rows, StoreError, StoredIssue, StoredIssues};
use cutover_core::IssueSource;
use std::collections::{BTreeMap, HashMap};

/// The values of references at the paths of an account's issues.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct References(BTreeMap<String, String>);

masked! { References }

impl From<BTreeMap<String, String>> for References {
    fn from(by_path: BTreeMap<String, String>) -> Self {
        Self(by_path)
    }
}

impl References {
    /// Returns the value that an issue is about, if operators may see it.
    pub fn of(&self, issue: &StoredIssue) -> Option<&str> {
        self.0.get(&issue.attr).filter(|_| is_of_payload(issue)).map(String::as_str)
    }

    /// Reads them from the payload of a process.
    pub(super) fn read(tx: &mut dyn Rows, id: i64, issues: &StoredIssues) -> Result<Self, StoreError> {
        let all = HashMap::from([(id, issues.clone())]);
        Ok(Self::of_processes(tx, &all)?.remove(&id).unwrap_or_default())
    }

    /// Reads them from the payloads of processes, by key. A payload is read only if an issue is about a reference.
    pub(super) fn of_processes(
        tx: &mut dyn Rows,
        issues: &HashMap<i64, StoredIssues>,
    ) -> Result<HashMap<i64, Self>, StoreError> {
        let wanted: Vec<i64> =
            issues.iter().filter(|(_, issues)| paths(issues).next().is_some()).map(|(id, _)| *id).collect();
        if wanted.is_empty() {
            return Ok(HashMap::new());
        }
        let read = |(id, packed): (i64, Result<Vec<u8>, StoreError>)| {
            // One that cannot be read hides nothing else of the account; its page and the export of payloads say so.
            let json = packed.and_then(|packed| unpack(&packed)).ok()?;
            Some((id, cutover_model::references(&json, paths(issues.get(&id)?)).into()))
        };
        Ok(tx.payloads(&wanted)?.into_iter().filter_map(read).collect())
    }
}

/// Issues of later requests are not about the payload.
fn is_of_payload(issue: &StoredIssue) -> bool {
    issue.source == IssueSource::Account
}

/// The paths of references that issues are about.
fn paths(issues: &StoredIssues) -> impl Iterator<Item = &str> {
    let all = issues.errors.iter().chain(&issues.warnings);
    let paths = all.filter(|issue| is_of_payload(issue)).map(|issue| issue.attr.as_str());
    paths.filter(|path| cutover_model::is_reference(path))
}
