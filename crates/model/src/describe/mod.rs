//! What requests and answers look like, as values and as JSON Schema: from the declarations that decode the ones
//! and write the others, so that a description cannot say anything else.
//!
//! ```
//! use cutover_model::describe::{REQUESTS, request_schema};
//!
//! let notes = REQUESTS.iter().find(|request| request.name == "notes").unwrap();
//! assert_eq!(notes.object.fields[0].name, "import_supplier");
//! assert!(request_schema(notes).pretty().contains("\"$schema\""));
//! ```

#[macro_use]
mod answer;
mod fields;
mod json;
mod kinds;
mod schema;

pub use answer::{AnswerKind, AnswerMember, AnswerSpec, Shown};
pub use fields::fields_markdown;
pub use json::Json;
pub use schema::{Schemas, request_schema};

use crate::{
    Account, BusinessPaymentInstructionRequest, BusinessRequest, HistoricalStatementsRequest, NotesRequest,
    ObjectSpec, PaymentInstructionRequest, TransactionsRequest,
};

/// A request with a JSON body.
#[derive(Debug, Clone, Copy)]
pub struct Request {
    /// The name of its schema's file.
    pub name: &'static str,
    /// The object in the body. An account may also come in its envelope (contract D5).
    pub object: &'static ObjectSpec,
}

/// Every request with a JSON body of its own (contract 4).
pub const REQUESTS: &[Request] = &[
    Request { name: "account", object: &Account::SPEC },
    Request { name: "notes", object: &NotesRequest::SPEC },
    Request { name: "transactions", object: &TransactionsRequest::SPEC },
    Request { name: "historical-statements", object: &HistoricalStatementsRequest::SPEC },
    Request { name: "payment-instruction", object: &PaymentInstructionRequest::SPEC },
    Request { name: "business", object: &BusinessRequest::SPEC },
    Request { name: "business-payment-instruction", object: &BusinessPaymentInstructionRequest::SPEC },
];
