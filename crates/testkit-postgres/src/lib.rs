//! PostgreSQL for tests: temporary clusters, databases, a standby, PgBouncer, and a proxy that delays or cuts
//! connections.
//!
//! It runs the programs of an installation and implements no protocol itself. It does not touch the machine's
//! own clusters: a [`Cluster`] has a temporary folder and listens on a free port of loopback. It ends when
//! its value is dropped or its process ends, even by a crash.

mod cluster;
mod database;
mod instance;
mod memory;
mod pgbouncer;
mod programs;
mod proxy;
mod psql;
mod server;
mod session;
mod standby;
mod template;
mod tls;
mod url;
mod user;
mod watchdog;

pub use cluster::{Cluster, ClusterOptions};
pub use database::TestDatabase;
pub use memory::memory_folder;
pub use pgbouncer::PgBouncer;
pub use programs::Programs;
pub use proxy::Proxy;
pub use psql::{client, psql, sql};
pub use server::{DATABASE_URL, RUNNING_ROLE, Server, server};
pub use session::Session;
pub use standby::Standby;
pub use template::{Template, TemplateCopy};
