use super::StoreError;
use chrono::{DateTime, Utc};
use cutover_core::string_enum;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;

/// Who does what operators do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Operator {
    /// A command, of this user of the system if that is known.
    Command {
        /// As the environment of the command names it.
        user: Option<String>,
    },
    /// Somebody at the console.
    Key {
        /// The part of the key that lists show.
        prefix: String,
    },
}

impl fmt::Display for Operator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Command { user: None } => f.write_str("command"),
            Self::Command { user: Some(user) } => write!(f, "command:{user}"),
            Self::Key { prefix } => write!(f, "key:{prefix}"),
        }
    }
}

string_enum! {
    "an action";
    /// An action of an operator in the audit log: everything that changes something, shows personal data or takes it
    /// out.
    #[derive(PartialOrd, Ord)]
    pub enum AuditAction {
        /// An organisation was added.
        OrganisationAdded = "organisation.add",
        /// An organisation was revoked.
        OrganisationRevoked = "organisation.revoke",
        /// An API key was issued; by its prefix and role.
        KeyIssued = "api-key.issue",
        /// An API key was revoked; by its prefix.
        KeyRevoked = "api-key.revoke",
        /// A new key signs tokens; by its id.
        SigningKeyRotated = "signing-key.rotate",
        /// A signing key was taken away; by its id.
        SigningKeyRevoked = "signing-key.revoke",
        /// An import supplier was added; with the settings that were given.
        SupplierAdded = "supplier.add",
        /// Settings of an import supplier were given, its status among them: paused, resumed, completed.
        SupplierSet = "supplier.set",
        /// A payment vendor was added; by its name.
        VendorAdded = "vendor.add",
        /// A payment vendor was removed; by its name.
        VendorRemoved = "vendor.remove",
        /// A pending process was taken out.
        ProcessCancelled = "process.cancel",
        /// Another attempt at a process was begun.
        ProcessRetried = "process.retry",
        /// Payload and history of processes of a supplier were moved to an archive; how many.
        ProcessesArchived = "process.archive",
        /// Personal data of an account was shown at the console.
        AccountRevealed = "account.reveal",
        /// All that is kept of an account was handed out.
        AccountExported = "account.export",
        /// All that was kept of an account was removed; how many rows of each table.
        AccountErased = "account.erase",
        /// Payloads and bank details began to be encrypted anew in the database.
        ResealBegun = "encryption-key.reseal",
        /// A copy of the whole database was begun.
        BackupBegun = "backup",
        /// Somebody signed in to the console.
        SignedIn = "console.sign-in",
        /// Somebody signed out of the console.
        SignedOut = "console.sign-out",
    }
}

/// What an action was done to, by keys of the store. An account has the key of its process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Subject {
    /// The organisation.
    pub organisation_id: Option<i64>,
    /// The import supplier.
    pub supplier_id: Option<i64>,
    /// The process, and so the account.
    pub process_id: Option<i64>,
}

impl Subject {
    /// An organisation.
    pub fn organisation(id: i64) -> Self {
        Self { organisation_id: Some(id), ..Self::default() }
    }

    /// An import supplier of an organisation.
    pub fn supplier(supplier: &super::Supplier) -> Self {
        Self { supplier_id: Some(supplier.id), ..Self::organisation(supplier.organisation_id) }
    }

    /// A process, or the account of one, of an import supplier.
    pub fn process(supplier: &super::Supplier, id: i64) -> Self {
        Self { process_id: Some(id), ..Self::supplier(supplier) }
    }
}

/// Something that is to be said of an action.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Fact {
    /// How many.
    Count(u64),
    /// A word of the operator's or of ours; never of a payload.
    Word(String),
    /// What a newer version said, in a form that this one does not know.
    Other(serde_json::Value),
}

impl fmt::Display for Fact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Count(count) => count.fmt(f),
            Self::Word(word) => f.write_str(word),
            Self::Other(value) => value.fmt(f),
        }
    }
}

/// What is to be said of an action, by name: what operators named, set or counted. Nothing of a customer belongs
/// here, not even an account's number: rows are never removed.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Detail(BTreeMap<String, Fact>);

impl Detail {
    /// With a word.
    #[must_use]
    pub fn word(mut self, name: &str, word: impl fmt::Display) -> Self {
        self.0.insert(name.to_owned(), Fact::Word(word.to_string()));
        self
    }

    /// With a word, if there is one.
    #[must_use]
    pub fn word_if(self, name: &str, word: Option<impl fmt::Display>) -> Self {
        match word {
            Some(word) => self.word(name, word),
            None => self,
        }
    }

    /// With a number.
    #[must_use]
    pub fn count(mut self, name: &str, count: u64) -> Self {
        self.0.insert(name.to_owned(), Fact::Count(count));
        self
    }

    /// All of it, by name.
    pub fn facts(&self) -> impl Iterator<Item = (&str, &Fact)> {
        self.0.iter().map(|(name, fact)| (name.as_str(), fact))
    }

    /// Whether nothing is to be said.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// An action to be told of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditEntry {
    /// When.
    pub at: DateTime<Utc>,
    /// Who.
    pub by: Operator,
    /// What.
    pub action: AuditAction,
    /// To what.
    pub subject: Subject,
    /// What else is to be said.
    pub detail: Detail,
}

/// An action as it is kept. Words are text: one may be of a newer program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditRecord {
    /// The store's key; of two actions the later one has the larger.
    pub id: i64,
    /// When.
    pub at: DateTime<Utc>,
    /// Who, as [`Operator`] is written.
    pub by: String,
    /// What, as [`AuditAction`] is written.
    pub action: String,
    /// The name of the organisation that it was about.
    pub organisation: Option<String>,
    /// The code of the supplier that it was about.
    pub supplier: Option<String>,
    /// The process that it was about, which may have been erased.
    pub process_id: Option<i64>,
    /// What else is to be said.
    pub detail: Detail,
}

/// Which actions are asked for: those that match all that is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct AuditFilter {
    /// Of this time or later.
    pub since: Option<DateTime<Utc>>,
    /// About this supplier, or an account of it.
    pub supplier_id: Option<i64>,
    /// Of this kind.
    pub action: Option<AuditAction>,
}

/// What operators did. It is only added to: the store refuses to change it.
pub trait Audit {
    /// Tells of an action, in the transaction that does it.
    fn record(&mut self, entry: &AuditEntry) -> Result<(), StoreError>;

    /// Actions, the last one first, at most `limit`.
    fn audit_records(&mut self, filter: AuditFilter, limit: u32) -> Result<Vec<AuditRecord>, StoreError>;
}
