use crate::error::exception;
use cutover_client::{Assembly, Error, Made, MappingSource, TableFinding};
use pyo3::prelude::*;
use std::borrow::Cow;
use std::io;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// Number of accounts and findings that are made before Python asks for them.
const AHEAD: usize = 16;
/// How often signals are looked for while Python waits: its handlers run between these times only.
const SIGNALS: Duration = Duration::from_millis(50);

/// What Python makes a `TableFinding` of.
type Parts = (String, Option<u64>, Option<String>, Option<String>, Option<String>, &'static str, String);

/// What the thread hands to Python.
enum Next {
    Account(Vec<u8>),
    Finding(Parts),
    End(Result<(), Error>),
}

/// Makes accounts of tables, in a thread of its own that ends with this object.
#[pyclass(frozen)]
pub(crate) struct Accounts(Mutex<Receiver<Next>>);

#[pymethods]
impl Accounts {
    /// Finds the tables, and begins to read them.
    #[new]
    #[pyo3(signature = (paths, mapping_file, mapping_json))]
    fn new(paths: Vec<PathBuf>, mapping_file: Option<PathBuf>, mapping_json: Option<&str>) -> PyResult<Self> {
        let file = mapping_file.as_deref().map(MappingSource::File);
        let assembly = Assembly::new(&paths, file.or(mapping_json.map(MappingSource::Json)));
        let assembly = assembly.map_err(exception)?;
        let (sender, receiver) = sync_channel(AHEAD);
        let run = move || {
            let made = sender.clone();
            let result = assembly.run(move |next| send(&made, next.into()));
            // Without a receiver nobody waits for the end.
            let _ = send(&sender, Next::End(result));
        };
        std::thread::Builder::new().name("cutover-assemble".to_owned()).spawn(run)?;
        Ok(Self(Mutex::new(receiver)))
    }

    /// Returns the next account as JSON, or the parts of the next finding; `None` at the end.
    fn next(&self, py: Python<'_>) -> PyResult<Option<Py<PyAny>>> {
        let next = loop {
            match py.detach(|| self.receive()) {
                Ok(next) => break next,
                Err(RecvTimeoutError::Timeout) => py.check_signals()?,
                Err(RecvTimeoutError::Disconnected) => break Next::End(Err(Error::Lost)),
            }
        };
        match next {
            Next::Account(json) => Ok(Some(pyo3::types::PyBytes::new(py, &json).into_any().unbind())),
            Next::Finding(parts) => Ok(Some(parts.into_pyobject(py)?.into_any().unbind())),
            Next::End(result) => result.map(|()| None).map_err(exception),
        }
    }
}

impl Accounts {
    fn receive(&self) -> Result<Next, RecvTimeoutError> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(SIGNALS)
    }
}

impl From<Made<'_>> for Next {
    fn from(made: Made<'_>) -> Self {
        match made {
            Made::Account(account) => Self::Account(account.json().to_vec()),
            Made::Finding(finding) => Self::Finding(parts(finding)),
        }
    }
}

fn parts(finding: &TableFinding<'_>) -> Parts {
    let text = |text: &Option<Cow<'_, str>>| text.as_deref().map(str::to_owned);
    (
        finding.file.to_string(),
        finding.line,
        text(&finding.column),
        text(&finding.table),
        text(&finding.external_account_number),
        finding.code.as_str(),
        finding.detail.to_string(),
    )
}

/// Waits until Python has asked for enough.
///
/// # Errors
/// A broken pipe if Python needs no more.
fn send(to: &SyncSender<Next>, next: Next) -> Result<(), Error> {
    to.send(next).map_err(|_| Error::Output(io::ErrorKind::BrokenPipe.into()))
}
