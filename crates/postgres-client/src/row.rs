use diesel::backend::Backend;
use diesel::pg::{Pg, PgValue};
use diesel::row::{Field, PartialRow, RowIndex, RowSealed};
use fallible_iterator::FallibleIterator;
use postgres_protocol::message::backend::{DataRowBody, RowDescriptionBody};
use std::io;
use std::num::NonZeroU32;
use std::ops::Range;
use std::sync::Arc;

/// Name and type of a column.
struct Column {
    name: String,
    oid: NonZeroU32,
}

/// The columns of a statement's rows.
pub(super) struct Columns(Vec<Column>);

impl Columns {
    pub(super) fn new(body: &RowDescriptionBody) -> io::Result<Self> {
        let columns = body.fields().map(|field| {
            let oid = NonZeroU32::new(field.type_oid()).ok_or(io::ErrorKind::InvalidData)?;
            Ok(Column { name: field.name().to_owned(), oid })
        });
        Ok(Self(columns.collect()?))
    }

    pub(super) fn none() -> Self {
        Self(Vec::new())
    }
}

/// A row that a server sent.
pub struct Row {
    columns: Arc<Columns>,
    body: DataRowBody,
    cells: Vec<Option<Range<usize>>>,
}

impl Row {
    /// Returns an error if the row does not have these columns.
    pub(super) fn new(columns: Arc<Columns>, body: DataRowBody) -> io::Result<Self> {
        let mut cells = Vec::with_capacity(columns.0.len());
        let mut ranges = body.ranges();
        while let Some(range) = ranges.next()? {
            cells.push(range);
        }
        if cells.len() != columns.0.len() {
            return Err(io::ErrorKind::InvalidData.into());
        }
        Ok(Self { columns, body, cells })
    }
}

impl RowSealed for Row {}

impl<'a> diesel::row::Row<'a, Pg> for Row {
    type Field<'f>
        = Cell<'f>
    where
        'a: 'f,
        Self: 'f;
    type InnerPartialRow = Self;

    fn field_count(&self) -> usize {
        self.cells.len()
    }

    fn get<'b, I>(&'b self, index: I) -> Option<Cell<'b>>
    where
        'a: 'b,
        Self: RowIndex<I>,
    {
        Some(Cell { row: self, index: self.idx(index)? })
    }

    fn partial_row(&self, range: Range<usize>) -> PartialRow<'_, Self> {
        PartialRow::new(self, range)
    }
}

impl RowIndex<usize> for Row {
    fn idx(&self, index: usize) -> Option<usize> {
        (index < self.cells.len()).then_some(index)
    }
}

impl RowIndex<&str> for Row {
    fn idx(&self, name: &str) -> Option<usize> {
        self.columns.0.iter().position(|column| column.name == name)
    }
}

/// A value of a row.
pub struct Cell<'r> {
    row: &'r Row,
    index: usize,
}

impl Field<'_, Pg> for Cell<'_> {
    fn field_name(&self) -> Option<&str> {
        Some(&self.row.columns.0[self.index].name)
    }

    fn value(&self) -> Option<<Pg as Backend>::RawValue<'_>> {
        let range = self.row.cells[self.index].clone()?;
        Some(PgValue::new(self.row.body.buffer().get(range)?, &self.row.columns.0[self.index].oid))
    }
}
