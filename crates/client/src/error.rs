use crate::service::Fault;
use std::fmt;
use std::io;
use std::path::Path;

/// Why a command could not do what it was asked; shown in one line.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    /// What was asked for makes no sense.
    #[error("{0}")]
    Refused(String),
    /// A file cannot be used.
    #[error("{path} cannot be {what}: {source}")]
    File { path: String, what: &'static str, source: io::Error },
    /// Standard output failed.
    #[error("the output cannot be written: {0}")]
    Output(#[from] io::Error),
    /// The service cannot be asked, or does not do it.
    #[error("{0}")]
    Service(String),
    /// A thread of ours is gone, and with it what it held.
    #[error("the run ended before its end by a fault of this program: what it found is not complete")]
    Lost,
}

impl Error {
    /// A refusal in words.
    pub(crate) fn refused(text: impl Into<String>) -> Self {
        Self::Refused(text.into())
    }

    /// What could not be done with a file.
    pub(crate) fn file(what: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.display().to_string();
        move |source| Self::File { path, what, source }
    }

    /// Whether the reader of standard output went away: nobody is left to be told.
    pub(crate) fn is_broken_pipe(&self) -> bool {
        matches!(self, Self::Output(error) if error.kind() == io::ErrorKind::BrokenPipe)
    }
}

impl From<Fault> for Error {
    fn from(fault: Fault) -> Self {
        Self::Service(fault.why().to_owned())
    }
}

/// Tells of something on standard error that is no fault, in one line.
pub(crate) fn note(text: &impl fmt::Display) {
    eprintln!("note: {}", cutover_core::plain(&text.to_string()));
}

/// Tells of a fault on standard error, in one line.
pub(crate) fn tell(error: &impl fmt::Display) {
    eprintln!("error: {}", cutover_core::plain(&error.to_string()));
}
