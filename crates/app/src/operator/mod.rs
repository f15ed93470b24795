//! Use cases of operators (contract D11): organisations, keys, suppliers, processes, vendors. Commands act on
//! the whole installation, the console on one organisation.

mod archive;
mod attempts;
mod audit;
mod businesses;
mod console;
mod erase;
mod erase_supplier;
mod export;
mod failed;
mod holds;
mod identity;
mod jobs;
mod manifests;
mod monitor;
mod outlook;
mod processes;
mod progress;
mod search;
mod suppliers;
mod table_export;
mod undo;
mod unfinished;
mod vendors;
mod webhooks;

pub(crate) use suppliers::find;

pub use archive::{Archive, ArchiveError, ArchiveScope, Archived, ArchivedProcess};
pub use attempts::{AccountView, Attempt, Attempts, SentPayload};
pub use audit::{AuditPage, AuditScope, OwnAuditScope};
pub(crate) use audit::{Audited, record_action};
pub use businesses::{ErasedBusiness, ListedBusiness};
pub use console::{Migration, OwnSupplier};
pub use erase::{Erasable, Erased};
pub use erase_supplier::ErasableSupplier;
pub use export::AccountExport;
pub use failed::{FailedAccounts, FailedCursor, FailedExport, FailedFormat, FailedPage, LeftOut};
pub use identity::{IssuedKey, OperatorError};
pub use jobs::{BulkRequest, JobOwner};
pub use monitor::{Backlog, Waiting, WebhookBacklog};
pub use outlook::BulkOutlook;
pub use processes::ProcessReport;
pub use progress::Activity;
pub use search::AccountMatch;
pub use suppliers::SupplierChange;
pub use table_export::{ChangedAccounts, ChangesRefused};
pub use undo::{AccountGroup, UndoRequest, UndoScope, Undoable};
pub use unfinished::Unfinished;
pub use webhooks::{IssuedSecret, SecretReport, WebhookReport};
