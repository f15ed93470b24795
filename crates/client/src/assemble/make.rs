//! From files of tables to accounts and other requests.

use super::accounts::Accounts;
use super::files::TableFile;
use super::load::Loader;
use super::loaded::Loaded;
use super::mapping::Mapping;
use super::output::Output;
use super::watch::Watch;
use crate::error::Error;
use cutover_model::tables::Tables;

/// The result of assembling files.
pub(super) struct Made {
    pub(super) accounts: u64,
    pub(super) rows: u64,
    pub(super) files: Vec<Loaded>,
}

/// Makes the accounts of files, up to when the run is stopped.
///
/// # Errors
/// [`Error`] if a temporary file or the output cannot be written. A file that cannot be read to its end is a finding.
pub(super) fn make(
    (tables, mapping): (&Tables, &Mapping),
    files: &[TableFile],
    watch: &Watch,
    to: &mut dyn Output,
) -> Result<Made, Error> {
    let mut loader = Loader::new(tables, mapping, watch);
    for file in files {
        loader.file(file, to)?;
    }
    let Loader { sorter, files, zeros, rows, .. } = loader;
    let accounts = Accounts::new(tables, &files, &zeros).write(sorter.finish()?, watch, to)?;
    Ok(Made { accounts, rows, files })
}
