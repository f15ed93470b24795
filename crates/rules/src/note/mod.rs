//! Rules about notes, of an account payload or of a notes request.

mod duplicate;
mod empty;
mod unpin;

use crate::rule::Rule;

/// In the order of the catalogue.
pub(crate) const RULES: &[Rule] = &[empty::NOT_01, unpin::NOT_02, unpin::NOT_03, duplicate::NOT_04];
