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
//! Every object has a plain type and one of the same name in [`draft`], where each member is absent, usable or
//! faulty; rules check drafts. [`describe`] generates JSON Schema from the same declarations. The crate does no I/O and
//! reads no clock, and decoding does not use serde.
//!
//! Other programs use the items at the root. [`service`] is for the service alone.
//!
//! # How objects are declared
//!
//! One declaration drives decoding, limits, documentation and encoding of an object. This one, in `payload/address.rs`,
//!
//! ```text
//! objects! {
//!     /// A house number in the address of a metered gas point (contract 2.3).
//!     GasHouse "gas house" {
//!         /// House number, as a string or as a whole number.
//!         house_number: optional text_or_integer(16) personal;
//!         /// Suffix of the house number.
//!         house_number_suffix: optional text(16) personal;
//!     }
//! }
//! ```
//!
//! expands to a plain type, its specification, a draft, and the code that connects them (shortened):
//!
//! ```text
//! /// A house number in the address of a metered gas point (contract 2.3).
//! #[derive(Clone, PartialEq)]
//! pub struct GasHouse<'j> {
//!     /// House number, as a string or as a whole number.
//!     pub house_number: Option<TextOrInteger<'j>>,
//!     /// Suffix of the house number.
//!     pub house_number_suffix: Option<Text<'j>>,
//! }
//!
//! impl GasHouse<'_> {
//!     pub const SPEC: ObjectSpec = ObjectSpec {
//!         ident: "GasHouse",
//!         name: "gas house",
//!         doc: " A house number in the address of a metered gas point (contract 2.3).",
//!         fields: &[
//!             FieldSpec {
//!                 name: "house_number",
//!                 quoted: "\"house_number\":",
//!                 doc: " House number, as a string or as a whole number.",
//!                 required: false,
//!                 nullable: false,
//!                 kind: Kind::TextOrInteger { max: 16 },
//!                 is_personal: true,
//!             },
//!             /* house_number_suffix */
//!         ],
//!     };
//! }
//!
//! // Debug prints `***` for each member, because both are personal.
//! impl Debug for GasHouse<'_> { /* … */ }
//! // Writes both members in the order of the declaration.
//! impl Object for GasHouse<'_> { /* … */ }
//! impl IntoOwned for GasHouse<'_> { type Owned = GasHouse<'static>; /* … */ }
//!
//! // The draft: the same members, each absent, null, faulty or a value.
//! pub mod draft {
//!     #[derive(Clone, PartialEq, Default)]
//!     pub struct GasHouse<'j> {
//!         pub house_number: Field<TextOrInteger<'j>>,
//!         pub house_number_suffix: Field<Text<'j>>,
//!     }
//! }
//!
//! // Decodes the value of the member with this index of SPEC.fields.
//! impl<'j> Members<'j> for draft::GasHouse<'j> { /* … */ }
//! // Some(GasHouse { … }) if no member is faulty.
//! impl<'j> IntoValid for draft::GasHouse<'j> { type Valid = GasHouse<'j>; /* … */ }
//! ```
//!
//! The documentation of `objects!`, in `payload/declare.rs`, describes the presences and kinds of members.

#[macro_use]
mod value;
mod decode;
mod json;
#[macro_use]
mod payload;
pub mod choices;
#[macro_use]
pub mod describe;
mod imported;
pub mod known;
mod request;
mod response;
pub mod service;
mod totals;

pub use cutover_core::{AttrPath, Code, Level, RuleId, Zone};
pub use decode::{
    Blank, Check, FIELD_CHECKS, Field, FieldSpec, Finding, Item, Kind, Known, Limits, List, MAX_EXPANSION,
    MAX_FINDINGS, MAX_ITEMS, ObjectSpec, Presence,
};
pub use json::{MAX_DEPTH, SyntaxError, SyntaxErrorKind, Writer};
pub use payload::*;
pub use request::*;
pub use response::*;
pub use rust_decimal;
pub use totals::Totals;
pub use value::{DateTime, Decimal, Free, Integer, InvalidNumber, Nullable, Text, TextOrInteger};

/// The examples of the guide in the book.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/guide/model.md")]
struct Guide;
