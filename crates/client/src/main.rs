//! `cutover-client`: the supplier's command line for a migration (contract D11).
//!
//! Reads files of accounts, checks them by the rules of the service without a service, sends them, and
//! reports what became of them. It depends on no database and on none of the service's internals.

mod across;
mod assemble;
mod certificate;
mod cli;
mod copies;
mod disassemble;
mod documents;
mod envelope;
mod error;
mod exit;
mod expect;
mod explain;
mod hold;
mod identity;
mod input;
mod interrupt;
mod journal;
mod manifest;
mod migration;
mod origin;
mod output;
mod pipeline;
mod profile;
mod progress;
mod report;
mod request;
mod runs;
mod schema;
mod service;
mod status;
mod tables;
mod upload;
mod validate;
mod verify;

use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[expect(clippy::disallowed_methods, reason = "only main reads the clock")]
fn main() -> ExitCode {
    cli::run(chrono::Utc::now())
}
