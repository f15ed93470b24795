//! The worker: claims due processes, imports their accounts, and releases the claims of lost workers
//! (contract D6).

mod claim;
mod import;
mod outage;
mod outcome;
mod pace;
mod prepare;
mod ready;
mod run;
mod stopwatch;
mod sweep;

pub(crate) use crate::codec::decode_again;
pub(crate) use outage::Interrupted;
pub use outcome::Outcome;
pub(crate) use prepare::report_again;
pub use run::{Worked, Worker, WorkerMetrics};
pub use sweep::Swept;
