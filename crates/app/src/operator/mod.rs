//! Use cases of operators (contract D11): organisations, keys, suppliers, processes, vendors. Commands act on
//! the whole installation, the console on one organisation.

mod archive;
mod audit;
mod console;
mod erase;
mod export;
mod identity;
mod jobs;
mod monitor;
mod processes;
mod progress;
mod search;
mod suppliers;
mod table_export;
mod vendors;
mod webhooks;

pub use archive::{Archive, ArchiveError, ArchiveScope, Archived, ArchivedProcess};
pub use audit::AuditScope;
pub(crate) use audit::{Audited, record_action};
pub use console::{Migration, OwnSupplier};
pub use erase::{Erasable, Erased};
pub use export::AccountExport;
pub use identity::{IssuedKey, OperatorError};
pub use jobs::{BulkRequest, JobOwner};
pub use monitor::{Backlog, Waiting, WebhookBacklog};
pub use processes::ProcessReport;
pub use progress::Activity;
pub use search::AccountMatch;
pub use suppliers::SupplierChange;
pub use table_export::{ChangedAccounts, ChangesRefused};
pub use webhooks::{IssuedSecret, SecretReport, WebhookReport};
