//! Descriptions of requests and answers, as values and as JSON Schema. They are generated from the
//! declarations that decode requests and write answers, so that they cannot differ from the code.
//!
//! ```
//! use cutover_model::describe::{REQUESTS, request_schema};
//!
//! let notes = REQUESTS.iter().find(|request| request.name == "notes").unwrap();
//! assert_eq!(notes.object.fields[0].name, "import_supplier");
//! assert!(request_schema(notes).pretty().contains("\"$schema\""));
//! ```
//!
//! # How objects are declared
//!
//! One declaration drives decoding, limits, documentation and encoding of an object. This one, in
//! `payload/address.rs`,
//!
//! ```text
//! objects! {
//!     /// A house number in the address of a metered gas point (contract 2.3).
//!     GasHouse "gas house" in gas_address_houses {
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
//!         table: Some("gas_address_houses"),
//!         key: None,
//!         fields: &[
//!             FieldSpec {
//!                 name: "house_number",
//!                 quoted: "\"house_number\":",
//!                 doc: " House number, as a string or as a whole number.",
//!                 required: false,
//!                 nullable: false,
//!                 kind: Kind::TextOrInteger { max: 16 },
//!                 is_personal: true,
//!                 is_reference: false,
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
mod answer;
mod fields;
mod json;
mod kinds;
mod member;
mod minimal;
mod schema;

pub use answer::{AnswerKind, AnswerMember, AnswerSpec, Shown};
pub use fields::fields_markdown;
pub use json::Json;
pub use member::{Member, Values, members, members_at};
pub use minimal::minimal;
pub use schema::{Schemas, request_schema};

use crate::{
    Account, AccountSearchRequest, BusinessPaymentInstructionRequest, BusinessRequest,
    HistoricalStatementsRequest, ManifestNumbersRequest, ManifestRequest, NotesRequest, ObjectSpec,
    PaymentInstructionRequest, RunRequest, TransactionsRequest,
};

/// A request with a JSON body.
#[derive(Debug, Clone, Copy)]
pub struct Request {
    /// The name of the file of its schema.
    pub name: &'static str,
    /// The object in the body. An account may also be sent in its envelope (contract D5).
    pub object: &'static ObjectSpec,
}

/// Every request with its own JSON body (contract 4).
pub const REQUESTS: &[Request] = &[
    Request { name: "account", object: &Account::SPEC },
    Request { name: "notes", object: &NotesRequest::SPEC },
    Request { name: "transactions", object: &TransactionsRequest::SPEC },
    Request { name: "historical-statements", object: &HistoricalStatementsRequest::SPEC },
    Request { name: "payment-instruction", object: &PaymentInstructionRequest::SPEC },
    Request { name: "business", object: &BusinessRequest::SPEC },
    Request { name: "business-payment-instruction", object: &BusinessPaymentInstructionRequest::SPEC },
    Request { name: "manifest", object: &ManifestRequest::SPEC },
    Request { name: "manifest-numbers", object: &ManifestNumbersRequest::SPEC },
    Request { name: "run", object: &RunRequest::SPEC },
    Request { name: "account-search", object: &AccountSearchRequest::SPEC },
];
