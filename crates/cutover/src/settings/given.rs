use super::error::{Origin, SettingsError};
use super::row::{Fallback, Row};
use std::collections::BTreeMap;
use std::fmt;

/// The settings that were given, as text, with their origins.
#[derive(Clone, Default)]
pub(super) struct Given(BTreeMap<&'static str, (Vec<String>, Origin)>);

/// Shows names only: values may hold passwords.
impl fmt::Debug for Given {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}

impl Given {
    /// Adds the settings of a source, which take precedence over those added before.
    pub(super) fn add(
        &mut self,
        values: impl IntoIterator<Item = (&'static str, Vec<String>)>,
        origin: Origin,
    ) {
        self.0.extend(values.into_iter().map(|(name, values)| (name, (values, origin.clone()))));
    }

    pub(super) fn remove(&mut self, name: &str) {
        self.0.remove(name);
    }

    pub(super) fn origins(&self) -> impl Iterator<Item = (&'static str, &Origin)> {
        self.0.iter().map(|(name, (_, origin))| (*name, origin))
    }

    /// The value of a setting: what was given, or its default.
    pub(super) fn read<T>(&self, row: &Row<T>) -> Result<T, SettingsError> {
        let name = row.setting.name;
        let value = match (self.0.get(name), &row.fallback) {
            (Some((values, _)), _) => row.parser.parse(values),
            (None, Fallback::Text(text)) => row.parser.parse(&[(*text).to_owned()]),
            (None, Fallback::Computed(_, value)) => Ok(value()),
        };
        value.map_err(|problem| self.refuse(name, problem))
    }

    /// The refusal of a setting, with its origin.
    pub(super) fn refuse(&self, name: &'static str, problem: impl Into<String>) -> SettingsError {
        let origin = self.0.get(name).map(|(_, origin)| origin.clone());
        SettingsError::Value { name, origin, problem: problem.into() }
    }
}
