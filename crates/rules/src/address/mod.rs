//! Rules about addresses.

mod delivery_point_identifier;
mod postcode;
mod state;

use crate::rule::Rule;

/// In the order of the catalogue.
pub(crate) const RULES: &[Rule] =
    &[postcode::ADR_01, state::ADR_05, postcode::ADR_02, postcode::ADR_03, delivery_point_identifier::ADR_04];
