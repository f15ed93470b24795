//! The HTTP edge: a file per endpoint, the only mapping to status codes.
//!
//! A handler extracts, makes one call into `cutover-app`, and responds. Only this crate knows routes,
//! headers, status codes and bodies of refusals; it knows neither SQL nor object storage.
//!
//! | route | methods | where |
//! |---|---|---|
//! | `/v2/data-import/accounts/validate/` | POST | [`Config::listen`], if [`Config::serve_api`] |
//! | `/v2/data-import/accounts/` | POST | the same |
//! | `/v2/data-import/accounts/<supplier>/<number>/` | GET | the same |
//! | `/v1/data-import/notes/create/` | POST | the same |
//! | `/v1/data-import/transactions/create/` | POST | the same |
//! | `/v1/data-import/historical-statements/create/` | POST | the same |
//! | `/v1/data-import/payment-instruction/create/` | POST | the same |
//! | `/v1/data-import/account-transfer-status/<supplier>/<number>/` | GET | the same |
//! | `/v1/data-import/all-account-import-processes/<supplier>/` | GET | the same |
//! | `/v1/data-import/pending-account-import-processes/<supplier>/` | GET | the same |
//! | `/v1/data-import/imported-account-import-processes/<supplier>/` | GET | the same |
//! | `/v1/data-import/business/` | POST | the same |
//! | `/v1/data-import/business-payment-instruction/create/` | POST | the same |
//! | `/v1/graphql/` | POST | the same |
//! | `/openapi.json`, `/docs/` | GET | the same, and [`Config::admin_listen`] |
//! | `/console/…` | GET, POST | if [`Config::console`]: [`Config::admin_listen`] if it is set, else the same |
//! | `/healthz`, `/readyz` | GET | [`Config::listen`] and [`Config::admin_listen`] |
//! | `/metrics` | GET | [`Config::admin_listen`] if it is set, else [`Config::listen`] |
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
mod authorization;
mod blocking;
mod body;
mod call;
mod client;
mod config;
mod connections;
mod console;
mod endpoint;
#[cfg(feature = "fuzzing")]
pub mod fuzzing;
mod metrics;
mod monitor;
mod observe;
mod openapi;
mod pace;
mod path;
mod query;
mod refusal;
mod rejection;
mod request_id;
mod route;
mod server;
mod service;
mod throttle;
mod weights;
mod work;

#[cfg(test)]
mod testing;

pub use config::Config;
pub use server::{Parts, Readiness, Running, start};
