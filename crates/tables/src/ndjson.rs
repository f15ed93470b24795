//! A JSON object per line.

use crate::csv::shown;
use crate::{Layout, LayoutColumn};
use cutover_model::tables::{Cell, ColumnType};
use std::io::{self, Write};

pub(crate) fn row(layout: &Layout, cells: &[Cell<'_>], out: &mut impl Write) -> io::Result<()> {
    let mut separator = "{";
    for column in &layout.columns {
        let cell = shown(column, &cells[column.cell]);
        if cell == Cell::Absent {
            continue;
        }
        out.write_all(separator.as_bytes())?;
        separator = ",";
        serde_json::to_writer(&mut *out, &column.name)?;
        out.write_all(b":")?;
        value(column, &cell, out)?;
    }
    out.write_all(if separator == "{" { b"{}\n" } else { b"}\n" })
}

fn value(column: &LayoutColumn, cell: &Cell<'_>, out: &mut impl Write) -> io::Result<()> {
    let Some(text) = cell.value() else { return out.write_all(b"null") };
    match column.column_type {
        ColumnType::Boolean => {
            let value: bool = text.parse().map_err(|_| column.misfit())?;
            write!(out, "{value}")
        }
        ColumnType::Integer => write!(out, "{}", integer(column, text)?),
        _ => Ok(serde_json::to_writer(out, text)?),
    }
}

pub(crate) fn integer(column: &LayoutColumn, text: &str) -> io::Result<i64> {
    text.trim().parse().map_err(|_| column.misfit())
}
