//! Tests of the state machine's public interface: every pair of state and event, invariants over random
//! sequences, and the decisions of the use cases.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

mod decisions;
mod laws;
mod matrix;
mod steps;
mod support;
