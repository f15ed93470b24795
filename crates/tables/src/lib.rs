//! Tables of accounts ([`cutover_model::tables`]) as files: CSV, NDJSON and Parquet (contract D19, D20).
//!
//! A cell has the same text in every format: digits as sent, `true` or `false`, days as `YYYY-MM-DD`, datetimes as in
//! the API, and JSON text for lists of values and free members. Beside a decimal is a column `<name>_decimal` with its
//! value in the declared digits, for programs that calculate; it is absent if the value needs more digits, as a sum of
//! later additions may.
//!
//! | format | absent | `null` | whole number, boolean | `<name>_decimal` |
//! |---|---|---|---|---|
//! | `csv` | empty cell | `\N` | text | text |
//! | `ndjson` | no member | `null` | number, boolean | string |
//! | `parquet` | null | null | INT64, BOOLEAN | DECIMAL |
//!
//! In CSV the empty string is `""`, and a text `\N` is in quotes. Parquet has one null: in files
//! from which accounts are made again, the column `null_columns` names the cells that are `null` and not absent. Keys may be
//! null too, of an account that lacks them.
//!
//! [`read`] reads the same formats, strictly. The crate opens no files: it writes to a [`Write`](std::io::Write) and reads
//! what it is given.

mod csv;
mod decimal;
mod format;
mod layout;
mod mask;
mod ndjson;
#[cfg(feature = "parquet")]
mod parquet;
pub mod read;

pub use decimal::decimal_text;
pub use format::{Format, TableWriter, UnknownFormat};
pub use layout::{Layout, LayoutColumn, Personal};
pub use mask::Mask;
