use cutover_client::Error;
use pyo3::PyErr;
use pyo3::exceptions::{PyOSError, PyValueError};

/// The exception of an error: `OSError`, such as `FileNotFoundError`, for a file, else `ValueError`.
pub(crate) fn exception(error: Error) -> PyErr {
    match error {
        Error::File { path, what, source } => {
            let text = format!("it cannot be {what}: {source}");
            match source.raw_os_error() {
                // Of these arguments Python makes the exception of the number.
                Some(number) => PyOSError::new_err((number, text, path)),
                None => PyOSError::new_err(format!("{path}: {text}")),
            }
        }
        Error::Output(source) => source.into(),
        other => PyValueError::new_err(other.to_string()),
    }
}
