//! An account, or another request, with the rows that it was made of.

use super::loaded::Loaded;
use cutover_core::AttrPath;
use cutover_model::tables::{Cell, ColumnRole, Row, Tables};
use serde::Serialize;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// The file and the line of a row.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    pub(super) file: u32,
    pub(super) line: u64,
}

/// An account or another request that is made of rows.
#[derive(Debug)]
pub struct MadeAccount<'m> {
    pub(super) tables: &'m Tables,
    pub(super) files: &'m [Loaded],
    /// The account or the business.
    pub(super) number: &'m str,
    pub(super) rows: &'m [Row<'m>],
    pub(super) places: &'m [Place],
    /// The rows that it has by their index, each with the path of its object.
    pub(super) placed: &'m [(usize, AttrPath)],
    /// Cells that say that a list or an object is empty, and it is not: by the indexes of the row and of the column.
    pub(super) not_empty: &'m [(usize, usize)],
    pub(super) json: &'m [u8],
}

/// The file, the line and the column of each member of an account, as JSON: `external_account_number`, and `members` with
/// `file`, `line` and `column` by path (contract D20).
#[derive(Debug, Serialize)]
pub struct Lineage<'l> {
    external_account_number: &'l str,
    members: BTreeMap<String, Source<'l>>,
}

#[derive(Debug, Serialize)]
struct Source<'l> {
    file: &'l str,
    line: u64,
    column: &'l str,
}

impl<'m> MadeAccount<'m> {
    /// It as JSON, on one line.
    pub fn json(&self) -> &'m [u8] {
        self.json
    }

    /// The path of the object of each row that it has, with the file and the line of the row.
    pub(super) fn origins(&self) -> Vec<(Cow<'static, str>, u32, u64)> {
        let origin = |(row, path): &(usize, AttrPath)| {
            // The path of the account itself is shown as another word.
            let path = if path.segments().is_empty() { Cow::Borrowed("") } else { path.to_string().into() };
            let Place { file, line } = self.places[*row];
            (path, file, line)
        };
        self.placed.iter().map(origin).collect()
    }

    /// The file, the line and the column of each member.
    pub fn lineage(&self) -> Lineage<'m> {
        let mut members = BTreeMap::new();
        for (row, path) in self.placed {
            self.members(*row, path, &mut members);
        }
        Lineage { external_account_number: self.number, members }
    }

    /// Adds the members of the object of a row.
    fn members(&self, row: usize, path: &AttrPath, members: &mut BTreeMap<String, Source<'m>>) {
        let Some(table) = self.tables.get(self.rows[row].table) else { return };
        let Place { file, line } = self.places[row];
        let file = &self.files[file as usize];
        let prefix = if path.segments().is_empty() { String::new() } else { format!("{path}.") };
        for (index, cell) in self.rows[row].cells.iter().enumerate() {
            let column = &table.columns[index];
            let is_member = column.role != ColumnRole::Key && !self.not_empty.contains(&(row, index));
            if *cell != Cell::Absent && is_member {
                let source = Source { file: &file.name, line, column: file.column(table, index) };
                members.insert(format!("{prefix}{}", column.name), source);
            }
        }
    }
}
