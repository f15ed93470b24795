//! What rules see where the contract has several objects for one thing: meters of five kinds,
//! readings of seven, addresses of two, statements and transactions of two requests.

mod address;
mod meter;
mod meter_point;
mod reading;
mod register;
mod statement;
mod transaction;

pub(crate) use address::Address;
pub(crate) use meter::{Meter, Whole};
pub(crate) use meter_point::MeterPoint;
pub(crate) use reading::{Dial, Reading, Readings, Side};
pub(crate) use statement::Statement;
pub(crate) use transaction::{CURRENT, HISTORICAL, Origin, Transaction, Transactions, dates, of_ledger};
