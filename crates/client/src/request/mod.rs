//! The kinds of requests that the program sends: accounts, and what `send` takes.

mod kind;
mod selection;
mod tables;

pub(crate) use kind::Kind;
pub(crate) use selection::Selection;
pub(crate) use tables::all_tables;
