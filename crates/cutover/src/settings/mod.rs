//! What the operator sets (contract D11): flag over environment over file over default. Whatever is
//! unknown or unsafe stops the start, with its name and where it was read.

mod database;
mod encryption;
mod error;
mod flags;
mod read;
mod serve;
mod sources;
mod table;
#[cfg(test)]
mod tests;

pub(crate) use database::Database;
pub(crate) use encryption::Encryption;
pub(crate) use error::SettingsError;
pub(crate) use flags::{CommonFlags, Flags, ServeFlags};
pub(crate) use serve::{Role, ServeSettings, TlsFiles};
pub(crate) use sources::{Environment, is_ours};

use cutover_outbound::Location;
use sources::Given;
use std::path::{Path, PathBuf};
use tracing::level_filters::LevelFilter;

/// All settings, read and checked.
#[derive(Debug, Clone)]
pub(crate) struct Settings {
    /// Where the embedded default keeps what it keeps.
    pub(crate) data_dir: PathBuf,
    /// The database.
    pub(crate) database: Database,
    /// Where documents lie.
    pub(crate) documents: Documents,
    /// What is encrypted at rest, and with which keys.
    pub(crate) encryption: Encryption,
    /// How it logs.
    pub(crate) log: LogSettings,
    /// What only a server needs.
    pub(crate) serve: ServeSettings,
    /// The settings that were given, with where they were read.
    pub(crate) given: Vec<(&'static str, String)>,
}

/// Where documents lie.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Documents {
    pub(crate) location: Location,
    /// Whether it is the embedded default, whose folder is made at the start.
    pub(crate) is_default: bool,
}

impl Documents {
    /// The embedded default in a data folder.
    pub(crate) fn default_in(data_dir: &Path) -> Self {
        Self { location: Location::folder(data_dir.join("documents")), is_default: true }
    }
}

/// How the server logs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LogSettings {
    /// `None`: text on a terminal, else JSON.
    pub(crate) format: Option<LogFormat>,
    pub(crate) level: LevelFilter,
}

/// The form of log lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LogFormat {
    Text,
    Json,
}

impl Settings {
    /// Reads the settings from their sources.
    ///
    /// # Errors
    /// [`SettingsError`] names the first setting that is unknown or cannot be used.
    pub(crate) fn load(flags: &Flags, environment: &Environment) -> Result<Self, SettingsError> {
        let given = Given::gather(flags, environment)?;
        let data_dir = given.get("data-dir", folder)?.unwrap_or_else(|| "./cutover-data".into());
        Ok(Self {
            database: Database::read(&given, &data_dir)?,
            documents: documents(&given, &data_dir)?,
            encryption: Encryption::read(&given)?,
            log: LogSettings {
                format: given.get("log-format", log_format)?,
                level: given.get("log-level", log_level)?.unwrap_or(LevelFilter::INFO),
            },
            serve: ServeSettings::read(&given)?,
            given: given.origins().map(|(name, origin)| (name, origin.to_string())).collect(),
            data_dir,
        })
    }
}

fn folder(text: &str) -> Result<PathBuf, String> {
    if text.is_empty() { Err("is empty: name a folder".into()) } else { Ok(text.into()) }
}

fn documents(given: &Given, data_dir: &Path) -> Result<Documents, SettingsError> {
    let wrong = |e: cutover_outbound::InvalidLocation| format!("cannot be used: {e}");
    let location = given.get("documents-url", |text| text.parse().map_err(wrong))?;
    let given = |location| Documents { location, is_default: false };
    Ok(location.map_or_else(|| Documents::default_in(data_dir), given))
}

fn log_format(text: &str) -> Result<LogFormat, String> {
    match text {
        "text" => Ok(LogFormat::Text),
        "json" => Ok(LogFormat::Json),
        _ => Err(format!("is {text:?}, not text or json")),
    }
}

fn log_level(text: &str) -> Result<LevelFilter, String> {
    let known = ["error", "warn", "info", "debug", "trace"].contains(&text);
    let level = if known { text.parse().ok() } else { None };
    level.ok_or_else(|| format!("is {text:?}, not error, warn, info, debug or trace"))
}
