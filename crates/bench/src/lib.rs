//! The cases that are measured in memory, for `cargo bench` and for the program of this package.

pub mod accounts;
pub mod cases;
