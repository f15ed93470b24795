//! Tests of PostgreSQL alone. The store's contract suite runs on it with keys: see `sealed`.

mod archive;
mod batches;
mod broken;
mod concurrent_claims;
mod concurrent_requests;
mod environment;
mod equal_values;
mod feed;
mod figures;
mod monitor;
mod notifications;
mod open_transaction;
mod opening;
mod partitions;
mod plans;
mod polling;
mod pooler;
mod roles;
mod staging;
mod suppliers;
mod sweep;
mod tokens;
mod views;
