//! A connection to a PostgreSQL server for diesel: the server's protocol over a blocking socket.
//!
//! Every answer has a deadline, and statements have no names if a proxy shares the server's connections. Messages
//! and authentication are those of the crate `postgres-protocol`, TLS is rustls. Decision 0053 compares it to other
//! clients.
//!
//! ```no_run
//! use cutover_postgres_client::{Config, Connection};
//! use diesel::connection::SimpleConnection;
//! use std::time::Duration;
//!
//! let mut config = Config::parse("postgres://me@db.example/accounts?sslmode=verify-full")?;
//! config.set("statement_timeout", "15s");
//! config.answer_timeout = Some(Duration::from_secs(18));
//! let mut connection = Connection::open(&config)?;
//! connection.batch_execute("SELECT 1")?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod certificate;
mod config;
mod connect;
mod connection;
mod error;
#[cfg(feature = "fuzzing")]
pub mod fuzzing;
#[cfg(feature = "fuzzing")]
mod memory;
mod passfile;
mod row;
mod session;
mod stream;
#[cfg(test)]
mod tests;
mod tls;
mod url;

pub use config::Config;
pub use connection::Connection;
pub use error::{ClientError, ServerError, UrlError, sqlstate};
pub use row::{Cell, Row};
pub use url::{check_url, shown};
