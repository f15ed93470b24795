//! Rules about businesses and the link of an account to one.

mod contract_identifier;

pub(crate) use contract_identifier::BUS_01;
