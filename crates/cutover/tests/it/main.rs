//! The real binary, driven over HTTP and by its commands, as its users do.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod after_import;
mod archive;
mod authentication;
mod balances;
mod book;
mod browser;
mod bulk;
mod businesses;
mod commands;
mod crash;
mod creation;
mod demo;
mod document_paths;
mod documents;
mod faults;
mod figures;
mod harness;
mod http;
mod imports;
mod lists;
mod migration;
mod notes;
mod open_period;
mod organisations;
mod payloads;
mod payment_instructions;
mod postgres;
mod progress;
mod properties;
mod rolling;
mod secrets;
mod shutdown;
mod sqlite_only;
mod statements;
mod storage;
mod storm;
mod transaction_refusals;
mod transactions;
mod validation;
mod vendor_commands;
mod vendor_kinds;
mod vendor_storm;
mod vendors;
