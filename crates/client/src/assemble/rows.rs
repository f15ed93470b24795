//! The rows of tables, account by account.

use super::files::{self, TableFile};
use super::finding::{Findings, TableFinding};
use super::load::Loader;
use super::mapping::Mapping;
use super::record::Record;
use crate::error::Error;
use cutover_model::tables::{Cell, ColumnRole, Tables};
use cutover_tables::Format;
use serde::Deserialize;
use serde_json::Value;
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};

/// Files of tables.
pub(crate) struct TableInputs {
    files: Vec<TableFile>,
    skipped: Vec<String>,
    mapping: Mapping,
}

impl TableInputs {
    /// Finds the files of tables. `None` if the inputs are accounts: without a mapping, if a path belongs to no table, or a file
    /// in NDJSON begins with an account.
    ///
    /// # Errors
    /// [`Error`] if the mapping makes no sense, or there are no tables for it.
    pub(crate) fn find(
        paths: &[PathBuf],
        mapping: Option<&Path>,
        tables: &Tables,
    ) -> Result<Option<Self>, Error> {
        let read = mapping.map(|path| Mapping::read(path, tables)).transpose()?.unwrap_or_default();
        let found = files::find(paths, tables, &read);
        let (files, skipped) = match found {
            Ok(found) => found,
            Err(error) if mapping.is_some() => return Err(error),
            // The reader of accounts names what is wrong with a path.
            Err(_) => return Ok(None),
        };
        let are_accounts = mapping.is_none() && files.iter().any(|file| holds_accounts(file, tables));
        Ok((!are_accounts).then_some(Self { files, skipped, mapping: read }))
    }

    /// Gives each row to `row`: the index of its table, its cells, and whether it is the first one of its account. The rows of
    /// an account follow each other.
    ///
    /// # Errors
    /// [`Error`] if a temporary file or the findings cannot be written. A file that cannot be read to its end is a finding.
    pub(crate) fn rows(
        &self,
        tables: &Tables,
        findings: &mut Findings,
        mut row: impl FnMut(usize, &[Cell<'_>], bool),
    ) -> Result<(), Error> {
        for file in &self.skipped {
            let detail = "its name begins with that of no table: it is not read".to_owned();
            findings.add(&TableFinding { file, kind: "unread_file", detail, ..TableFinding::default() })?;
        }
        let mut loader = Loader::new(tables, &self.mapping);
        self.files.iter().try_for_each(|file| loader.file(file, findings))?;
        let mut sorted = loader.sorter.finish()?;
        let mut account = None;
        while let Some(bytes) = sorted.next()? {
            let record = Record::decode(&bytes).ok_or_else(damaged)?;
            let is_first = account.as_deref() != Some(record.key.account);
            if is_first {
                account = Some(record.key.account.to_owned());
            }
            let decoded = record.row(tables).ok_or_else(damaged)?;
            row(decoded.table, &decoded.cells, is_first);
        }
        Ok(())
    }
}

fn damaged() -> Error {
    Error::Output(io::Error::new(io::ErrorKind::InvalidData, "a temporary file is damaged"))
}

/// True for NDJSON whose first value has an object, or a list of objects, as a member that is no column of the table.
fn holds_accounts(file: &TableFile, tables: &Tables) -> bool {
    let is_column = |name: &str| {
        let columns = tables.get(file.table).map(|table| &table.columns[..]).unwrap_or_default();
        columns.iter().any(|column| column.role == ColumnRole::Member && column.name == name)
    };
    let is_account = || {
        let bytes = BufReader::new(File::open(&file.path).ok()?).take(crate::input::MAX_ACCOUNT as u64);
        let first = Value::deserialize(&mut serde_json::Deserializer::from_reader(bytes)).ok()?;
        let is_nested = |value: &Value| value.is_object() || value[0].is_object();
        Some(first.as_object()?.iter().any(|(name, value)| is_nested(value) && !is_column(name)))
    };
    file.format == Format::Ndjson && is_account().unwrap_or_default()
}
