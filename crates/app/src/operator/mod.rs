//! What the operator does (decisions D11): organisations, keys, suppliers, processes, vendors.

mod archive;
mod identity;
mod processes;
mod suppliers;
mod vendors;

pub use archive::{Archive, ArchiveError, ArchiveScope, Archived, ArchivedProcess};
pub use identity::{IssuedKey, OperatorError};
pub use processes::ProcessReport;
pub use suppliers::SupplierChange;
