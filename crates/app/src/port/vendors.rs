use super::{Answer, InstructionDetails, StoreError};
use chrono::{DateTime, Utc};
use cutover_core::{Word, string_enum};

string_enum! {
    "a kind of vendor";
    /// The protocol that a payment vendor speaks (contract D11).
    pub enum VendorKind {
        /// Our own small protocol.
        Http = "http",
        /// Stripe's PaymentMethods.
        Stripe = "stripe",
        /// GoCardless's mandates and bank accounts.
        Gocardless = "gocardless",
    }
}

/// A payment vendor that the operator has configured, for all organisations.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Vendor {
    /// What payloads name it by.
    pub name: String,
    /// Its protocol. One that a newer version knows cannot be asked.
    pub kind: Word<VendorKind>,
    /// Where it is: `https:`, or `http:` on a loopback or private address; without a slash at its end.
    pub base_url: String,
    /// The variable of the environment that holds its secret. The secret itself is stored nowhere.
    pub secret_env: Option<String>,
    /// When it was added.
    pub created_at: DateTime<Utc>,
}

/// The configured vendors.
pub trait Vendors {
    /// Adds a vendor; false if the name is taken.
    fn add_vendor(&mut self, vendor: &Vendor) -> Result<bool, StoreError>;

    /// The vendor of a name.
    fn vendor(&mut self, name: &str) -> Result<Option<Vendor>, StoreError>;

    /// Every vendor, by name.
    fn vendors(&mut self) -> Result<Vec<Vendor>, StoreError>;

    /// Removes a vendor; false if there is no such one.
    fn remove_vendor(&mut self, name: &str) -> Result<bool, StoreError>;
}

/// An instruction as its vendor shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VendorInstruction {
    /// The kind of payment, in our words (`CARD`, `DIRECT_DEBIT`, …); any other word is no match.
    pub kind: String,
    /// What else the vendor says of it.
    pub details: InstructionDetails,
}

/// Why a vendor gave no answer that can be used (contract D8). The texts are for the log: they hold no
/// references, no secrets and nothing of an answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum VendorError {
    /// It refuses, or does not speak its protocol: trying again unchanged does not help.
    #[error("the payment vendor rejected the request: {0}")]
    Rejected(String),
    /// It cannot be reached now: safe to try again unchanged.
    #[error("the payment vendor is not available: {0}")]
    Unavailable(String),
}

/// Asks payment vendors (contract D8, D11). Never called inside a store transaction.
pub trait PaymentVendors: Send + Sync {
    /// The instruction of a reference; `None` if the vendor has none. Answers within 10 s, whatever the
    /// vendor does. May be awaited anywhere, with or without a runtime.
    fn look_up<'a>(
        &'a self,
        vendor: &'a Vendor,
        reference: &'a str,
    ) -> Answer<'a, Result<Option<VendorInstruction>, VendorError>>;

    /// Whether a base URL keeps the address rule of contract D11, as far as its text tells: `https:`, or
    /// `http:` to a loopback or private address; no link-local address, no metadata service of a
    /// cloud, no user, query or fragment.
    ///
    /// # Errors
    /// What is wrong with it, for the operator.
    fn check_base_url(&self, base_url: &str) -> Result<(), String>;

    /// How many vendors are left alone since they failed too often, for monitoring. Nobody is asked.
    fn left_alone(&self) -> usize {
        0
    }

    /// Whether the vendor could be asked: its secret is there and something answers at its address.
    /// For `doctor`.
    fn probe<'a>(&'a self, vendor: &'a Vendor) -> Answer<'a, Result<(), VendorError>>;
}
