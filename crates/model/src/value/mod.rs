//! The leaf types of a payload: each keeps the text that was sent and its meaning (fields 1.4, 1.5).

mod choice;
mod date;
mod datetime;
mod free;
mod nullable;
mod number;
mod text;

pub(crate) use choice::Choice;
pub(crate) use date::{date_of, parse_date};
pub use datetime::DateTime;
pub(crate) use datetime::Reading;
pub use free::Free;
pub use nullable::Nullable;
pub use number::{Decimal, Integer, InvalidNumber};
pub(crate) use number::{
    NumberFault, canonical_number, digits_of_decimal, plain_decimal, read_decimal, read_integer,
};
pub use text::{Text, TextOrInteger};

/// Stands in the `Debug` output for a personal value.
pub(crate) const MASK: &str = "***";
