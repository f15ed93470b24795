//! Rules about addresses.

mod delivery_point_identifier;
mod postcode;
mod state;

pub(crate) use delivery_point_identifier::ADR_04;
pub(crate) use postcode::{ADR_01, ADR_02, ADR_03};
pub(crate) use state::ADR_05;
