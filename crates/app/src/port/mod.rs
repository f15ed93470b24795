//! What the use cases need of the world.

mod accounts;
mod audit;
mod businesses;
mod clock;
mod documents;
mod erasure;
mod figures;
mod identity;
mod in_job;
mod instructions;
mod ledgers;
mod nodes;
mod notes;
mod processes;
mod statements;
mod store;
mod suppliers;
mod vendors;

pub use accounts::{Accounts, ImportedAccount, MeterPointQuestion, NewAccount};
pub use audit::{Audit, AuditAction, AuditEntry, AuditFilter, AuditRecord, Detail, Fact, Operator, Subject};
pub use businesses::{Businesses, NewBusiness, StoredBusiness};
pub use clock::{Clock, Random};
pub use documents::{Answer, Documents, DocumentsUnavailable};
pub use erasure::{ErasedRows, Erasure, Traces};
pub use figures::{Figures, MinuteCount, Standing, StateCount};
pub use identity::{
    ApiKey, ApiKeyRole, Identity, KeyStanding, NewApiKey, Organisation, RefreshToken, SigningKey,
};
pub use in_job::{InJob, OutOfJobs, OutsideJobs};
pub use instructions::{
    InstructionDetails, InstructionKey, Instructions, VendorBankAccount, VendorCard, VerifiedInstruction,
};
pub use ledgers::{LedgerHead, Ledgers, NewTransaction, StoredTransaction};
pub use nodes::{Node, Nodes};
pub use notes::{NewNote, NoteContent, Notes};
pub use processes::{
    AccountList, Archivable, Creation, FoundPayload, KeptProcess, ListedAccount, ListedProcess, PageLimit,
    Position, ProcessFilter, ProcessPage, Processes, Staged, Staging, StepWrite, StoredIssue, StoredIssues,
    StoredProcess,
};
pub use statements::{HistoricalStatements, NewHistoricalStatement};
pub use store::{
    MayConflict, SeenSupplier, ServerFigures, StagingDone, Store, StoreError, Tx, Verdict, WriteJob,
    find_behind, glance, read, stage, stage_in, write, write_anew,
};
pub use suppliers::{Supplier, SupplierSettings, Suppliers};
pub use vendors::{PaymentVendors, Vendor, VendorError, VendorInstruction, VendorKind, Vendors};

// Values of the rules that the ports speak of: adapters know the ports alone.
pub use cutover_rules::{DocumentState, SoughtMeterPoint, WantedDocument};
