//! The module `cutover._native`, on which the package `cutover` for Python is built.
//!
//! It converts between Python and `cutover-client`, and decides nothing. Long work runs without the lock of the
//! interpreter.

mod assemble;
mod error;
mod validate;

use pyo3::prelude::*;

/// The parts of the package that are written in Rust.
#[pymodule]
mod _native {
    #[pymodule_export]
    use super::assemble::Accounts;
    #[pymodule_export]
    use super::run;
    #[pymodule_export]
    use super::validate::Validator;
}

/// Runs the program with the arguments of a command line. Returns its exit code.
#[pyfunction]
fn run(py: Python<'_>, arguments: Vec<std::ffi::OsString>) -> u8 {
    py.detach(|| cutover_client::run(arguments, now()))
}

#[expect(clippy::disallowed_methods, reason = "only the entry points read the clock")]
fn now() -> chrono::DateTime<chrono::Utc> {
    chrono::Utc::now()
}
