//! The HTTP adapter: one file per endpoint, and the only mapping to status codes.
//!
//! A handler extracts, makes one call into `cutover-app`, and responds. Only this crate knows routes,
//! headers, status codes and bodies of refusals; it knows neither SQL nor object storage.
//!
//! Each file of `endpoint` declares its endpoint: method, path, handler and description. The list of all is in
//! `dispatch::route`; the API's description is generated from it.
//!
//! HEAD is served wherever GET is. The slash at the end of a path may be left out (contract D3).
//!
//! Order of refusals (contract D3): 404 and 405, 401, 429, 413, 415, 400 `parse_error`, faulty parameters of
//! the query, then what the use case says. The endpoints of payment instructions have no 503: what is down is
//! a 500 there. Every answer carries `X-Request-Id`, also that to a head that is broken, too large or too slow, which no
//! endpoint sees.
//!
//! The console answers people: with pages, also where it refuses something.
//!
//! Nothing here logs a path, a query, a body, a header or a token: only the request id, the method, the
//! template of the route, the status, the time taken and the organisation's id.

mod answer;
mod call;
mod config;
mod connection;
mod console;
mod dispatch;
mod endpoint;
#[cfg(feature = "fuzzing")]
pub mod fuzzing;
mod graphql;
mod limits;
mod metrics;
mod openapi;
mod refusal;
mod request;
mod server;
mod service;

#[cfg(test)]
mod testing;

pub use config::Config;
pub use server::{Readiness, Running, start};
pub use service::Parts;
