use super::error::{Origin, SettingsError};
use super::flags::Flags;
use super::table::{CONFIG, FOREIGN, Form, PREFIX, SETTINGS, Setting, setting};
use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

/// The environment, as pairs.
pub(crate) type Environment = Vec<(String, String)>;

/// What was said about settings, as text, with its origin: flag over environment over file.
#[derive(Clone, Default)]
pub(crate) struct Given(BTreeMap<&'static str, (Vec<String>, Origin)>);

/// The names: what was said may hold passwords.
impl fmt::Debug for Given {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}

impl Given {
    /// Collects what the sources say.
    pub(crate) fn gather(flags: &Flags, environment: &Environment) -> Result<Self, SettingsError> {
        let mut given = Self::default();
        let variables = variables(environment)?;
        let file = flags.get(CONFIG.name).and_then(|v| v.last()).or_else(|| variables.get(CONFIG.name));
        if let Some(path) = file {
            given.add(from_file(Path::new(path))?, Origin::File(path.into()));
        }
        let split = |(name, text): (&'static str, String)| {
            let many = setting(name).is_some_and(|s| s.form == Form::Many);
            (name, if many { text.split(',').map(|v| v.trim().to_owned()).collect() } else { vec![text] })
        };
        given.add(variables.into_iter().map(split), Origin::Environment);
        given.add(flags.clone(), Origin::Flag);
        given.0.remove(CONFIG.name);
        Ok(given)
    }

    fn add(&mut self, values: impl IntoIterator<Item = (&'static str, Vec<String>)>, origin: Origin) {
        self.0.extend(values.into_iter().map(|(name, values)| (name, (values, origin.clone()))));
    }

    /// The settings that were given, with their origins.
    pub(crate) fn origins(&self) -> impl Iterator<Item = (&'static str, &Origin)> {
        self.0.iter().map(|(name, (_, origin))| (*name, origin))
    }

    /// A setting, read; `None` if nothing was said.
    pub(crate) fn get<T>(
        &self,
        name: &'static str,
        read: impl Fn(&str) -> Result<T, String>,
    ) -> Result<Option<T>, SettingsError> {
        Ok(self.all(name, read)?.pop())
    }

    /// All values of a setting, read.
    pub(crate) fn all<T>(
        &self,
        name: &'static str,
        read: impl Fn(&str) -> Result<T, String>,
    ) -> Result<Vec<T>, SettingsError> {
        debug_assert!(setting(name).is_some(), "{name} is in the table");
        let values = self.0.get(name).map(|(values, _)| values.as_slice()).unwrap_or_default();
        values.iter().map(|value| read(value).map_err(|problem| self.refuse(name, problem))).collect()
    }

    /// The refusal of a setting, with its origin.
    pub(crate) fn refuse(&self, name: &'static str, problem: impl Into<String>) -> SettingsError {
        let origin = self.0.get(name).map(|(_, origin)| origin.clone());
        SettingsError::Value { name, origin, problem: problem.into() }
    }
}

/// Whether a variable of this name is meant for this program.
pub(crate) fn is_ours(variable: &str) -> bool {
    variable.starts_with(PREFIX) && !FOREIGN.contains(&variable)
}

/// Our variables by setting; an empty one says nothing.
fn variables(environment: &Environment) -> Result<BTreeMap<&'static str, String>, SettingsError> {
    let mut found = BTreeMap::new();
    for (variable, value) in environment {
        if !is_ours(variable) {
            continue;
        }
        let known = |s: &&Setting| s.variable() == *variable;
        let mut all = std::iter::once(&CONFIG).chain(SETTINGS);
        let Some(setting) = all.find(known) else {
            return Err(SettingsError::UnknownVariable(variable.clone()));
        };
        if !value.is_empty() {
            found.insert(setting.name, value.clone());
        }
    }
    Ok(found)
}

fn from_file(path: &Path) -> Result<Vec<(&'static str, Vec<String>)>, SettingsError> {
    let unreadable = |problem: String| SettingsError::File { path: path.to_owned(), problem };
    let text = std::fs::read_to_string(path).map_err(|e| unreadable(e.to_string()))?;
    let table: toml::Table = toml::from_str(&text).map_err(|e| unreadable(place(&text, &e)))?;
    table.into_iter().map(|(name, value)| from_entry(path, &name, value)).collect()
}

/// Where a file is no TOML, and why, without its text: it may hold a secret.
fn place(text: &str, error: &toml::de::Error) -> String {
    let line = error.span().map_or(1, |span| text[..span.start.min(text.len())].lines().count().max(1));
    format!("line {line}: {}", error.message())
}

fn from_entry(
    path: &Path,
    name: &str,
    value: toml::Value,
) -> Result<(&'static str, Vec<String>), SettingsError> {
    let Some(setting) = setting(name) else {
        return Err(SettingsError::UnknownKey { path: path.to_owned(), name: name.to_owned() });
    };
    let wrong = || SettingsError::Value {
        name: setting.name,
        origin: Some(Origin::File(PathBuf::from(path))),
        problem: "is neither text nor a number".into(),
    };
    let values = match value {
        toml::Value::Boolean(value) if setting.form == Form::Switch => vec![value.to_string()],
        toml::Value::Array(items) if setting.form == Form::Many => {
            items.into_iter().map(scalar).collect::<Option<Vec<_>>>().ok_or_else(wrong)?
        }
        value => vec![scalar(value).ok_or_else(wrong)?],
    };
    Ok((setting.name, values))
}

fn scalar(value: toml::Value) -> Option<String> {
    match value {
        toml::Value::String(text) => Some(text),
        toml::Value::Integer(number) => Some(number.to_string()),
        _ => None,
    }
}
