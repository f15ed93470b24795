//! The forms of Great Britain.

mod company_number;
mod mpan;
mod mprn;
mod phone;
mod postcode;
mod sort_code;

use crate::country_rules::CountryRules;
use crate::rule::Rule;
use cutover_core::Level;

/// The country.
pub(crate) const COUNTRY: CountryRules = CountryRules { code: "GB", rules: RULES, levels: LEVELS };

/// In the order of the catalogue.
const RULES: &[Rule] = &[
    mpan::GBR_01,
    mpan::GBR_02,
    mprn::GBR_03,
    mprn::GBR_04,
    postcode::GBR_05,
    postcode::GBR_06,
    phone::GBR_07,
    phone::GBR_08,
    sort_code::GBR_09,
    company_number::GBR_10,
];

/// Rules about Australian forms are off.
const LEVELS: &[(&str, Level)] = &[
    ("GBR-01", Level::Warning),
    ("GBR-02", Level::Warning),
    ("GBR-03", Level::Warning),
    ("GBR-04", Level::Warning),
    ("GBR-05", Level::Error),
    ("GBR-06", Level::Warning),
    ("GBR-07", Level::Error),
    ("GBR-08", Level::Warning),
    ("GBR-09", Level::Error),
    ("GBR-10", Level::Warning),
    // Phone numbers.
    ("CUS-01", Level::Off),
    ("CUS-02", Level::Off),
    ("CUS-11", Level::Off),
    // Postcodes and states.
    ("ADR-01", Level::Off),
    ("ADR-02", Level::Off),
    ("ADR-03", Level::Off),
    ("ADR-05", Level::Off),
    ("QUA-03", Level::Off),
    // The lines of a building's name in the Australian gas market.
    ("ADR-09", Level::Off),
    // NMIs and MIRNs.
    ("MPT-01", Level::Off),
    ("MPT-02", Level::Off),
    // What the Australian gas market needs of a meter.
    ("MTR-19", Level::Off),
    // BSBs.
    ("PIN-03", Level::Off),
    // ACNs, ABNs and Australian classes of industries.
    ("BUS-06", Level::Off),
    ("BUS-08", Level::Off),
];
