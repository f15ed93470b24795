//! The use cases of the service, and the ports that they use.
//!
//! A use case owns its transaction: it decodes, checks, decides and commits, in that order. Nothing
//! here knows HTTP, SQL or an async runtime; adapters implement the ports, and the binary wires them.

#[macro_use]
mod masked;

pub mod account;
pub mod additions;
pub mod auth;
pub mod certificate;
pub mod fault;
pub mod job;
pub mod nodes;
pub mod operator;
pub mod port;
pub mod webhook;
pub mod worker;

mod app;
mod codec;
mod document_upload;
mod documents;
mod feed;
mod gate;
mod run;
mod search;
mod wake;
mod writes;

pub use app::{App, Ports, Settings};
pub use cutover_rules::{Needs, Rule, rule, rules_with};
pub use document_upload::{DocumentRefused, DocumentTarget, DocumentWriter, StoredDocument};
pub use documents::{DocumentsWanted, FoundDocuments, Step};
pub use feed::FeedRefused;
pub use wake::Wake;
