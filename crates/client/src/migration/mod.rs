//! Progress of a supplier's migration at the service: watched until it is done, compared with what was sent.

mod compare;
mod differing;
mod files;
mod listed;
mod options;
mod progress;
mod reconcile;
mod summary;
mod view;
mod watch;

pub(crate) use options::{ReportOptions, WatchOptions};
pub(crate) use reconcile::run as report;
pub(crate) use watch::run as watch;
