//! Rules about meters and their registers.

mod dates;
mod duplicates;
mod gas;
mod gas_transfer_readings;
mod reading_register;
mod register_without_reading;
mod registers;
mod removal_reading;
mod required_transfer_readings;

use crate::rule::Rule;

/// In the order of the catalogue.
pub(crate) const RULES: &[Rule] = &[
    dates::MTR_01,
    dates::MTR_02,
    duplicates::MTR_03,
    duplicates::MTR_04,
    reading_register::MTR_05,
    reading_register::MTR_06,
    reading_register::MTR_07,
    reading_register::MTR_08,
    required_transfer_readings::MTR_09,
    dates::MTR_10,
    removal_reading::MTR_11,
    register_without_reading::MTR_12,
    gas_transfer_readings::MTR_13,
    register_without_reading::MTR_14,
    registers::MTR_15,
    removal_reading::MTR_16,
    removal_reading::MTR_17,
    registers::MTR_18,
    gas::MTR_19,
    gas::MTR_20,
];
