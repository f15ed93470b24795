//! What the use cases need of the world.

mod accounts;
mod clock;
mod documents;
mod identity;
mod processes;
mod store;
mod suppliers;

pub use accounts::{Accounts, ImportedAccount, NewAccount};
pub use clock::{Clock, Random};
pub use documents::{Answer, Documents, DocumentsUnavailable};
pub use identity::{
    ApiKey, ApiKeyRole, Identity, InvalidRole, KeyStanding, NewApiKey, Organisation, RefreshToken, SigningKey,
};
pub use processes::{ListedProcess, Processes, Staged, StoredIssue, StoredIssues, StoredProcess};
pub use store::{Store, StoreError, Tx, Verdict, WriteJob, read, write};
pub use suppliers::{Supplier, SupplierSettings, Suppliers};
