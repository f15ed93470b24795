//! Fixtures, builders, fake clock and the store's contract suite, for tests only.

pub mod payload;
