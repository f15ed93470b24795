use super::{Answer, InstructionDetails, StoreError};
use chrono::{DateTime, Utc};
use cutover_core::Word;
use std::fmt;
use std::str::FromStr;

/// The protocol of a payment vendor (contract D11).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum VendorKind {
    /// The protocol of this project.
    Http,
    /// Stripe's PaymentMethods.
    Stripe,
    /// GoCardless's mandates and bank accounts.
    Gocardless,
}

impl VendorKind {
    /// Every kind.
    pub const ALL: [Self; 3] = [Self::Http, Self::Stripe, Self::Gocardless];

    /// Returns its name in the store and in commands.
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

/// Error for a word that names no kind of vendor.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a kind of vendor: http, stripe or gocardless")]
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
    /// Its name in payloads.
    pub name: String,
    /// Its protocol. A vendor with a protocol of a newer version cannot be called.
    pub kind: Word<VendorKind>,
    /// Its base URL: `https:`, or `http:` on a loopback or private address; without a trailing slash.
    pub base_url: String,
    /// The environment variable that holds its secret. The secret itself is not stored.
    pub secret_env: Option<String>,
    /// Time of creation.
    pub created_at: DateTime<Utc>,
}

/// Queries of the configured vendors.
pub trait Vendors {
    /// Adds a vendor; false if the name is taken.
    fn add_vendor(&mut self, vendor: &Vendor) -> Result<bool, StoreError>;

    /// Returns the vendor with this name.
    fn vendor(&mut self, name: &str) -> Result<Option<Vendor>, StoreError>;

    /// Returns every vendor, by name.
    fn vendors(&mut self) -> Result<Vec<Vendor>, StoreError>;

    /// Removes a vendor; false if there is none with this name.
    fn remove_vendor(&mut self, name: &str) -> Result<bool, StoreError>;
}

/// An instruction as its vendor returns it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VendorInstruction {
    /// The kind of payment, in the terms of the contract (`CARD`, `DIRECT_DEBIT`, …). Any other term is a
    /// mismatch.
    pub kind: String,
    /// Its other details.
    pub details: InstructionDetails,
}

/// Failure of a call to a vendor (contract D8). The texts are for the log: they contain no references, no
/// secrets and nothing of a response.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum VendorError {
    /// It refused the request or violated its protocol. A retry does not help.
    #[error("the payment vendor rejected the request: {0}")]
    Rejected(String),
    /// It cannot be reached now. A retry is safe.
    #[error("the payment vendor is not available: {0}")]
    Unavailable(String),
}

/// Calls payment vendors (contract D8, D11). Never called inside a store transaction.
pub trait PaymentVendors: Send + Sync {
    /// Returns the instruction with this reference; `None` if the vendor has none. Ends within 10 s, whatever
    /// the vendor does. Can be awaited with or without a runtime.
    fn look_up<'a>(
        &'a self,
        vendor: &'a Vendor,
        reference: &'a str,
    ) -> Answer<'a, Result<Option<VendorInstruction>, VendorError>>;

    /// Checks the text of a base URL against the address rule of contract D11: `https:`, or `http:` to a
    /// loopback or private address; no link-local address, no metadata service of a cloud, no user, query or
    /// fragment.
    ///
    /// # Errors
    /// The fault, for the operator.
    fn check_base_url(&self, base_url: &str) -> Result<(), String>;

    /// Returns the number of vendors whose circuit breaker is open, for monitoring. Calls no vendor.
    fn open_circuits(&self) -> usize {
        0
    }

    /// Checks that the vendor can be called: its secret is set and its address answers. For `doctor`.
    fn probe<'a>(&'a self, vendor: &'a Vendor) -> Answer<'a, Result<(), VendorError>>;
}
