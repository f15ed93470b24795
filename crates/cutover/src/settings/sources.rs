use super::error::{Origin, SettingsError};
use super::flags::Flags;
use super::given::Given;
use super::row::{Form, PREFIX, Setting};
use super::table::{CONFIG, SETTINGS, setting};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The variables of the environment.
pub(crate) type Environment = Vec<(String, String)>;

/// Variables of our other programs, which may be set in the same environment.
const FOREIGN: &[&str] =
    &["CUTOVER_API_KEY", "CUTOVER_BASE_URL", "CUTOVER_TEST_DATABASE_URL", "CUTOVER_TEST_ON"];

/// Collects the settings of all sources: a flag takes precedence over the environment, that over the file.
pub(super) fn gather(flags: &Flags, environment: &Environment) -> Result<Given, SettingsError> {
    let mut given = Given::default();
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
    given.remove(CONFIG.name);
    Ok(given)
}

/// Returns true if a variable of this name is meant for this program.
pub(crate) fn is_ours(variable: &str) -> bool {
    variable.starts_with(PREFIX) && !FOREIGN.contains(&variable)
}

/// The variables of this program by setting. An empty variable counts as not set.
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
    let unreadable = |problem| SettingsError::File { path: path.to_owned(), problem };
    let text = std::fs::read_to_string(path).map_err(|e| unreadable(e.to_string()))?;
    let table: toml::Table = toml::from_str(&text).map_err(|e| unreadable(problem(&text, &e)))?;
    table.into_iter().map(|(name, value)| from_entry(path, &name, value)).collect()
}

/// The line and the cause of a syntax error. The text is left out: it may hold a secret.
fn problem(text: &str, error: &toml::de::Error) -> String {
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
