//! Rules about meter points.

mod billing;
mod duplicates;
mod fuel_type;
mod hazards;
mod installation_id;
mod meters;
mod of_one_account;
mod periods;
mod supply_dates;
mod supply_point_identifier;

use crate::rule::Rule;

/// In the order of the catalogue.
pub(crate) const RULES: &[Rule] = &[
    supply_point_identifier::MPT_01,
    supply_point_identifier::MPT_02,
    supply_dates::MPT_03,
    duplicates::MPT_04,
    duplicates::MPT_05,
    hazards::MPT_06,
    hazards::MPT_07,
    periods::MPT_08,
    periods::MPT_09,
    installation_id::MPT_10,
    supply_dates::MPT_11,
    billing::MPT_12,
    meters::MPT_13,
    billing::MPT_14,
    supply_dates::MPT_15,
    fuel_type::MPT_16,
    fuel_type::MPT_17,
    of_one_account::MPT_18,
    of_one_account::MPT_19,
    installation_id::MPT_20,
];
