use super::story::Story;
use crate::error::Error;
use serde::Serialize;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Maximum number of errors that are shown.
const TOP: usize = 6;

/// Counts the processes of the demo's supplier by status.
pub(super) fn states(story: &Story<'_>) -> Result<BTreeMap<&'static str, usize>, Error> {
    let mut states = BTreeMap::new();
    let installation = story.installation;
    installation.app.each_process(&installation.supplier, None, |process, _| {
        *states.entry(process.state().as_str()).or_insert(0) += 1;
    })?;
    Ok(states)
}

/// A frequent error.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct TopError {
    /// The path, with `#` for every index.
    pub(super) attr: String,
    pub(super) code: String,
    pub(super) count: usize,
    /// The number of an account with the error.
    pub(super) example: String,
}

/// The refused accounts and their errors.
#[derive(Debug, Default)]
pub(super) struct Refusals {
    pub(super) accounts: usize,
    errors: BTreeMap<(String, String), (usize, String)>,
}

impl Refusals {
    /// Adds an account with its errors.
    pub(super) fn add<'e>(&mut self, number: &str, errors: impl Iterator<Item = (&'e str, &'e str)>) {
        self.accounts += 1;
        for (attr, code) in errors {
            let part = |part| if str::parse::<usize>(part).is_ok() { "#" } else { part };
            let attr = attr.split('.').map(part).collect::<Vec<_>>().join(".");
            self.errors.entry((attr, code.to_owned())).or_insert_with(|| (0, number.to_owned())).0 += 1;
        }
    }

    /// The most frequent errors.
    pub(super) fn top(&self) -> Vec<TopError> {
        let error = |((attr, code), (count, example)): (&(String, String), &(usize, String))| TopError {
            attr: attr.clone(),
            code: code.clone(),
            count: *count,
            example: example.clone(),
        };
        let mut errors: Vec<TopError> = self.errors.iter().map(error).collect();
        errors.sort_by_key(|error| Reverse(error.count));
        errors.truncate(TOP);
        errors
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_counted_by_path_and_code_the_most_frequent_first() {
        let mut refusals = Refusals::default();
        refusals.add("C-1", [("customers.0.email", "invalid_email")].into_iter());
        let errors = [("custmers", "unknown_field"), ("customers.3.email", "invalid_email")];
        refusals.add("C-2", errors.into_iter());
        let top: Vec<String> = refusals
            .top()
            .iter()
            .map(|e| format!("{} {} {} {}", e.count, e.attr, e.code, e.example))
            .collect();
        assert_eq!(top, ["2 customers.#.email invalid_email C-1", "1 custmers unknown_field C-2"]);
        assert_eq!(refusals.accounts, 2);
    }
}
