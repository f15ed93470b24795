//! Tests of the use cases on a store in memory.

#![expect(clippy::unwrap_used, reason = "test helpers may panic")]

mod archive;
mod attempts;
mod audit;
mod batch;
mod certificates;
mod clocks;
mod documents;
mod env;
mod erase;
mod erase_rehearsed;
mod erase_supplier;
mod export;
mod failed;
mod imported;
mod in_job;
mod instructions;
mod jobs;
mod nodes;
mod notes;
mod operations;
mod operator;
mod outages;
mod panics;
mod polling;
mod readiness;
mod refused;
mod resubmit;
mod runs;
mod search;
mod sessions;
mod shares;
mod standing;
mod statements;
mod test_doubles;
mod thundering_herd;
mod timeline;
mod tokens;
mod transactions;
mod two_nodes;
mod undo;
mod validate;
mod waves;
mod webhooks;
mod worker;
