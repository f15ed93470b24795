//! Decoding: one pass over the bytes that collects every fault with its path (contract D4).

mod cause;
mod checks;
mod decoder;
mod field;
mod findings;
mod leaves;
mod list;
mod object;
mod spec;

pub(crate) use cause::{Cause, Sent};
pub use checks::{Check, FIELD_CHECKS};
pub(crate) use decoder::Decoder;
pub use field::{Blank, Field, Presence};
pub use findings::{Finding, MAX_FINDINGS};
pub(crate) use findings::{Findings, Part};
pub(crate) use list::Slots;
pub use list::{Item, List};
pub(crate) use object::{Draft, Hints, Members};
pub use object::{Limits, MAX_EXPANSION, MAX_ITEMS};
pub use spec::{FieldSpec, Kind, Known, ObjectSpec};
