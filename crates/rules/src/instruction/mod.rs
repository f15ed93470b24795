//! Rules about payment instructions: of an account payload, and of requests for one.

mod bsb;
mod card_expired;
mod card_number;
mod details;
mod same_account;
mod same_type;

pub(crate) use bsb::PIN_03;
pub(crate) use card_expired::PIN_06;
pub(crate) use card_number::PIN_07;
pub(crate) use details::{PIN_02, PIN_04, PIN_05};
pub(crate) use same_account::PIN_08;
pub(crate) use same_type::PIN_01;
