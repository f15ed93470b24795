//! The use cases over a store in memory.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

mod documents;
mod house;
mod instructions;
mod notes;
mod operator;
mod statements;
mod tokens;
mod transactions;
mod worker;
