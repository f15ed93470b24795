use super::mapping::Mapping;
use crate::error::Error;
use clap::Args;
use cutover_model::tables::Tables;
use cutover_tables::read::Encoding;
use std::path::{Path, PathBuf};

/// How tables are read.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct TableOptions {
    /// What the tables and columns are called and how their values are written, as a TOML file
    #[arg(long, value_name = "FILE")]
    mapping: Option<PathBuf>,
    /// The encoding of tables in CSV and NDJSON, such as windows-1252 [default: that of the mapping, or UTF-8]
    #[arg(long, value_name = "NAME")]
    encoding: Option<Encoding>,
}

impl TableOptions {
    /// The file of the mapping.
    pub(super) fn mapping(&self) -> Option<&Path> {
        self.mapping.as_deref()
    }

    /// Reads the mapping, of which these tables are used.
    ///
    /// # Errors
    /// [`Error`] if it cannot be read, or names what does not exist.
    pub(super) fn read<'t>(&self, tables: impl IntoIterator<Item = &'t Tables>) -> Result<Mapping, Error> {
        let mapping = self.mapping.as_ref().map(|path| Mapping::read(path, tables)).transpose()?;
        Ok(mapping.unwrap_or_default().with_encoding(self.encoding))
    }
}
