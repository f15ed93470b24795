//! Rules about transfer and historical readings.

mod dates;
mod decreased;
mod exceeds_dials;
mod jumped;
mod last_billed;

use crate::rule::Rule;

/// In the order of the catalogue.
pub(crate) const RULES: &[Rule] = &[
    dates::RDG_01,
    dates::RDG_02,
    dates::RDG_03,
    last_billed::RDG_04,
    last_billed::RDG_05,
    decreased::RDG_06,
    exceeds_dials::RDG_07,
    jumped::RDG_08,
];
