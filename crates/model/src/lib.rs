//! The payloads of the Data Import Service, and the decoder that reports every fault of one at once.
//!
//! ```
//! use cutover_model::{Zone, decode_account};
//!
//! let body = br#"{"import_supplier": "ACME", "customers": [{"email": 7}], "supply_adresses": []}"#;
//! let decoded = decode_account(body, Zone::UTC)?;
//! let faults: Vec<String> =
//!     decoded.findings.iter().map(|f| format!("{}: {}", f.attr, f.check.code)).collect();
//! assert_eq!(faults, [
//!     "customers.0.email: invalid",
//!     "external_account_number: required",
//!     "supply_adresses: unknown_field",
//! ]);
//! # Ok::<(), cutover_model::SyntaxError>(())
//! ```
//!
//! A payload without faults becomes plain values, exact to the digit, and encodes to equal JSON:
//!
//! ```
//! use cutover_model::{Encode, Zone, decode_account};
//!
//! let body = br#"{"import_supplier":"ACME","external_account_number":"A-1","transfer_balance":10.10}"#;
//! let request = decode_account(body, Zone::UTC)?.draft.unwrap();
//! let (account, _) = request.into_valid().unwrap();
//! assert_eq!(account.transfer_balance.as_ref().unwrap().as_sent(), "10.10");
//! assert_eq!(account.to_json(), body);
//! # Ok::<(), cutover_model::SyntaxError>(())
//! ```
//!
//! Every object has a plain type and one of the same name in [`draft`], where each member is absent, usable
//! or faulty; rules check drafts. [`describe`] generates JSON Schema from the same declarations. The crate
//! does no I/O and reads no clock, and decoding does not use serde.
//!
//! Other programs use the items at the root. [`service`] is for the service alone. [`describe`] also shows how an
//! object is declared.

mod account_number;
mod content;
mod decode;
mod json;
mod value;
#[macro_use]
mod rows;
#[macro_use]
mod shown;
#[macro_use]
mod convert;
pub mod choices;
#[macro_use]
mod payload;
#[macro_use]
pub mod describe;
pub mod certificate;
mod imported;
pub mod known;
mod meanings;
mod paths;
mod patterns;
mod references;
mod request;
mod response;
pub mod service;
pub mod tables;
mod totals;

pub use account_number::account_number_in;
pub use content::{ContentHash, content_hash};
pub use convert::{Encode, IntoOwned};
pub use cutover_core::{AttrPath, Code, Level, RuleId, Zone};
pub use decode::{
    Blank, Check, FIELD_CHECKS, Field, FieldSpec, Finding, Item, Kind, Known, Limits, List, MAX_EXPANSION,
    MAX_FINDINGS, MAX_ITEMS, Meanings, ObjectSpec, Presence,
};
pub use json::{MAX_DEPTH, SyntaxError, SyntaxErrorKind, Writer};
pub use meanings::meaning;
pub use paths::{PathHashes, PathKey};
pub use payload::*;
pub use references::{is_reference, references};
pub use request::*;
pub use response::*;
pub use rows::{PerTable, RowCounts, RowDifferences};
pub use rust_decimal;
pub use totals::{Totals, exact_sum};
pub use value::{DateTime, Decimal, Free, Integer, InvalidNumber, Nullable, Text, TextOrInteger};

/// The examples of the guide in the book.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/guide/model.md")]
struct Guide;

/// The example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
