//! The use cases over a store in memory.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

mod archive;
mod audit;
mod batch;
mod clocks;
mod documents;
mod erase;
mod export;
mod herd;
mod house;
mod in_job;
mod instructions;
mod lookout;
mod nodes;
mod notes;
mod operator;
mod outages;
mod panics;
mod resubmit;
mod sessions;
mod stand_ins;
mod statements;
mod tokens;
mod transactions;
mod worker;
