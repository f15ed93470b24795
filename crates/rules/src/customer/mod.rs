//! Rules about customers and property administrators.

mod date_of_birth;
mod email;
mod own_email;
mod phone;
mod required;
mod test_email;
mod the_occupier;

use crate::rule::Rule;

/// In the order of the catalogue.
pub(crate) const RULES: &[Rule] = &[
    phone::CUS_01,
    phone::CUS_02,
    email::CUS_03,
    test_email::CUS_04,
    the_occupier::CUS_05,
    date_of_birth::CUS_06,
    date_of_birth::CUS_07,
    required::CUS_08,
    required::CUS_09,
    required::CUS_10,
    phone::CUS_11,
    own_email::CUS_12,
];
