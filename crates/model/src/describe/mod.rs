//! Descriptions of requests and answers, as values and as JSON Schema. They are generated from the declarations that
//! decode requests and write answers, so that they cannot differ from the code.
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
mod json;
mod kinds;
mod schema;

pub use answer::{AnswerKind, AnswerMember, AnswerSpec, Shown};
pub use json::Json;
pub use schema::{Schemas, request_schema};

use crate::{
    Account, BusinessPaymentInstructionRequest, BusinessRequest, HistoricalStatementsRequest, NotesRequest,
    ObjectSpec, PaymentInstructionRequest, TransactionsRequest,
};

/// A request with a JSON body.
#[derive(Debug, Clone, Copy)]
pub struct Request {
    /// The name of the file of its schema.
    pub name: &'static str,
    /// The object in the body. An account may also be sent in its envelope (contract D5).
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
