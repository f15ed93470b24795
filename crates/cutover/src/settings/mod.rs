//! The operator's settings (contract D11). A flag takes precedence over the environment, that over the file, that over
//! the default. An unknown or unsafe setting stops the start; the error names it and its source.

mod cgroup;
mod database;
mod encryption;
mod error;
mod flags;
mod given;
mod memory;
mod parse;
mod row;
mod sources;
mod table;
#[cfg(test)]
mod tests;
mod types;

pub(crate) use database::Database;
pub(crate) use encryption::Encryption;
pub(crate) use error::SettingsError;
pub(crate) use flags::{CommonFlags, Flags, ServeFlags};
pub(crate) use memory::{MemoryPlan, shown as shown_bytes};
#[cfg(test)]
pub(crate) use sources::is_variable;
pub(crate) use sources::{Environment, is_ours};
#[cfg(test)]
pub(crate) use table::SETTINGS;
pub(crate) use table::Values;
pub(crate) use types::{LogFormat, Role};

use cutover_outbound::Location;
use given::Given;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

/// All settings, parsed and checked.
#[derive(Debug, Clone)]
pub(crate) struct Settings {
    /// The settings one by one.
    pub(crate) values: Values,
    pub(crate) database: Database,
    pub(crate) documents: Documents,
    pub(crate) encryption: Encryption,
    pub(crate) tls: Option<TlsFiles>,
    pub(crate) memory: MemoryPlan,
    /// The settings that were given, with their sources.
    pub(crate) given: Vec<(&'static str, String)>,
}

/// The document storage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Documents {
    pub(crate) location: Location,
    /// True for the folder below the data folder, which is created at startup.
    pub(crate) is_default: bool,
}

impl Documents {
    /// The folder below a data folder.
    pub(crate) fn default_in(data_dir: &Path) -> Self {
        Self { location: Location::folder(data_dir.join("documents")), is_default: true }
    }

    fn new(values: &Values) -> Self {
        match &values.documents_url {
            Some(location) => Self { location: location.clone(), is_default: false },
            None => Self::default_in(&values.data_dir),
        }
    }
}

/// The files of a certificate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TlsFiles {
    pub(crate) cert: PathBuf,
    pub(crate) key: PathBuf,
}

impl Settings {
    /// Reads the settings from their sources.
    ///
    /// # Errors
    /// [`SettingsError`] names the first setting that is unknown or cannot be used.
    pub(crate) fn load(flags: &Flags, environment: &Environment) -> Result<Self, SettingsError> {
        let given = sources::gather(flags, environment)?;
        let values = Values::read(&given)?;
        let settings = Self {
            database: Database::new(&values, &given)?,
            documents: Documents::new(&values),
            encryption: Encryption::new(&values, &given)?,
            tls: tls(&values, &given)?,
            memory: MemoryPlan::new(&values),
            given: given.origins().map(|(name, origin)| (name, origin.to_string())).collect(),
            values,
        };
        settings.check(&given)?;
        Ok(settings)
    }

    /// Returns true if this process serves the API, and so binds `listen`.
    pub(crate) fn serves_api(&self) -> bool {
        self.values.role != Role::Worker
    }

    /// Checks that a server with these settings fits into the memory of the process.
    ///
    /// # Errors
    /// [`SettingsError`] if it does not.
    pub(crate) fn check_memory(&self) -> Result<(), SettingsError> {
        let is_body_limit_given = self.given.iter().any(|(name, _)| *name == "body-limit");
        self.memory.check(is_body_limit_given)
    }

    /// Checks settings against each other.
    fn check(&self, given: &Given) -> Result<(), SettingsError> {
        let values = &self.values;
        if values.refresh_token_lifetime < values.access_token_lifetime {
            return Err(given.refuse("refresh-token-lifetime", "is shorter than access-token-lifetime"));
        }
        let is_listen = |admin: SocketAddr| admin.port() != 0 && admin == values.listen;
        if self.serves_api() && values.admin_listen.is_some_and(is_listen) {
            return Err(given.refuse("admin-listen", "is the address of listen: leave it out instead"));
        }
        Ok(())
    }
}

/// The certificate and its key: both or neither.
fn tls(values: &Values, given: &Given) -> Result<Option<TlsFiles>, SettingsError> {
    match (values.tls_cert.clone(), values.tls_key.clone()) {
        (None, None) => Ok(None),
        (Some(cert), Some(key)) => Ok(Some(TlsFiles { cert, key })),
        (Some(_), None) => Err(given.refuse("tls-cert", "needs tls-key")),
        (None, Some(_)) => Err(given.refuse("tls-key", "needs tls-cert")),
    }
}
