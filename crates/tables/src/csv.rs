//! Comma-separated values.

use crate::{Layout, LayoutColumn, decimal_text};
use cutover_model::tables::{Cell, ColumnType};
use std::borrow::Cow;
use std::io::{self, Write};

/// The cell that is `null`. A text of these characters is in quotes.
const NULL: &str = r"\N";

pub(crate) fn head(layout: &Layout, out: &mut impl Write) -> io::Result<()> {
    line(layout.columns.iter().map(|column| Cell::Value(Cow::Borrowed(&*column.name))), out)
}

pub(crate) fn row(layout: &Layout, cells: &[Cell<'_>], out: &mut impl Write) -> io::Result<()> {
    line(layout.columns.iter().map(|column| shown(column, &cells[column.cell])), out)
}

/// The cell of a column.
pub(crate) fn shown<'c>(column: &LayoutColumn, cell: &'c Cell<'_>) -> Cell<'c> {
    match (cell, column.column_type) {
        (Cell::Value(value), ColumnType::Decimal { before, after }) if column.is_value => {
            decimal_text(value, before, after).map_or(Cell::Absent, |value| Cell::Value(Cow::Owned(value)))
        }
        (Cell::Value(value), _) => Cell::Value(Cow::Borrowed(value)),
        (Cell::Null, _) => Cell::Null,
        (Cell::Absent, _) => Cell::Absent,
    }
}

pub(crate) fn line<'c>(cells: impl Iterator<Item = Cell<'c>>, out: &mut impl Write) -> io::Result<()> {
    for (i, cell) in cells.enumerate() {
        if i > 0 {
            out.write_all(b",")?;
        }
        match cell {
            Cell::Absent => {}
            Cell::Null => out.write_all(NULL.as_bytes())?,
            Cell::Value(value) => text(&value, out)?,
        }
    }
    out.write_all(b"\n")
}

fn text(text: &str, out: &mut impl Write) -> io::Result<()> {
    let is_plain = !text.is_empty() && text != NULL && !text.contains([',', '"', '\n', '\r']);
    if is_plain && text.trim() == text {
        return out.write_all(text.as_bytes());
    }
    write!(out, "\"{}\"", text.replace('"', "\"\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn absent_null_and_empty_cells_differ() {
        let value = |text: &'static str| Cell::Value(Cow::Borrowed(text));
        let cells =
            [Cell::Absent, Cell::Null, value(""), value(r"\N"), value("a,\"b\"\n"), value(" a"), value("é")];
        let mut out = Vec::new();
        line(cells.into_iter(), &mut out).unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), ",\\N,\"\",\"\\N\",\"a,\"\"b\"\"\n\",\" a\",é\n");
    }
}
