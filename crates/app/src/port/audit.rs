use super::StoreError;
use chrono::{DateTime, Utc};
use cutover_core::string_enum;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;

/// The author of an action of an operator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Operator {
    /// A command.
    Command {
        /// The operating system's user, if the environment of the command names it.
        user: Option<String>,
    },
    /// A person who is signed in to the console.
    Key {
        /// The public part of the API key.
        prefix: String,
    },
}

impl Operator {
    /// Reads an operator as it is written. Any other text is the name of a command's user.
    pub fn read(text: &str) -> Self {
        match text.split_once(':') {
            Some(("key", prefix)) => Self::Key { prefix: prefix.to_owned() },
            Some(("command", user)) => Self::Command { user: Some(user.to_owned()) },
            _ if text == "command" => Self::Command { user: None },
            _ => Self::Command { user: Some(text.to_owned()) },
        }
    }
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
        /// A key that exists was refused, or a token of it; why, from where, and how many times.
        KeyRefused = "api-key.refuse",
        /// A new key signs tokens; by its id.
        SigningKeyRotated = "signing-key.rotate",
        /// A signing key was taken away; by its id.
        SigningKeyRevoked = "signing-key.revoke",
        /// A new key signs certificates; by its id.
        CertificateKeyRotated = "certificate-key.rotate",
        /// A certificate was issued; by its id.
        CertificateIssued = "supplier.certificate",
        /// Leaves of certificates of a supplier were removed; of which, and of how many.
        CertificateLeavesRemoved = "certificate.remove-leaves",
        /// An import supplier was added; with the settings that were given.
        SupplierAdded = "supplier.add",
        /// Settings of an import supplier were given, its status among them: paused, resumed, completed.
        SupplierSet = "supplier.set",
        /// The imports of a supplier were held; with the reason.
        SupplierHeld = "supplier.hold",
        /// The hold of a supplier was released; who had held it, and the reason.
        SupplierReleased = "supplier.release",
        /// A note was written into the timeline of a supplier. Its text is not part of the trail, and is erased with the supplier.
        SupplierNoted = "supplier.note",
        /// The manifest of a supplier was removed; what it had declared.
        ManifestRemoved = "supplier.remove-manifest",
        /// A run of a supplier was started; its name.
        RunStarted = "run.start",
        /// The run of a supplier was ended; its name.
        RunEnded = "run.end",
        /// Imports of a supplier were undone by a job; its id, how many, and the reason.
        ImportsUndone = "supplier.undo",
        /// An import supplier was erased; its code, the number of removed rows of each table, and the reason.
        SupplierErased = "supplier.erase",
        /// A business was removed; its number.
        BusinessErased = "business.erase",
        /// A payment vendor was added; by its name.
        VendorAdded = "vendor.add",
        /// A payment vendor was removed; by its name.
        VendorRemoved = "vendor.remove",
        /// A webhook was added; by its id.
        WebhookAdded = "webhook.add",
        /// A webhook was enabled; by its id.
        WebhookEnabled = "webhook.enable",
        /// A webhook was disabled; by its id.
        WebhookDisabled = "webhook.disable",
        /// A webhook is sent events again; by its id, since when.
        WebhookReplayed = "webhook.replay",
        /// A webhook was given a new secret; by its id.
        WebhookSecretRotated = "webhook.rotate-secret",
        /// A webhook was sent a test event; by its id.
        WebhookTested = "webhook.test",
        /// A webhook was removed; by its id.
        WebhookRemoved = "webhook.remove",
        /// A pending process was taken out; or many by a job: its id and how many.
        ProcessCancelled = "process.cancel",
        /// Another attempt at a process was begun; or at many by a job: its id and how many.
        ProcessRetried = "process.retry",
        /// A job was stopped; by its id, with its counts.
        JobStopped = "job.stop",
        /// A stopped job was resumed; by its id.
        JobResumed = "job.resume",
        /// Payload and history of processes of a supplier were moved to an archive; how many.
        ProcessesArchived = "process.archive",
        /// The failed accounts of a supplier were handed out; the format and the filter.
        ProcessesExported = "process.export",
        /// Accounts were searched for; how many were found.
        AccountsSearched = "account.search",
        /// Personal data of an account was shown at the console.
        AccountRevealed = "account.reveal",
        /// All that is kept of an account was handed out.
        AccountExported = "account.export",
        /// The imported accounts of a supplier were exported as tables; format and personal values. A continued export
        /// is recorded again.
        AccountsExported = "export",
        /// All that was kept of an account was removed; how many rows of each table, and the reason.
        AccountErased = "account.erase",
        /// The mark that an erasure had left was removed: the account is taken again. With the reason.
        ErasureForgotten = "account.forget-erasure",
        /// Encrypting payloads and bank details again in the database was begun.
        ResealBegun = "encryption-key.reseal",
        /// A copy of the whole database was begun.
        BackupBegun = "backup",
        /// Somebody signed in to the console.
        SignedIn = "console.sign-in",
        /// Somebody signed out of the console.
        SignedOut = "console.sign-out",
    }
}

