//! The output of commands: text, or one JSON document.

mod table;
mod time;

pub(crate) use cutover_core::plain;
pub(crate) use table::{listing, pairs};
pub(crate) use time::ZonedTime;

use cutover_core::Zone;
use serde::Serialize;
use std::io::{self, Write};

/// The result of a command.
pub(crate) trait Answer: Serialize {
    /// The text form.
    fn text(&self) -> String;
}

/// A row of a listing.
pub(crate) trait Row: Serialize {
    /// The headings of the columns.
    const HEADS: &'static [&'static str];
    /// The headings of the columns with times, of a list whose times are in one zone.
    const TIMES: &'static [&'static str] = &[];
    /// The text of an empty list.
    const EMPTY: &'static str;

    /// The text form, column by column.
    fn cells(&self) -> Vec<String>;
}

/// Standard output, in the format of the command line.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Output {
    json: bool,
}

impl Output {
    pub(crate) fn new(json: bool) -> Self {
        Self { json }
    }

    /// Returns true for JSON.
    pub(crate) fn is_json(self) -> bool {
        self.json
    }

    /// Prints a result.
    pub(crate) fn answer(self, answer: &impl Answer) -> io::Result<()> {
        let text = if self.json { document(answer)? } else { answer.text() };
        writeln!(io::stdout().lock(), "{text}")
    }

    /// Prints a list.
    pub(crate) fn list<R: Row>(self, rows: &[R]) -> io::Result<()> {
        self.list_as(rows, |rows| listing(R::HEADS, rows.iter().map(Row::cells)))
    }

    /// Prints a list whose times are in one zone, which the headings of their columns name.
    pub(crate) fn list_in<R: Row>(self, rows: &[R], zone: Zone) -> io::Result<()> {
        self.list_as(rows, |rows| listing_in(rows, zone))
    }

    fn list_as<R: Row>(self, rows: &[R], listed: impl FnOnce(&[R]) -> String) -> io::Result<()> {
        let text = match rows {
            _ if self.json => document(rows)?,
            [] => R::EMPTY.to_owned(),
            rows => listed(rows),
        };
        writeln!(io::stdout().lock(), "{text}")
    }
}

/// Formats a list whose times are in one zone.
pub(crate) fn listing_in<R: Row>(rows: &[R], zone: Zone) -> String {
    let named = |head: &&str| match R::TIMES.contains(head) {
        true => format!("{head} ({zone})"),
        false => (*head).to_owned(),
    };
    let heads: Vec<String> = R::HEADS.iter().map(named).collect();
    listing(&heads.iter().map(String::as_str).collect::<Vec<_>>(), rows.iter().map(Row::cells))
}

/// Formats a value as a JSON document.
pub(crate) fn document<T: Serialize + ?Sized>(value: &T) -> io::Result<String> {
    serde_json::to_string_pretty(value).map_err(io::Error::other)
}
