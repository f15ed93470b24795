use super::error::SettingsError;
use super::sources::Given;
use crate::error::Error;
use crate::system::SystemRandom;
use cutover_store::{EncryptionKeys, Sealer};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Keys that the database's payloads and bank details are encrypted with.
#[derive(Debug, Clone)]
pub(crate) enum Encryption {
    /// None: they lie open.
    None,
    /// Those of a file, which is read when it is needed.
    File(PathBuf),
    /// These.
    Keys(Arc<EncryptionKeys>),
}

impl Encryption {
    pub(super) fn read(given: &Given) -> Result<Self, SettingsError> {
        let file = given.get("encryption-key-file", |text| Ok(PathBuf::from(text)))?;
        let keys = given.all("encryption-keys", |text| Ok(text.to_owned()))?;
        match file {
            Some(_) if !keys.is_empty() => {
                Err(given.refuse("encryption-keys", "stands beside encryption-key-file: keep one of them"))
            }
            Some(file) => Ok(Self::File(file)),
            None if keys.is_empty() => Ok(Self::None),
            None => {
                let keys = EncryptionKeys::parse(&keys.join("\n"));
                let keys =
                    keys.map_err(|e| given.refuse("encryption-keys", format!("cannot be used: {e}")))?;
                Ok(Self::Keys(Arc::new(keys)))
            }
        }
    }

    /// The file of the keys, if they are in one.
    pub(crate) fn file(&self) -> Option<&Path> {
        match self {
            Self::File(file) => Some(file),
            Self::None | Self::Keys(_) => None,
        }
    }

    /// Whether there are keys.
    pub(crate) fn is_configured(&self) -> bool {
        !matches!(self, Self::None)
    }

    /// What seals and opens with the keys.
    ///
    /// # Errors
    /// [`Error`] if the file of the keys cannot be used; it shows nothing of it.
    pub(crate) fn sealer(&self) -> Result<Sealer, Error> {
        let keys = match self {
            Self::None => return Ok(Sealer::default()),
            Self::Keys(keys) => keys.clone(),
            Self::File(file) => {
                let keys = EncryptionKeys::read(file);
                let unusable = |e| format!("the encryption keys in {} cannot be used: {e}", file.display());
                Arc::new(keys.map_err(|e| Error::refused(unusable(e)))?)
            }
        };
        Ok(Sealer::new(keys, Arc::new(SystemRandom)))
    }
}
