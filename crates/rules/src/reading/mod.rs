//! Rules about transfer and historical readings.

mod decreased;
mod exceeds_dials;
mod in_future;
mod last_billed;
mod outside_life;
mod previous;

pub(crate) use decreased::RDG_06;
pub(crate) use exceeds_dials::RDG_07;
pub(crate) use in_future::RDG_01;
pub(crate) use last_billed::{RDG_04, RDG_05};
pub(crate) use outside_life::RDG_02;
pub(crate) use previous::RDG_03;
