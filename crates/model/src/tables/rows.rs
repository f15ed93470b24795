//! The rows of an account.

use super::derive::{List, Member, Node};
use super::{ColumnType, Table, Tables};
use crate::json::{Cursor, Next};
use crate::{SyntaxError, SyntaxErrorKind};
use std::borrow::Cow;
use std::marker::PhantomData;

/// A cell of a row.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Cell<'a> {
    /// The member is absent.
    Absent,
    /// The member is `null`.
    Null,
    /// The value: a string without quotes and escapes, the digits of a number as sent, `true` or `false`, or JSON
    /// text.
    Value(Cow<'a, str>),
}

impl Cell<'_> {
    /// The value, if there is one.
    pub fn value(&self) -> Option<&str> {
        match self {
            Self::Value(value) => Some(value),
            Self::Absent | Self::Null => None,
        }
    }
}

/// Reason why an account has no rows.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RowsError {
    /// It is not JSON.
    #[error(transparent)]
    Syntax(#[from] SyntaxError),
    /// It has a member or a form of a value that no table has. The text is the name of the table.
    #[error("the account does not fit the table {0}")]
    Unknown(&'static str),
}

/// The reason why a walk ended early.
enum End<E> {
    Kind(SyntaxErrorKind),
    Unknown(usize),
    Refused(E),
}

impl<E> From<SyntaxErrorKind> for End<E> {
    fn from(kind: SyntaxErrorKind) -> Self {
        Self::Kind(kind)
    }
}

impl Tables {
    /// Walks an account once and gives each of its rows to `row`, with a cell for each column of the table: each row
    /// before those below it. Only strings with escapes are copied.
    ///
    /// # Errors
    /// [`RowsError`] if the account does not have the form that the tables are for, and whatever `row` returns.
    pub fn rows<'j, E: From<RowsError>>(
        &self,
        account: &'j [u8],
        mut row: impl FnMut(&Table, &[Cell<'j>]) -> Result<(), E>,
    ) -> Result<(), E> {
        self.indexed_rows(account, |table, cells| row(&self.tables[table], cells))
    }

    /// Like [`rows`](Self::rows), with the index of the table.
    ///
    /// # Errors
    /// Those of [`rows`](Self::rows).
    pub fn indexed_rows<'j, E: From<RowsError>>(
        &self,
        account: &'j [u8],
        row: impl FnMut(usize, &[Cell<'j>]) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut cursor = Cursor::new(account).map_err(|error| E::from(error.into()))?;
        let mut walk = Walk { tables: &self.tables, row, error: PhantomData };
        let cells = walk.empty_row(0);
        let done = walk.object(&mut cursor, 0, &self.root, cells).and_then(|()| Ok(cursor.finish()?));
        done.map_err(|end| match end {
            End::Refused(error) => error,
            End::Unknown(table) => RowsError::Unknown(self.tables[table].name).into(),
            End::Kind(kind) => RowsError::Syntax(cursor.broken(kind)).into(),
        })
    }
}

/// A list that is read once the row of its parent is known.
struct Later<'t> {
    list: &'t List,
    mark: usize,
    depth: u32,
}

struct Walk<'t, E, F> {
    tables: &'t [Table],
    row: F,
    error: PhantomData<E>,
}

impl<'t, 'j, E, F> Walk<'t, E, F>
where
    F: FnMut(usize, &[Cell<'j>]) -> Result<(), E>,
{
    fn empty_row(&self, table: usize) -> Vec<Cell<'j>> {
        vec![Cell::Absent; self.tables[table].columns.len()]
    }

    /// Reads an object with a row of its own, whose key cells are set.
    fn object(
        &mut self,
        cursor: &mut Cursor<'j>,
        table: usize,
        node: &'t Node,
        mut cells: Vec<Cell<'j>>,
    ) -> Result<(), End<E>> {
        let mut later = Vec::new();
        self.members(cursor, table, node, &mut cells, &mut later)?;
        (self.row)(table, &cells).map_err(End::Refused)?;
        let (end, depth) = (cursor.mark(), cursor.depth());
        for Later { list, mark, depth } in later {
            cursor.rewind(mark, depth);
            self.list(cursor, list, &cells)?;
        }
        cursor.rewind(end, depth);
        Ok(())
    }

    fn members(
        &self,
        cursor: &mut Cursor<'j>,
        table: usize,
        node: &'t Node,
        cells: &mut [Cell<'j>],
        later: &mut Vec<Later<'t>>,
    ) -> Result<(), End<E>> {
        if cursor.peek()? != Next::Object {
            return Err(End::Unknown(table));
        }
        let mut more = cursor.open_object()?;
        while more {
            let name = cursor.name()?;
            match node.member(&name).ok_or(End::Unknown(table))? {
                Member::Value(column) => {
                    let of = self.tables[table].columns[*column].column_type;
                    cells[*column] = cell(cursor, of)?.ok_or(End::Unknown(table))?;
                }
                Member::Object(inside, empty) => {
                    let mark = cursor.mark();
                    self.members(cursor, table, inside, cells, later)?;
                    set_if_empty(cells, *empty, cursor.since(mark), "{}");
                }
                Member::List(list, empty) => {
                    let (mark, depth) = (cursor.mark(), cursor.depth());
                    if cursor.peek()? != Next::Array {
                        return Err(End::Unknown(table));
                    }
                    cursor.skip()?;
                    set_if_empty(cells, *empty, cursor.since(mark), "[]");
                    later.push(Later { list, mark, depth });
                }
            }
            more = cursor.more_members()?;
        }
        Ok(())
    }

    fn list(&mut self, cursor: &mut Cursor<'j>, list: &'t List, parent: &[Cell<'j>]) -> Result<(), End<E>> {
        let mut more = cursor.open_array()?;
        let mut position = 0_u64;
        while more {
            position += 1;
            let mut cells = self.empty_row(list.table);
            for (from, to) in &list.inherited {
                cells[*to] = parent[*from].clone();
            }
            if let Some(column) = list.list {
                cells[column] = Cell::Value(Cow::Owned(list.path.clone()));
            }
            if let Some(column) = list.position {
                cells[column] = Cell::Value(Cow::Owned(position.to_string()));
            }
            self.object(cursor, list.table, &list.items, cells)?;
            more = cursor.more_items()?;
        }
        Ok(())
    }
}

/// Sets the column of an empty list or object.
fn set_if_empty(cells: &mut [Cell<'_>], column: Option<usize>, json: &str, value: &'static str) {
    if let Some(column) = column
        && json.bytes().filter(|byte| !byte.is_ascii_whitespace()).count() == value.len()
    {
        cells[column] = Cell::Value(Cow::Borrowed(value));
    }
}

/// Reads the value of a column; `None` if it has another form.
fn cell<'j>(cursor: &mut Cursor<'j>, of: ColumnType) -> Result<Option<Cell<'j>>, SyntaxErrorKind> {
    let next = cursor.peek()?;
    let value = match (next, of) {
        (Next::Null, _) => {
            cursor.word(next)?;
            return Ok(Some(Cell::Null));
        }
        (_, ColumnType::Json) => {
            let mark = cursor.mark();
            cursor.skip()?;
            Cow::Borrowed(cursor.since(mark))
        }
        (Next::String, _) => cursor.string()?,
        (Next::Number, _) => Cow::Borrowed(cursor.number()?),
        (Next::True | Next::False, ColumnType::Boolean) => {
            cursor.word(next)?;
            Cow::Borrowed(if next == Next::True { "true" } else { "false" })
        }
        _ => return Ok(None),
    };
    Ok(Some(Cell::Value(value)))
}
