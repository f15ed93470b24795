//! Rules about meters and their registers.

mod connection_periods;
mod duplicate_registers;
mod duplicate_serials;
mod gas_transfer_readings;
mod life;
mod reading_register;
mod register_without_reading;
mod removal_reading;
mod required_transfer_readings;

pub(crate) use connection_periods::MTR_10;
pub(crate) use duplicate_registers::MTR_04;
pub(crate) use duplicate_serials::MTR_03;
pub(crate) use gas_transfer_readings::MTR_13;
pub(crate) use life::{MTR_01, MTR_02};
pub(crate) use reading_register::{MTR_05, MTR_06, MTR_07, MTR_08};
pub(crate) use register_without_reading::MTR_12;
pub(crate) use removal_reading::MTR_11;
pub(crate) use required_transfer_readings::MTR_09;
