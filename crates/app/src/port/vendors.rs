use super::{Answer, InstructionDetails, StoreError};
use chrono::{DateTime, Utc};
use cutover_core::Word;
use std::fmt;
use std::str::FromStr;

/// The protocol that a payment vendor speaks (contract D11).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum VendorKind {
    /// Our own small protocol.
    Http,
    /// Stripe's PaymentMethods.
    Stripe,
    /// GoCardless's mandates and bank accounts.
    Gocardless,
}

impl VendorKind {
    /// Every kind.
    pub const ALL: [Self; 3] = [Self::Http, Self::Stripe, Self::Gocardless];

    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Http => "http",
            Self::Stripe => "stripe",
            Self::Gocardless => "gocardless",
        }
    }
}

impl fmt::Display for VendorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl AsRef<str> for VendorKind {
    fn as_ref(&self) -> &str {
        self.as_str()
    }
}

/// The word names no kind of vendor.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a vendor is http, stripe or gocardless, not {0:?}")]
pub struct InvalidVendorKind(String);

impl FromStr for VendorKind {
    type Err = InvalidVendorKind;

    fn from_str(word: &str) -> Result<Self, Self::Err> {
        Self::ALL.into_iter().find(|k| k.as_str() == word).ok_or_else(|| InvalidVendorKind(word.to_owned()))
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
    fn open_circuits(&self) -> usize {
        0
    }

    /// Whether the vendor could be asked: its secret is there and something answers at its address.
    /// For `doctor`.
    fn probe<'a>(&'a self, vendor: &'a Vendor) -> Answer<'a, Result<(), VendorError>>;
}
