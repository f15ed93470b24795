//! Common views of objects that the contract has in several kinds: five of meters, seven of readings, two of
//! addresses, and statements and transactions of two requests.

mod address;
mod meter;
mod meter_point;
mod reading;
mod register;
mod series;
mod statement;
mod transaction;

pub(crate) use address::Address;
pub(crate) use meter::{Life, Meter, MeterObject};
pub(crate) use meter_point::{MeterPoint, is_on_supply};
pub(crate) use reading::{Reading, ReadingList, Readings, Source};
pub(crate) use register::each_electricity_register;
pub(crate) use series::{JUMP, Point};
pub(crate) use statement::Statement;
pub(crate) use transaction::{CURRENT, HISTORICAL, Origin, Transaction, Transactions, dates, of_ledger};
