//! JSON text: a pull cursor over it, its syntax errors, and a writer of it.

mod cursor;
mod number;
mod string;
mod syntax;
mod writer;

pub(crate) use cursor::{Cursor, Next};
pub(crate) use number::PlainNumber;
pub use syntax::{SyntaxError, SyntaxErrorKind};
pub use writer::Writer;

/// How many arrays and objects may lie inside one another (contract D3).
pub const MAX_DEPTH: u32 = 100;
