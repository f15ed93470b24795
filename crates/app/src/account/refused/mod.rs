//! Refused creates: each node gathers them in memory and writes them within a second (contract D13).

mod log;
mod reader;
mod recorder;

pub(crate) use log::RefusedLog;
pub(super) use reader::figures;
pub use reader::shown_refused;
