//! PostgreSQL for tests: throwaway clusters, databases, a standby, PgBouncer, and a proxy that delays or cuts.
//!
//! It drives the programs of an installation and speaks no protocol of its own. Nothing of a machine's own
//! clusters is touched: a [`Cluster`] lives in a temporary folder and listens on a free port of loopback.
//! It ends when its value is dropped, and with the process that owns it, however that ends.

mod cluster;
mod database;
mod instance;
mod pgbouncer;
mod programs;
mod proxy;
mod psql;
mod server;
mod standby;
mod tls;
mod url;
mod user;
mod watchdog;

pub use cluster::{Cluster, ClusterOptions};
pub use database::TestDatabase;
pub use pgbouncer::PgBouncer;
pub use programs::Programs;
pub use proxy::Proxy;
pub use psql::{client, psql, sql};
pub use server::{DATABASE_URL, Server, server};
pub use standby::Standby;
