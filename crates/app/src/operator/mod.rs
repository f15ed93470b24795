//! What the operator does (contract D11): organisations, keys, suppliers, processes, vendors; by commands for
//! the whole installation, in the console for one organisation.

mod archive;
mod audit;
mod console;
mod erase;
mod export;
mod identity;
mod monitor;
mod processes;
mod progress;
mod search;
mod suppliers;
mod vendors;

pub use archive::{Archive, ArchiveError, ArchiveScope, Archived, ArchivedProcess};
pub use audit::AuditScope;
pub(crate) use audit::{Told, tell};
pub use console::{Migration, OwnSupplier};
pub use erase::{Erasable, Erased};
pub use export::AccountExport;
pub use identity::{IssuedKey, OperatorError};
pub use monitor::{Backlog, Waiting};
pub use processes::ProcessReport;
pub use progress::Activity;
pub use search::AccountMatch;
pub use suppliers::SupplierChange;
