//! Rules about payment instructions: of an account payload, and of requests for one.

mod bsb;
mod card_expired;
mod card_number;
mod details;
mod same_account;
mod same_type;

use crate::rule::Rule;

/// In the order of the catalogue.
pub(crate) const RULES: &[Rule] = &[
    same_type::PIN_01,
    details::PIN_02,
    bsb::PIN_03,
    details::PIN_04,
    details::PIN_05,
    card_expired::PIN_06,
    card_number::PIN_07,
    same_account::PIN_08,
];
