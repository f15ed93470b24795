//! How what is to be sealed at rest lies in its tables, and sealing it anew.

mod reseal;
mod rows;
mod sample;

pub(crate) use reseal::reseal;
pub(crate) use sample::seals;
