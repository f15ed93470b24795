//! Common views of objects that the contract has in several kinds: five of meters, seven of readings, two of
//! addresses, and statements and transactions of two requests.

mod address;
mod meter;
mod meter_point;
mod reading;
mod register;
mod statement;
mod transaction;

pub(crate) use address::Address;
pub(crate) use meter::{Meter, MeterObject};
pub(crate) use meter_point::MeterPoint;
pub(crate) use reading::{Reading, ReadingList, Readings, Source};
pub(crate) use statement::Statement;
pub(crate) use transaction::{CURRENT, HISTORICAL, Origin, Transaction, Transactions, dates, of_ledger};
