//! Rules about notes, of an account payload or of a notes request.

mod duplicate;
mod empty;
mod unpin;

pub(crate) use duplicate::NOT_04;
pub(crate) use empty::NOT_01;
pub(crate) use unpin::{NOT_02, NOT_03};
