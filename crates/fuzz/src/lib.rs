//! Fuzz targets: what outsiders may send us, and the laws that hold whatever it is.
//!
//! A [`Target`] is a plain function of bytes that panics where a law is broken. Both ways of fuzzing call the same:
//! [`drive`], which mutates seeds without knowing what it reaches (any toolchain, a part of the tests), and
//! libFuzzer, which is guided by what was reached (`cargo xtask fuzz`). Nothing here is part of a release.

mod corpus;
mod drive;
mod house;
mod mutate;
mod targets;

pub use corpus::{folder, seeds};
pub use drive::{Budget, Done, Finding, drive};
pub use mutate::mutate;
pub use targets::{TARGETS, Target, target};