/// The object of an action, by keys of the store. An account has the key of its process.
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
    /// Returns the subject for an organisation.
    pub fn organisation(id: i64) -> Self {
        Self { organisation_id: Some(id), ..Self::default() }
    }

    /// Returns the subject for an import supplier.
    pub fn supplier(supplier: &super::Supplier) -> Self {
        Self { supplier_id: Some(supplier.id), ..Self::organisation(supplier.organisation_id) }
    }

    /// Returns the subject for a process or its account.
    pub fn process(supplier: &super::Supplier, id: i64) -> Self {
        Self { process_id: Some(id), ..Self::supplier(supplier) }
    }
}

/// A value in the [`Detail`] of an action.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Fact {
    /// A number of things.
    Count(u64),
    /// Text from the operator or the program, never from a payload.
    Word(String),
    /// A value of a newer version, in a form that this one does not know.
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

/// Named details of an action. It must hold nothing about a customer, not even an account number, because
/// rows of the audit trail are never removed.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Detail(BTreeMap<String, Fact>);

impl Detail {
    /// Adds a text.
    #[must_use]
    pub fn word(mut self, name: &str, word: impl fmt::Display) -> Self {
        self.0.insert(name.to_owned(), Fact::Word(word.to_string()));
        self
    }

    /// Adds a text, if there is one.
    #[must_use]
    pub fn word_if(self, name: &str, word: Option<impl fmt::Display>) -> Self {
        match word {
            Some(word) => self.word(name, word),
            None => self,
        }
    }

    /// Adds a number.
    #[must_use]
    pub fn count(mut self, name: &str, count: u64) -> Self {
        self.0.insert(name.to_owned(), Fact::Count(count));
        self
    }

    /// Iterates over the details by name.
    pub fn facts(&self) -> impl Iterator<Item = (&str, &Fact)> {
        self.0.iter().map(|(name, fact)| (name.as_str(), fact))
    }

    /// Returns true if there are no details.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// An action to be recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditEntry {
    /// Time of the action.
    pub at: DateTime<Utc>,
    /// Its author.
    pub by: Operator,
    /// The action.
    pub action: AuditAction,
    /// Its object.
    pub subject: Subject,
    /// Its details.
    pub detail: Detail,
}

/// A recorded action. Enumerations are text, because a newer program may have written them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditRecord {
    /// The store's key, larger for later actions.
    pub id: i64,
    /// Time of the action.
    pub at: DateTime<Utc>,
    /// Its author, as [`Operator`] is written.
    pub by: String,
    /// The action, as [`AuditAction`] is written.
    pub action: String,
    /// The name of the organisation.
    pub organisation: Option<String>,
    /// The code of the supplier.
    pub supplier: Option<String>,
    /// The process, which may have been erased.
    pub process_id: Option<i64>,
    /// Its details.
    pub detail: Detail,
}

/// A filter of actions, which have to match all given criteria.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AuditFilter {
    /// About this organisation, its suppliers or their accounts.
    pub organisation_id: Option<i64>,
    /// With a smaller key: the next page.
    pub before: Option<i64>,
    /// By this author, as [`Operator`] is written.
    pub by: Option<String>,
    /// At this time or later.
    pub since: Option<DateTime<Utc>>,
    /// About this supplier, or an account of it.
    pub supplier_id: Option<i64>,
    /// This action only.
    pub action: Option<AuditAction>,
    /// If true, actions on one account are left out.
    pub is_without_accounts: bool,
}

/// The audit trail. It is append-only: the store refuses changes.
pub trait Audit {
    /// Records an action, in the transaction that performs it.
    fn record(&mut self, entry: &AuditEntry) -> Result<(), StoreError>;

    /// Returns the time at which the last backup was begun, by an index.
    fn last_backup_at(&mut self) -> Result<Option<DateTime<Utc>>, StoreError>;
}

/// Queries that find actions on any organisation.
pub trait AnyAudit {
    /// Returns recorded actions, the last first, at most `limit`. Those of an organisation, a supplier, an author or an
    /// action are found by an index.
    fn audit_records(&mut self, filter: &AuditFilter, limit: u32) -> Result<Vec<AuditRecord>, StoreError>;
}
