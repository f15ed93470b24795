//! Object storage that speaks S3, in process and on loopback, and fails on request. For tests only.
//!
//! Objects are files of a temporary folder: `<folder>/<bucket>/<key>`. Signatures are verified.

mod fault;
mod record;
mod server;

pub use fault::Fault;
pub use record::Seen;
pub use server::{ACCESS_KEY, BUCKET, S3Server, SECRET_KEY};
