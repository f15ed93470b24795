//! Rules about payment schedules.

mod amount;
mod day_of_month;
mod means;
mod missing;
mod open_ended;

use crate::rule::Rule;

/// In the order of the catalogue.
pub(crate) const RULES: &[Rule] = &[
    amount::SCH_01,
    day_of_month::SCH_02,
    open_ended::SCH_03,
    missing::SCH_04,
    means::SCH_05,
    amount::SCH_06,
];
