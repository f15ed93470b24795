//! The use cases over a store in memory.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

mod house;
mod operator;
mod tokens;
mod worker;
