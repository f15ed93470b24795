//! The ports: traits that adapters implement for the use cases, and the types they exchange.

mod accounts;
mod audit;
mod businesses;
mod causes;
mod certificates;
mod clock;
mod documents;
mod erasure;
mod error;
mod feed;
mod figures;
mod gates;
mod identity;
mod in_job;
mod instructions;
mod issues;
mod jobs;
mod ledgers;
mod nodes;
mod notes;
mod processes;
mod refusals;
mod runs;
mod search;
mod server_certificate;
mod shares;
mod statements;
mod store;
mod suppliers;
mod timeline;
mod undo;
mod vendors;
mod webhooks;

pub use accounts::{Accounts, HeldMeterPoint, ImportedAccount, ImportedPage, MeterPointQuestion, NewAccount};
pub use audit::{
    AnyAudit, Audit, AuditAction, AuditEntry, AuditFilter, AuditRecord, Detail, Fact, Operator, Subject,
};
pub use businesses::{BusinessRecord, Businesses, NewBusiness, StoredBusiness};
pub use causes::{Cause, CauseCount, MAX_CAUSES};
pub use certificates::{
    CertificateKey, CertificateSubtree, Certificates, CertifiedAccount, StoredCertificate,
};
pub use clock::{Clock, Random};
pub use documents::{
    Answer, DOCUMENT_PIECE, DocumentDigest, DocumentUpload, Documents, DocumentsUnavailable, NotStored,
};
pub use erasure::{ErasedRows, Erasure, ErasureMark, Traces};
pub use error::StoreError;
pub use feed::{Feed, FeedEvent, FeedFilter, FeedPage, FeedPosition, NewFeedEvent};
pub use figures::{
    ActivityCount, ActivityKind, AnyFigures, Figures, Manifest, MinuteCount, NumberLists, Reconciliation,
    StateCount, SupplierFigures,
};
pub use gates::{AnyGates, ErrorWindow, Gate, Gates, Hold, HoldCause, HoldReason};
pub use identity::{
    Access, ApiKey, ApiKeyRole, Identity, KeyStatus, NewApiKey, Organisation, RefreshToken, SigningKey,
};
pub use in_job::{JobGuard, RefusedInJobs, SuspendedJobs};
pub use instructions::{
    InstructionDetails, InstructionKey, Instructions, VendorBankAccount, VendorCard, VerifiedInstruction,
};
pub use issues::{StoredIssue, StoredIssues};
pub use jobs::{AnyJobs, Job, JobFilter, JobKind, JobPosition, JobState, Jobs};
pub use ledgers::{ChargedPeriod, LedgerHead, Ledgers, NewTransaction, StoredTransaction};
pub use nodes::{Node, Nodes};
pub use notes::{NewNote, NoteContent, Notes};
pub use processes::{
    AccountList, AnyProcesses, Archivable, ArchivedVersion, Creation, ListedAccount, ListedProcess,
    MAX_WINDOWED_ACCOUNTS, MAX_WINDOWS, PageLimit, PayloadById, Position, PreviousAttempt, ProcessFilter,
    ProcessPage, ProcessToArchive, Processes, Sent, Staged, Staging, StepWrite, StoredProcess, WaitingWindow,
    WaitingWindows,
};
pub use refusals::{Refusals, RefusedCreate, RefusedFault, RefusedFigures};
pub use runs::{AnyRuns, Outcome, PAUSE, Run, RunFigures, Runs, Stretch};
pub use search::{Search, SearchKey, SearchTerm};
pub use server_certificate::{ServerCertificate, ServerCertificateState};
pub use shares::{Division, FairShares};
pub use statements::{HistoricalStatements, NewHistoricalStatement};
pub(crate) use store::is_erased;
pub use store::{
    DatabaseFault, Encryption, Inspection, LastSupplier, MayConflict, Rows, ServerFigures, StagingDone,
    Store, Tx, Verdict, WriteJob, find_stale, read, read_committed, stage, stage_in, write, write_with_retry,
};
pub use suppliers::{AnySuppliers, HoldOnErrors, Supplier, SupplierSettings, Suppliers, Waves};
pub use timeline::{ServiceHold, SupplierNote, Timeline, TimelineRange};
pub use undo::{ImportedHead, KeptBecause, Undo, WaveSpan};
pub use vendors::{AnyVendors, PaymentVendors, Vendor, VendorError, VendorInstruction, VendorKind, Vendors};
pub use webhooks::{
    ActiveWebhook, AnyWebhooks, Delivery, DeliveryState, Disabled, DisabledReason, NewWebhook, Replay,
    WEBHOOK_ANSWER, WEBHOOK_DEADLINE, Webhook, WebhookAnswer, WebhookDone, WebhookFigures, WebhookRequest,
    WebhookSecret, WebhookSender, Webhooks,
};

// Types of the rules in the ports' signatures, because adapters depend on the ports only.
pub use cutover_rules::{
    ChangedLevel, Country, DocumentState, LevelSource, MeterPointHolder, MeterPointKey, ProfileName,
    RuleValue, UndocumentedMembers, WantedDocument, set_values,
};
