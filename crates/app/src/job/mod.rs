//! Jobs: bulk operations of operators (contract D14, decision 0042).
//!
//! A job is worked off in batches. Each is one transaction, which changes some processes and moves the job's position
//! behind them, so that no process is changed twice. A claim gives a job a lease: the command that began it, or else any
//! process with workers, works on it.

mod batch;
mod erase;
mod erase_rehearsed;
mod run;
mod runner;
mod select;
mod undo;

pub(crate) use run::{LEASE, Ran, detail, new_job, subject};
pub use runner::JobRunner;
pub(crate) use select::{is_old, matching};
pub(crate) use undo::{imports_of_run, imports_of_wave};
