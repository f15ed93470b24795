//! The HTTP adapter: one file per endpoint, and the only mapping to status codes.
//!
//! A handler extracts, makes one call into `cutover-app`, and responds. Only this crate knows routes,
//! headers, status codes and bodies of refusals; it knows neither SQL nor object storage.
//!
//! Each file of `endpoint` declares its endpoint: method, path, handler and description. `dispatch::route`
//! lists them all, and the API's description is generated from that list.
//!
//! HEAD is served wherever GET is. The trailing slash of a path is optional (contract D3).
//!
//! Order of refusals (contract D3): 404 and 405, 401, 429, 413, 415, 400 `parse_error`, faulty parameters of
//! the query, then the use case's refusal. Payment instruction endpoints have no 503 and answer 500
//! instead. Every response has an `X-Request-Id`, also that to a head that is broken, too large or too slow.
//!
//! The console answers with HTML pages, refusals included.
//!
//! Nothing here logs a path, a query, a body, a header or a token: only the request id, the client's address, the
//! method, the template of the route, the status, the time taken, the organisation's id and the public part of the key.

mod answer;
mod answer_names;
mod call;
mod config;
mod connection;
mod console;
mod dispatch;
mod endpoint;
pub mod event_id;
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

pub use answer_names::{AnswerName, AnswerNameError};
pub use config::{Config, Tls};
pub use console::{certificate_html, summary_html};
pub use limits::memory::Memory;
pub use server::{Running, ServiceHandle, answer_name, start};
pub use service::Parts;
