//! The service on PostgreSQL: on a throwaway cluster that keeps what it commits, in turn with the yardsticks on
//! the same one. CPU seconds are those of the service and the database together; of a yardstick, those of its
//! client and the database.

mod backup;
mod claim;
mod create;
mod dry_run;
mod idle;
mod import;
mod list;
mod nodes;
mod peers;
mod progress;
mod reads;
mod rows;
pub(super) mod seed;
mod site;
mod snapshot;
mod staged;

pub(super) use claim::compare as claim;
pub(super) use create::compare as create;
pub(super) use dry_run::compare as dry_run;
pub(super) use idle::measure as idle;
pub(super) use import::compare as import;
pub(super) use list::compare as list;
pub(super) use nodes::compare as nodes;
pub(super) use progress::compare as progress;
pub(super) use reads::compare as reads;
pub(super) use site::Site;
pub(super) use snapshot::compare as snapshot;
