use super::stage::Stage;
use crate::error::Error;
use cutover_app::App;
use cutover_process::State;
use serde::Serialize;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// How many errors the demo names.
const TOP: usize = 6;

/// How many processes of the demo's supplier have which status.
#[derive(Debug, Clone, Default)]
pub(super) struct States(BTreeMap<&'static str, usize>);

impl States {
    pub(super) fn read(app: &App, supplier: &str) -> Result<Self, Error> {
        let mut states = BTreeMap::new();
        app.each_process(supplier, None, |process, _| {
            *states.entry(process.state().as_str()).or_insert(0) += 1;
        })?;
        Ok(Self(states))
    }

    fn count(&self, state: State) -> usize {
        self.0.get(state.as_str()).copied().unwrap_or_default()
    }

    pub(super) fn imported(&self) -> usize {
        self.count(State::Processed)
    }

    pub(super) fn unfinished(&self) -> usize {
        self.count(State::Pending) + self.count(State::InProgress)
    }

    /// For programs: the words and their counts.
    pub(super) fn into_map(self) -> BTreeMap<&'static str, usize> {
        self.0
    }

    /// What people see of it.
    pub(super) fn tell(&self, refused: usize, stage: Stage) {
        for (state, count) in &self.0 {
            stage.row(state, &format!("{count:>6}"));
        }
        stage.row("refused, not stored", &format!("{refused:>6}"));
    }
}

/// An error that accounts were refused for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct TopError {
    /// The path, `#` for every index.
    attr: String,
    code: String,
    count: usize,
    /// One of the accounts.
    example: String,
}

/// What accounts were refused for.
#[derive(Debug, Default)]
pub(super) struct Refusals {
    accounts: usize,
    errors: BTreeMap<(String, String), (usize, String)>,
}

impl Refusals {
    /// An account was refused for these errors.
    pub(super) fn add(&mut self, number: &str, errors: &[(String, String)]) {
        self.accounts += 1;
        for (attr, code) in errors {
            let found = self.errors.entry((any_index(attr), code.clone()));
            found.or_insert_with(|| (0, number.to_owned())).0 += 1;
        }
    }

    /// How many accounts were refused.
    pub(super) fn accounts(&self) -> usize {
        self.accounts
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

    /// What people see of them.
    pub(super) fn tell(&self, stage: Stage) {
        for TopError { attr, code, count, example } in self.top() {
            stage.say(&format!("  {count:>3}  {code}, for example {example}\n       {attr}"));
        }
    }
}

/// The path with `#` for every index.
fn any_index(attr: &str) -> String {
    let part = |part: &str| if part.parse::<usize>().is_ok() { "#".to_owned() } else { part.to_owned() };
    attr.split('.').map(part).collect::<Vec<_>>().join(".")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_counted_by_path_and_code_the_most_frequent_first() {
        let mut refusals = Refusals::default();
        let error = |attr: &str, code: &str| (attr.to_owned(), code.to_owned());
        refusals.add("C-1", &[error("customers.0.email", "invalid_email")]);
        refusals
            .add("C-2", &[error("custmers", "unknown_field"), error("customers.3.email", "invalid_email")]);
        let top: Vec<String> = refusals
            .top()
            .iter()
            .map(|e| format!("{} {} {} {}", e.count, e.attr, e.code, e.example))
            .collect();
        assert_eq!(top, ["2 customers.#.email invalid_email C-1", "1 custmers unknown_field C-2"]);
        assert_eq!(refusals.accounts(), 2);
    }
}
