//! One file per endpoint: its declaration, its handler (extract, one call, respond) and its tests.

pub(crate) mod account_issues;
pub(crate) mod account_lists;
pub(crate) mod account_status;
pub(crate) mod account_totals;
pub(crate) mod bulk;
pub(crate) mod businesses;
pub(crate) mod cancel_account;
pub(crate) mod certificates;
pub(crate) mod create_account;
pub(crate) mod create_business;
pub(crate) mod create_business_payment_instruction;
pub(crate) mod create_historical_statements;
pub(crate) mod create_notes;
pub(crate) mod create_payment_instruction;
pub(crate) mod create_transactions;
pub(crate) mod events;
pub(crate) mod find_accounts;
pub(crate) mod find_for_operator;
pub(crate) mod graphql;
pub(crate) mod healthz;
pub(crate) mod imported_account;
pub(crate) mod imported_accounts;
mod instruction;
pub(crate) mod manifest;
pub(crate) mod manifest_numbers;
pub(crate) mod metrics;
pub(crate) mod openapi;
mod pages;
pub(crate) mod progress;
pub(crate) mod readiness;
pub(crate) mod readyz;
pub(crate) mod refused_creates;
pub(crate) mod report_billed;
pub(crate) mod runs;
pub(crate) mod stream;
pub(crate) mod supplier;
pub(crate) mod supplier_holds;
pub(crate) mod transfer_status;
pub(crate) mod upload_document;
pub(crate) mod validate_account;
pub(crate) mod validate_account_v1;

use crate::call::Handler;
use crate::openapi::{Operation, Parameter};
use actix_web::http::Method;

/// An endpoint: a method of a path.
pub(crate) struct Endpoint {
    /// GET serves HEAD as well: actix leaves out the body.
    pub(crate) method: Method,
    /// The path; `<…>` matches one segment, `<path>` all that are left. Logs and metrics name the endpoint by it.
    pub(crate) template: &'static str,
    pub(crate) kind: Kind,
    pub(crate) handler: Handler,
    /// The description in the API. Pages of the console have none, nor has a method that exists only to be
    /// refused with a reason.
    pub(crate) operation: Option<Operation>,
}

impl Endpoint {
    /// Returns the parameters that its query may have.
    pub(crate) fn query(&self) -> &'static [Parameter] {
        self.operation.as_ref().map_or(&[], |operation| operation.query)
    }
}

/// The kind of an endpoint, which decides on which listeners it is served.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The data-import API.
    Api,
    /// The description of the API, for programs and for people.
    Description,
    /// Pages for the operator, which are not described with the API.
    Console,
    /// Liveness and readiness.
    Health,
    /// Metrics.
    Metrics,
}
