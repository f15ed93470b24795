//! Fuzz targets: input from outside the service, and invariants that hold for all of it.
//!
//! A [`Target`] is a plain function of bytes that panics if an invariant is violated. It is called in two
//! ways: by [`drive`], which mutates seeds without coverage information (any toolchain, part of the tests),
//! and by libFuzzer, which is guided by coverage (`cargo xtask fuzz`). Nothing here is part of a release.

mod corpus;
mod drive;
mod fixtures;
mod mutate;
mod service;
mod targets;

pub use corpus::{folder, seeds};
pub use drive::{Budget, Done, Finding, drive};
pub use mutate::mutate;
pub use targets::{TARGETS, Target, target};
