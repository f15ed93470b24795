//! The state machine from outside: every pair of state and event, laws over random sequences, and
//! the stories that use cases tell.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

mod decisions;
mod laws;
mod matrix;
mod steps;
mod support;
