//! The connection to a PostgreSQL server: its protocol over a blocking socket, as a connection of diesel.
//!
//! libpq would need OpenSSL and has calls that nothing ends while a server stays silent. Messages and
//! authentication are those of the crate `postgres-protocol`, TLS is rustls.

mod certificate;
mod config;
mod connect;
mod connection;
mod error;
mod row;
mod session;
mod stream;
#[cfg(test)]
mod tests;
mod tls;

pub(super) use config::{Config, is_verified};
pub(super) use connection::Connection;
pub(super) use error::sqlstate;
