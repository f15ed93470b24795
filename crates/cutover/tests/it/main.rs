//! The real binary, driven over HTTP and by its commands, as its users do.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod authentication;
mod commands;
mod crash;
mod creation;
mod harness;
mod http;
mod imports;
mod organisations;
mod payloads;
mod properties;
mod secrets;
mod shutdown;
mod validation;
