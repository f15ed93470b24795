//! Tests of the program from outside: output, reports and exit codes.

#![expect(clippy::unwrap_used, reason = "test helpers fail like tests")]

mod across;
mod assemble;
mod commands;
mod document_upload;
mod documented;
mod documents;
mod expect;
mod harness;
mod hold;
mod inputs;
mod interrupt;
mod jobs;
mod lost;
mod manifest;
mod migration;
mod profile;
mod reports;
mod rules;
mod runs;
mod send;
mod send_tables;
mod settings;
mod starter;
mod status;
mod stub;
mod summary;
mod tables;
mod upload;
mod verify;
