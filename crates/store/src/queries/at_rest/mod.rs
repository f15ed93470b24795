//! Counts and renews the seals of stored values.

mod reseal;
mod rows;
mod sample;

pub(crate) use reseal::reseal;
pub(crate) use sample::seals;
