//! A simulation: operations drawn from a seed, against the use cases and a real database, with requests and answers
//! dropped, workers dying and late, clocks moving, storage and vendor failing; a model beside it that knows what was
//! acknowledged. Once all is quiet the invariants are checked.
//!
//! `CUTOVER_SIM_SEED=7 cargo test -p cutover-simulation` runs one seed again; `CUTOVER_SIM_SEEDS`,
//! `CUTOVER_SIM_FROM` and `CUTOVER_SIM_SECONDS` run more of them.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod answer;
mod bounds;
mod businesses;
mod calls;
mod check;
mod coverage;
mod databases;
mod frame;
mod history;
mod model;
mod oracle;
mod payloads;
mod plan;
mod planner;
mod quiet;
mod runs;
mod shrink;
mod specs;
mod wire;
mod world;

mod planted;
mod simulated;
