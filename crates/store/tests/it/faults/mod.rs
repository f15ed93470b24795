//! Failures of the use cases on each database. The number in a test's comment is that of the failure in
//! `docs/RELIABILITY.md`.

mod environment;
mod poison;
mod unreadable_rows;
