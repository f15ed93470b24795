//! The worker: claims due processes, imports their accounts, and sweeps up after workers that died
//! (contract D6).

mod claim;
mod import;
mod outage;
mod pace;
mod prepare;
mod ready;
mod run;
mod sweep;

pub use import::Outcome;
pub(crate) use outage::Interrupted;
pub use run::{Worked, Worker, WorkerMetrics};
pub use sweep::Swept;
