use std::fmt;
use std::path::PathBuf;

/// The source of a setting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Origin {
    /// The command line.
    Flag,
    /// The environment.
    Environment,
    /// The file of settings.
    File(PathBuf),
}

/// A setting that cannot be used. It shows no value that may hold a secret.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum SettingsError {
    /// The file of settings could not be read.
    #[error("the file of settings {path:?} cannot be read: {problem}")]
    File {
        /// The file.
        path: PathBuf,
        /// The cause.
        problem: String,
    },
    /// The file of settings has a key that names no setting.
    #[error("{path:?} has the unknown setting {name:?}; `cutover serve --help` lists all")]
    UnknownKey {
        /// The file.
        path: PathBuf,
        /// The key.
        name: String,
    },
    /// The environment has a variable that names no setting.
    #[error("the environment has the unknown setting {0}; `cutover serve --help` lists all")]
    UnknownVariable(String),
    /// A setting cannot be used.
    #[error("the setting {name}{} {problem}", from(.origin))]
    Value {
        /// The setting.
        name: &'static str,
        /// The source; `None` for a default.
        origin: Option<Origin>,
        /// The fault, as the end of the sentence.
        problem: String,
    },
    /// The file of encryption keys cannot be used.
    #[error("the encryption keys in {} cannot be used: {problem}", .path.display())]
    EncryptionKeys {
        /// The file.
        path: PathBuf,
        /// The cause.
        problem: String,
    },
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Flag => f.write_str("the command line"),
            Self::Environment => f.write_str("the environment"),
            Self::File(path) => write!(f, "{}", path.display()),
        }
    }
}

fn from(origin: &Option<Origin>) -> String {
    origin.as_ref().map(|origin| format!(" (from {origin})")).unwrap_or_default()
}
