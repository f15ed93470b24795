//! What rules see where the contract has several objects for one thing: meters of five kinds,
//! readings of seven, addresses of two, statements and transactions of two requests.

mod address;
mod meter;
mod meter_point;
mod reading;
mod statement;
mod register;
mod transaction;

pub(crate) use address::Address;
pub(crate) use meter::{Life, Meter, Whole};
pub(crate) use meter_point::MeterPoint;
pub(crate) use reading::{Dial, Reading, Readings, Side};
pub(crate) use statement::Statement;
pub(crate) use register::{Register, Registers};
pub(crate) use transaction::{CURRENT, Origin, Transaction, Transactions, of_ledger};
