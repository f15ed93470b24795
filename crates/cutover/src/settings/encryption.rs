use super::error::SettingsError;
use super::given::Given;
use super::table::Values;
use crate::system::SystemRandom;
use cutover_store::{EncryptionKeys, Sealer};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The keys that encrypt payloads and bank details in the database.
#[derive(Debug, Clone)]
pub(crate) enum Encryption {
    /// No keys: nothing is encrypted.
    None,
    /// The keys of a file, which is read when they are needed.
    File(PathBuf),
    Keys(Arc<EncryptionKeys>),
}

impl Encryption {
    pub(super) fn new(values: &Values, given: &Given) -> Result<Self, SettingsError> {
        match (&values.encryption_key_file, &values.encryption_keys) {
            (Some(_), Some(_)) => {
                Err(given
                    .refuse("encryption-keys", "is set as well as encryption-key-file: keep one of them"))
            }
            (Some(file), None) => Ok(Self::File(file.clone())),
            (None, Some(keys)) => Ok(Self::Keys(keys.clone())),
            (None, None) => Ok(Self::None),
        }
    }

    /// The file of the keys, if they are in one.
    pub(crate) fn file(&self) -> Option<&Path> {
        match self {
            Self::File(file) => Some(file),
            Self::None | Self::Keys(_) => None,
        }
    }

    pub(crate) fn is_configured(&self) -> bool {
        !matches!(self, Self::None)
    }

    /// The sealer that encrypts and decrypts with the keys.
    ///
    /// # Errors
    /// [`SettingsError`] if the file of the keys cannot be used; it shows nothing of its content.
    pub(crate) fn sealer(&self) -> Result<Sealer, SettingsError> {
        let keys = match self {
            Self::None => return Ok(Sealer::default()),
            Self::Keys(keys) => keys.clone(),
            Self::File(file) => Arc::new(EncryptionKeys::read(file).map_err(|error| {
                SettingsError::EncryptionKeys { path: file.clone(), problem: error.to_string() }
            })?),
        };
        Ok(Sealer::new(keys, Arc::new(SystemRandom)))
    }
}
