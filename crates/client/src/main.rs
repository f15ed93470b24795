//! `cutover-client`: what a migration engineer at a supplier holds in hand (contract D11).
//!
//! It reads files of accounts, checks them by the rules of the service without a service, sends them, and tells
//! what became of them. It knows no database and nothing of the service's inside.

mod cli;
mod error;
mod exit;
mod input;
mod interrupt;
mod journal;
mod migration;
mod output;
mod pipeline;
mod progress;
mod report;
mod schema;
mod service;
mod status;
mod upload;
mod validate;

use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[expect(clippy::disallowed_methods, reason = "the only place that asks for the time")]
fn main() -> ExitCode {
    cli::run(chrono::Utc::now())
}
