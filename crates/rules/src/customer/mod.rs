//! Rules about customers and property administrators.

mod date_of_birth;
mod email;
mod family_name_required;
mod phone;
mod role_required;
mod test_email;
mod the_occupier;

pub(crate) use date_of_birth::{CUS_06, CUS_07};
pub(crate) use email::CUS_03;
pub(crate) use family_name_required::CUS_08;
pub(crate) use phone::{CUS_01, CUS_02};
pub(crate) use role_required::CUS_09;
pub(crate) use test_email::CUS_04;
pub(crate) use the_occupier::CUS_05;
