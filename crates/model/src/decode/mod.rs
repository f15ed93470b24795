//! Decoding: one pass over the bytes that collects every fault with its path (contract D4).

mod cause;
mod checks;
mod decoder;
mod field;
mod findings;
mod leaves;
mod limits;
mod list;
mod object;
mod part;
mod spec;

pub(crate) use cause::{Cause, Sent};
pub use checks::{Check, FIELD_CHECKS};
pub(crate) use decoder::Decoder;
pub use field::{Blank, Field, Presence};
pub(crate) use findings::Findings;
pub use findings::{Finding, MAX_FINDINGS};
pub use limits::{Limits, MAX_EXPANSION, MAX_ITEMS};
pub(crate) use list::Slots;
pub use list::{Item, List};
pub(crate) use object::{Draft, Hints, Members};
pub(crate) use part::Part;
pub use spec::{FieldSpec, Kind, Known, Meanings, ObjectSpec};
