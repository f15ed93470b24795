//! Rules about transactions, of ledgers and of transactions requests alike.

mod covered;
mod in_future;
mod line_item_dates;
mod line_item_net_amount;
mod line_item_units;
mod negative_amount;
mod payment_type;
mod periods;
mod product;
mod rate_band;
mod supply_charge_amount;
mod supply_charge_members;
mod tax_amount;

use crate::rule::Rule;
use cutover_model::choices::TransactionType;
use cutover_model::draft;

/// In the order of the catalogue.
pub(crate) const RULES: &[Rule] = &[
    in_future::TXN_01,
    negative_amount::TXN_02,
    supply_charge_members::TXN_03,
    supply_charge_amount::TXN_04,
    line_item_dates::TXN_05,
    line_item_net_amount::TXN_06,
    line_item_units::TXN_07,
    payment_type::TXN_08,
    line_item_units::TXN_09,
    tax_amount::TXN_10,
    covered::TXN_11,
    periods::TXN_12,
    periods::TXN_13,
    rate_band::TXN_14,
    rate_band::TXN_15,
    negative_amount::TXN_16,
    product::TXN_17,
];

fn is_supply_charge(transaction: &draft::Transaction<'_>) -> bool {
    transaction.kind.usable() == Some(&TransactionType::SupplyCharge)
}
