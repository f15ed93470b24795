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

/// A payment vendor that the operator has configured for an organisation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Vendor {
    /// The store's key of the organisation.
    pub organisation_id: i64,
    /// The name of the organisation.
    pub organisation: String,
    /// Its name in payloads, unique in the organisation.
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
    /// Adds a vendor; false if the name is taken in its organisation.
    fn add_vendor(&mut self, vendor: &Vendor) -> Result<bool, StoreError>;

    /// Returns the vendor of an organisation with this name.
    fn vendor(&mut self, organisation_id: i64, name: &str) -> Result<Option<Vendor>, StoreError>;

    /// Returns the names of the vendors of an organisation.
    fn vendor_names(&mut self, organisation_id: i64) -> Result<Vec<String>, StoreError>;

    /// Removes a vendor; false if the organisation has none with this name.
    fn remove_vendor(&mut self, organisation_id: i64, name: &str) -> Result<bool, StoreError>;
}

/// Queries that find vendors of any organisation.
pub trait AnyVendors {
    /// Returns the vendors of an organisation, or of all, by organisation and name.
    fn vendors(&mut self, organisation_id: Option<i64>) -> Result<Vec<Vendor>, StoreError>;
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
