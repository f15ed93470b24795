//! Adapters to the outside: documents in object storage (decisions D10).
//!
//! Only this crate knows object storage; everything else names documents by their path.

mod documents;
mod location;

pub use documents::ObjectDocuments;
pub use location::{InvalidLocation, Location};
