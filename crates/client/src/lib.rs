//! The supplier's side of a migration (contract D11): reads files of accounts, checks them by the rules of the service
//! without a service, sends them, and reports what became of them.
//!
//! It depends on no database and on none of the service's internals. The program `cutover-client` is [`run`]; the module
//! of Python uses [`Validator`] and [`Assembly`] too.

mod across;
mod assemble;
mod certificate;
mod cli;
mod copies;
mod difference;
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

pub use assemble::{Assembly, Lineage, Made, MadeAccount, MappingSource};
pub use cutover_core::Code;
pub use error::Error;
pub use origin::TableFinding;
pub use validate::{Finding, Validator};

use chrono::{DateTime, Utc};
use std::ffi::OsString;

/// Runs the program with the arguments of a command line, the first of which is its name. `now` is the current time.
/// Returns the exit code. Ends the process itself if the arguments make no sense, or ask for help.
pub fn run(arguments: impl IntoIterator<Item = OsString>, now: DateTime<Utc>) -> u8 {
    cli::run(arguments, now).into()
}
