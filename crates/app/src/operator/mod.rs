//! What the operator does (decisions D11): organisations, keys, suppliers, processes.

mod identity;
mod processes;
mod suppliers;

pub use identity::{IssuedKey, OperatorError};
pub use processes::ProcessReport;
pub use suppliers::SupplierChange;
