//! Rules about businesses and the link of an account to one.

mod company_number;
mod contract_identifier;
mod contract_known;
mod duplicate_contracts;
mod duplicate_details;
mod signed;
mod versions;

pub(crate) use company_number::BUS_06;
pub(crate) use contract_identifier::BUS_01;
pub(crate) use contract_known::PST_10;
pub(crate) use duplicate_contracts::BUS_02;
pub(crate) use duplicate_details::BUS_05;
pub(crate) use signed::BUS_07;
pub(crate) use versions::{BUS_03, BUS_04};
