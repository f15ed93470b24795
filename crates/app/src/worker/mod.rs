//! The worker: claims due processes, imports their accounts, and sweeps up after workers that died
//! (decisions D6).

mod claim;
mod import;
mod pace;
mod prepare;
mod ready;
mod run;
mod sweep;

pub use import::Outcome;
pub use run::{Worked, Worker, WorkerMetrics};
pub use sweep::Swept;
