//! The worker: claims due processes, imports their accounts, and releases the claims of lost workers
//! (contract D6).

mod claim;
mod import;
mod outage;
mod pace;
mod prepare;
mod ready;
mod run;
mod stopwatch;
mod sweep;

pub use import::Outcome;
pub(crate) use outage::Interrupted;
pub(crate) use prepare::{decode_again, report_again};
pub use run::{Worked, Worker, WorkerMetrics};
pub use sweep::Swept;
