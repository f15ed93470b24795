//! Rules about agreements.

mod contract;
mod cover;
mod dates;
mod missing;
mod succession;
mod tariff;

use crate::rule::Rule;

/// In the order of the catalogue.
pub(crate) const RULES: &[Rule] = &[
    dates::AGR_01,
    succession::AGR_02,
    succession::AGR_03,
    dates::AGR_04,
    contract::AGR_05,
    missing::AGR_06,
    cover::AGR_07,
    cover::AGR_08,
    tariff::AGR_09,
];
