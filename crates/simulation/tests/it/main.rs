//! Deterministic simulation: operations drawn from a seed run against the use cases and a real database,
//! while requests and answers are lost, workers die or are late, clocks move, and storage and vendors fail. A
//! model tracks what was acknowledged. At the end, when nothing is disturbed any more, the invariants are
//! checked.
//!
//! `CUTOVER_SIM_SEED=7 cargo test -p cutover-simulation` runs one seed again; `CUTOVER_SIM_SEEDS`,
//! `CUTOVER_SIM_FROM` and `CUTOVER_SIM_SECONDS` run more of them.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod answer;
mod bounds;
mod businesses;
mod calls;
mod certified;
mod check;
mod coverage;
mod databases;
mod equal_meter_points;
mod erasure;
mod faulty_ports;
mod feed;
mod flaky;
mod gates;
mod history;
mod jobs;
mod kept_leaves;
mod model;
mod oracle;
mod payloads;
mod plan;
mod planner;
mod quiet;
mod refusals;
mod rehearsals;
mod running_op;
mod runs;
mod scopes;
mod shrink;
mod simulation;
mod specs;
mod webhooks;

mod planted;
mod races;
mod simulated;
