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
const FOREIGN: &[&str] = &[
    "CUTOVER_API_KEY",
    "CUTOVER_API_KEY_FILE",
    "CUTOVER_BASE_URL",
    "CUTOVER_TEST_DATABASE_URL",
    "CUTOVER_TEST_ON",
];

/// Settings whose value may be a secret: a variable with this ending names a file that holds it.
const SECRETS: [&str; 4] = ["database-url", "database-direct-url", "database-replica-url", "encryption-keys"];
const IN_FILE: &str = "_FILE";

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
        let (setting, is_file) = named(variable)?;
        if value.is_empty() {
            continue;
        }
        let value = if is_file { secret(setting, Path::new(value))? } else { value.clone() };
        if found.insert(setting.name, value).is_some() {
            let problem = format!("is given twice: keep {} or the one with {IN_FILE}", setting.variable());
            return Err(refused(setting, problem));
        }
    }
    Ok(found)
}

/// The setting that a variable names, and if the variable holds a file with the value.
fn named(variable: &str) -> Result<(&'static Setting, bool), SettingsError> {
    let find =
        |name: &str| std::iter::once(&CONFIG).chain(SETTINGS).find(|setting| setting.variable() == name);
    if let Some(setting) = find(variable) {
        return Ok((setting, false));
    }
    let setting = variable.strip_suffix(IN_FILE).and_then(find);
    let setting = setting.filter(|setting| SECRETS.contains(&setting.name));
    setting.map(|setting| (setting, true)).ok_or_else(|| SettingsError::UnknownVariable(variable.to_owned()))
}

/// Returns true if a setting has this variable.
#[cfg(test)]
pub(crate) fn is_variable(name: &str) -> bool {
    named(name).is_ok()
}

/// Reads a secret from a file, without the end of its last line.
fn secret(setting: &'static Setting, path: &Path) -> Result<String, SettingsError> {
    let text = std::fs::read_to_string(path);
    let text =
        text.map_err(|error| refused(setting, format!("cannot be read from {}: {error}", path.display())))?;
    Ok(text.trim_end_matches(['\r', '\n']).to_owned())
}

fn refused(setting: &Setting, problem: String) -> SettingsError {
    SettingsError::Value { name: setting.name, origin: Some(Origin::Environment), problem }
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
