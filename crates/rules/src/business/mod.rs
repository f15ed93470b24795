//! Rules about businesses and the link of an account to one.

mod company_number;
mod contract_identifier;
mod details;
mod duplicates;
mod missing;
mod signed;
mod versions;

use crate::rule::Rule;
use crate::service::BUS_10;

/// In the order of the catalogue.
pub(crate) const RULES: &[Rule] = &[
    contract_identifier::BUS_01,
    duplicates::BUS_02,
    versions::BUS_03,
    versions::BUS_04,
    duplicates::BUS_05,
    company_number::BUS_06,
    signed::BUS_07,
    details::BUS_08,
    missing::BUS_09,
    BUS_10,
];
