//! Rules about ledgers: balances, periods, transaction ids.

pub(crate) mod arithmetic;
mod balances;
mod closing_date;
mod duplicate_transaction_ids;
mod fraction_of_cent;
mod transaction_dates;

use crate::rule::Rule;

/// In the order of the catalogue.
pub(crate) const RULES: &[Rule] = &[
    balances::LED_01,
    balances::LED_02,
    balances::LED_03,
    transaction_dates::LED_04,
    transaction_dates::LED_05,
    transaction_dates::LED_06,
    closing_date::LED_07,
    closing_date::LED_08,
    closing_date::LED_09,
    closing_date::LED_10,
    duplicate_transaction_ids::LED_11,
    transaction_dates::LED_12,
    fraction_of_cent::LED_13,
    balances::LED_14,
];
