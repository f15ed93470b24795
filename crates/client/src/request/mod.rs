//! The kinds of requests that the program sends: accounts, and what `send` takes.

mod kind;
mod selection;

pub(crate) use kind::Kind;
pub(crate) use selection::Selection;
