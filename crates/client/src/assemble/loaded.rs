//! Files that were read.

use crate::origin::OriginFile;
use cutover_model::tables::{ColumnRole, Table, Tables};
use std::collections::HashMap;

/// A file that was read: what its columns are called.
#[derive(Debug)]
pub(super) struct Loaded {
    pub(super) name: String,
    /// The index of its table.
    pub(super) table: usize,
    /// The names in the file by the columns of the table.
    pub(super) columns: HashMap<usize, String>,
}

impl Loaded {
    /// The name of a column in the file, or else its own.
    pub(super) fn column<'l>(&'l self, table: &'l Table, column: usize) -> &'l str {
        self.columns.get(&column).map_or(&table.columns[column].name, String::as_str)
    }

    /// The file with the names of the columns that are members.
    pub(super) fn origin(&self, tables: &Tables) -> OriginFile {
        let table = tables.get(self.table);
        let columns = table.into_iter().flat_map(|table| {
            let members = table.columns.iter().enumerate();
            let members = members.filter(|(_, column)| column.role == ColumnRole::Member);
            members.map(|(index, column)| (column.name.clone(), self.column(table, index).to_owned()))
        });
        OriginFile { name: self.name.clone(), columns: columns.collect() }
    }
}
