//! A pull parser and a writer of JSON text, and its syntax errors.

mod cursor;
mod number;
mod string;
mod syntax;
mod writer;

pub(crate) use cursor::{Cursor, Next};
pub(crate) use number::PlainNumber;
pub use syntax::{SyntaxError, SyntaxErrorKind};
pub use writer::Writer;

/// Maximum nesting of arrays and objects (contract D3).
pub const MAX_DEPTH: u32 = 100;
