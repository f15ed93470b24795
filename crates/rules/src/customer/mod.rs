//! Rules about customers and property administrators.

mod family_name_required;

pub(crate) use family_name_required::CUS_08;
