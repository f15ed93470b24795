//! Tests of the program from outside: output, reports and exit codes.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

mod commands;
mod documented;
mod harness;
mod inputs;
mod interrupt;
mod jobs;
mod migration;
mod reports;
mod rules;
mod status;
mod stub;
mod summary;
mod upload;
