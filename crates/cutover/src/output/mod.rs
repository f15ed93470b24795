//! What commands print: tables and lines for people, one JSON document for programs.

mod table;
mod text;

pub(crate) use cutover_core::plain;
pub(crate) use table::{listing, pairs};
pub(crate) use text::At;

use serde::Serialize;
use std::io::{self, Write};

/// Something a command answers with.
pub(crate) trait Answer: Serialize {
    /// What people see of it.
    fn text(&self) -> String;
}

/// A row of a listing.
pub(crate) trait Row: Serialize {
    /// The heads of the columns.
    const HEADS: &'static [&'static str];
    /// What a list without rows says.
    const EMPTY: &'static str;

    /// What people see of it, column by column.
    fn cells(&self) -> Vec<String>;
}

/// Where answers go.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Output {
    json: bool,
}

impl Output {
    pub(crate) fn new(json: bool) -> Self {
        Self { json }
    }

    /// Whether programs read it.
    pub(crate) fn is_json(self) -> bool {
        self.json
    }

    /// Prints an answer.
    pub(crate) fn answer(self, answer: &impl Answer) -> io::Result<()> {
        let text = if self.json { document(answer)? } else { answer.text() };
        writeln!(io::stdout().lock(), "{text}")
    }

    /// Prints a list that is known as a whole.
    pub(crate) fn list<R: Row>(self, rows: &[R]) -> io::Result<()> {
        let text = match rows {
            _ if self.json => document(rows)?,
            [] => R::EMPTY.to_owned(),
            rows => listing(R::HEADS, rows.iter().map(Row::cells)),
        };
        writeln!(io::stdout().lock(), "{text}")
    }
}

/// A value as the one JSON document of a command.
pub(crate) fn document<T: Serialize + ?Sized>(value: &T) -> io::Result<String> {
    serde_json::to_string_pretty(value).map_err(io::Error::other)
}
