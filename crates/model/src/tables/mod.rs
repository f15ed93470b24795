//! Tables: the declarations of the objects as rows and columns (contract D20).
//!
//! Every object that is an item of a list has a row in the table that its declaration names, and an account a row
//! in `accounts`. Objects may share a table: `meters` has the meters of all kinds of meter points. Each member is a
//! column. A single nested object has no table: its members are columns of the object around it, with a dot in
//! their names (`address.postal_code`). A list of values and a member of any JSON are a column with JSON text.
//!
//! Key columns come first. They are those of the parent's row, then `list`, the name of the member that has the
//! object in a list, where several lists share a table, and `position`, the place in that list from 1 on. In tables
//! below, `list` and `position` have the parent's name before them (`ledgers_position`). If an object has a key of
//! its own, such as `meter_serial_number`, then rows below it have that too.
//!
//! ```
//! use cutover_model::tables::{Cell, Tables};
//!
//! let tables = Tables::payload();
//! let body = br#"{"import_supplier":"ACME","external_account_number":"A-1","customers":[{"email":null}]}"#;
//! let mut rows = Vec::new();
//! tables.rows(body, |table, cells| {
//!     let named = table.columns.iter().zip(cells).filter(|(_, cell)| **cell != Cell::Absent);
//!     let cells: Vec<String> = named.map(|(column, cell)| format!("{}={cell:?}", column.name)).collect();
//!     rows.push(format!("{}: {}", table.name, cells.join(" ")));
//!     Ok::<(), cutover_model::tables::RowsError>(())
//! })?;
//! assert_eq!(rows, [
//!     r#"accounts: external_account_number=Value("A-1") import_supplier=Value("ACME")"#,
//!     r#"customers: external_account_number=Value("A-1") position=Value("1") email=Null"#,
//! ]);
//! # Ok::<(), cutover_model::tables::RowsError>(())
//! ```

mod assemble;
mod column;
mod derive;
mod dictionary;
mod rows;

pub use assemble::{Assembled, Assembler, Bodies, Body, BodyLimits, Row, RowFault, RowFaultKind};
pub use column::{Column, ColumnRole, ColumnType};
pub use dictionary::{dictionary, tables_markdown};
pub use rows::{Cell, RowsError};

use crate::ObjectSpec;
use derive::{Node, Shape};

/// Name of the column with the member that has an object in its list.
const LIST: &str = "list";
/// Name of the column with the place of an object in its list.
const POSITION: &str = "position";

/// The tables of accounts, or of requests of another kind.
#[derive(Debug)]
pub struct Tables {
    tables: Vec<Table>,
    /// The objects of the rows of the first table.
    root: Node,
    subject: &'static str,
    /// The natural key of the items of a batch.
    key: Option<&'static str>,
    shape: Shape,
}

/// A table: its name, the table above it, and its columns in their order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Table {
    /// Its name, for example `customers`.
    pub name: &'static str,
    /// The names of the objects whose rows it has.
    pub objects: Vec<&'static str>,
    /// The table with the row that a row belongs to; `None` for the first table.
    pub parent: Option<&'static str>,
    /// The members of the parent that have such objects, each with the names of the objects around it, separated by
    /// dots; empty for the first table.
    pub lists: Vec<String>,
    /// If set, every row of the parent has the list, though it may be empty.
    pub is_required: bool,
    /// The columns: first the keys, then the members in the order of the declarations.
    pub columns: Vec<Column>,
}

impl Table {
    /// The index of the column with this name.
    pub fn column(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| column.name == name)
    }
}

impl Tables {
    /// The tables of accounts as suppliers send them. A column for each list tells an empty one, which has no rows,
    /// from one that was not sent.
    pub fn payload() -> Self {
        derive::derive(derive::Scope::Payload)
    }

    /// The tables of imported accounts (contract D19): also what the service and later calls added. An optional list
    /// that is empty counts as absent, as in every imported account.
    pub fn imported() -> Self {
        derive::derive(derive::Scope::Imported)
    }

    /// The tables of the requests that this declares (contract 4), as suppliers send them.
    ///
    /// If the declaration has a key, as that of businesses, the first table has a row for each request, and otherwise, as
    /// for payment instructions, any number of rows with the same subject. A request with a batch, such as notes, has no row
    /// of its own: its members are columns of the items, and [`Assembler::bodies`] joins items with the same ones.
    pub fn request(spec: &'static ObjectSpec) -> Self {
        derive::derive(derive::Scope::Request(spec))
    }

    /// The name of the column that every table has: of the account or the business that a row belongs to.
    pub fn subject(&self) -> &'static str {
        self.subject
    }

    /// True if they are those of accounts.
    pub fn is_of_accounts(&self) -> bool {
        self.tables.first().is_some_and(|table| table.objects.contains(&crate::Account::SPEC.name))
    }

    /// True if a row and the body that it makes have the same members: there is no other table, and no list.
    pub fn rows_are_bodies(&self) -> bool {
        self.tables.len() == 1 && matches!(self.shape, Shape::ByRow)
    }

    /// The tables, each after its parent.
    pub fn iter(&self) -> std::slice::Iter<'_, Table> {
        self.tables.iter()
    }

    /// The table with this index.
    pub fn get(&self, index: usize) -> Option<&Table> {
        self.tables.get(index)
    }

    /// The index and the table with this name.
    pub fn find(&self, name: &str) -> Option<(usize, &Table)> {
        self.tables.iter().enumerate().find(|(_, table)| table.name == name)
    }
}

impl<'t> IntoIterator for &'t Tables {
    type Item = &'t Table;
    type IntoIter = std::slice::Iter<'t, Table>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}
