//! The service on PostgreSQL: on a throwaway cluster that keeps what it commits, in turn with the yardsticks
//! on the same one. CPU seconds are those of the service and the database together; of a yardstick, those of
//! its client and the database.

mod backup;
mod claim;
mod cluster;
mod feed;
mod idle;
mod nodes;
mod peers;
mod reads;
mod rows;
mod snapshot;
mod staged;

pub(crate) use claim::compare as claim;
pub(crate) use cluster::{Cost, PostgresCluster, failed};
pub(crate) use feed::measure as feed;
pub(crate) use idle::measure as idle;
pub(crate) use nodes::compare as nodes;
pub(crate) use peers::{Pgbench, unnest};
pub(crate) use reads::compare as reads;
pub(crate) use rows::Rows;
pub(crate) use snapshot::compare as snapshot;
pub(crate) use staged::Staged;
