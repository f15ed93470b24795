//! Accounts: validation, creation, status, lists (contract 4.1, 4.3), progress (contract D12).

mod billed;
mod cancel;
mod check;
mod create;
mod facts;
mod find;
mod imported;
mod issues;
mod list;
mod manifest;
mod progress;
mod refused;
mod resubmit;
mod status;
mod supplier;
mod supplier_cache;
mod validate;

pub use billed::BilledRefused;
pub use cancel::CancelRefused;
pub use check::Refused;
pub(crate) use check::{Check, check, check_for_create, check_from_memory, profile};
pub use create::{CheckAccount, CreateRefused, CreateStep, LookUpDocuments, ResubmitAccount, StageAccount};
pub(crate) use create::{stored, stored_of};
pub(crate) use facts::{FactsToRead, Known};
pub use find::{AccountFilter, AccountPage, AccountStatus};
pub use imported::{ImportCursor, ImportedAccounts, ImportedRefused, TotalsPage};
pub(crate) use issues::{of_last_attempt, without_unrelated_errors};
pub use list::OpenList;
pub use manifest::{ManifestRefused, shown as shown_manifest, shown_reconciliation};
pub(crate) use progress::{Pace, accounts, progress};
pub use progress::{Progress, StatusCount, TopCause, shown_progress};
pub(crate) use refused::RefusedLog;
pub use status::{process_status, shown_time};
pub(crate) use supplier_cache::SupplierCache;
