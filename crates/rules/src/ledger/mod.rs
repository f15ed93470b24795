//! Rules about ledgers: balances, periods, transaction ids.

pub(crate) mod arithmetic;
mod closing_date_required;
mod closing_in_future;
mod current_before_closing;
mod current_before_last_billed;
mod duplicate_transaction_ids;
mod fraction_of_cent;
mod historical_after_closing;
mod historical_after_current;
mod issued_before_closing;
mod last_statement_balance;
mod ledger_balance;
#[cfg(test)]
pub(crate) mod sample;
mod transfer_balance;

pub(crate) use closing_date_required::{LED_08, LED_09};
pub(crate) use closing_in_future::LED_10;
pub(crate) use current_before_closing::LED_04;
pub(crate) use current_before_last_billed::LED_12;
pub(crate) use duplicate_transaction_ids::LED_11;
pub(crate) use fraction_of_cent::LED_13;
pub(crate) use historical_after_closing::LED_05;
pub(crate) use historical_after_current::LED_06;
pub(crate) use issued_before_closing::LED_07;
pub(crate) use last_statement_balance::LED_02;
pub(crate) use ledger_balance::LED_01;
pub(crate) use transfer_balance::LED_03;
