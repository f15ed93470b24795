//! Rules about transactions, of ledgers and of transactions requests alike.

mod in_future;
mod line_item_dates;
mod line_item_net_amount;
mod line_item_units;
mod negative_amount;
mod payment_type;
mod supply_charge_amount;
mod supply_charge_members;
mod tax_amount;

pub(crate) use in_future::TXN_01;
pub(crate) use line_item_dates::TXN_05;
pub(crate) use line_item_net_amount::TXN_06;
pub(crate) use line_item_units::{TXN_07, TXN_09};
pub(crate) use negative_amount::TXN_02;
pub(crate) use payment_type::TXN_08;
pub(crate) use supply_charge_amount::TXN_04;
pub(crate) use supply_charge_members::TXN_03;
pub(crate) use tax_amount::TXN_10;

use cutover_model::choices::TransactionType;
use cutover_model::draft;

fn is_supply_charge(transaction: &draft::Transaction<'_>) -> bool {
    transaction.kind.usable() == Some(&TransactionType::SupplyCharge)
}
