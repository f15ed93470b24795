//! Adapters to external services: documents in object storage (contract D10), exports to it (contract D19), payment
//! vendors (contract D8, D11), receivers of webhooks (contract D19).
//!
//! Only this crate knows object storage and an HTTP client; other crates name documents by their path and
//! payment instructions by their reference.

mod breaker;
mod documents;
mod export;
mod location;
mod runtime;
mod secret;
mod vendors;
mod webhooks;

pub use documents::ObjectDocuments;
pub use export::{ExportBucket, ExportFailed};
pub use location::{InvalidLocation, Location};
pub use runtime::OutboundRuntime;
pub use secret::secret;
pub use vendors::{HttpVendors, VendorLimits, VendorsUnusable};
pub use webhooks::HttpWebhooks;
