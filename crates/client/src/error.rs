use std::fmt;
use std::io;
use std::path::Path;

/// Reason a command failed, shown in one line.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The request makes no sense.
    #[error("{0}")]
    Refused(String),
    /// A file cannot be used.
    #[error("{path} cannot be {what}: {source}")]
    File {
        /// Its path.
        path: String,
        /// Completes "cannot be".
        what: &'static str,
        /// The error of the operating system.
        source: io::Error,
    },
    /// Standard output failed.
    #[error("the output cannot be written: {0}")]
    Output(#[from] io::Error),
    /// The service cannot be reached, or does not do what it is asked.
    #[error("{0}")]
    Service(String),
    /// A worker thread ended early and took its results with it.
    #[error("a thread of this program failed: the results are incomplete")]
    Lost,
}

impl Error {
    /// A refusal with this text.
    pub(crate) fn refused(text: impl Into<String>) -> Self {
        Self::Refused(text.into())
    }

    /// Wraps an I/O error of a file; `what` completes "cannot be".
    pub(crate) fn file(what: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.display().to_string();
        move |source| Self::File { path, what, source }
    }

    /// True if the reader of standard output went away, so that nobody is left to be told.
    pub(crate) fn is_broken_pipe(&self) -> bool {
        matches!(self, Self::Output(error) if error.kind() == io::ErrorKind::BrokenPipe)
    }
}

/// Prints a note on standard error, in one line.
pub(crate) fn print_note(text: &impl fmt::Display) {
    eprintln!("note: {}", cutover_core::plain(&text.to_string()));
}

/// Prints an error on standard error, in one line.
pub(crate) fn print_error(error: &impl fmt::Display) {
    eprintln!("error: {}", cutover_core::plain(&error.to_string()));
}
