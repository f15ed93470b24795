use super::Cli;
use crate::error::Error;
use clap::CommandFactory;
use clap_complete::Shell;
use std::io::Write;
use std::path::Path;

const NAME: &str = "cutover-client";

/// Prints the completions of a shell.
///
/// # Errors
/// [`Error`] if standard output fails.
pub(super) fn completions(shell: Shell) -> Result<(), Error> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), NAME, &mut script);
    Ok(std::io::stdout().lock().write_all(&script)?)
}

/// Writes a page for the program and one for each command into a folder.
///
/// # Errors
/// [`Error`] if it cannot be written to.
pub(super) fn pages(folder: &Path) -> Result<(), Error> {
    let write = || {
        std::fs::create_dir_all(folder)?;
        clap_mangen::generate_to(Cli::command(), folder)
    };
    write().map_err(Error::file("written", folder))
}
