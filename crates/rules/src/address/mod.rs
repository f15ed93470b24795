//! Rules about addresses.

mod delivery_point_identifier;
mod duplicates;
mod parts;
mod postcode;
mod state;

use crate::rule::Rule;

/// In the order of the catalogue.
pub(crate) const RULES: &[Rule] = &[
    postcode::ADR_01,
    state::ADR_05,
    postcode::ADR_02,
    postcode::ADR_03,
    delivery_point_identifier::ADR_04,
    duplicates::ADR_06,
    duplicates::ADR_07,
    parts::ADR_08,
    parts::ADR_09,
];
