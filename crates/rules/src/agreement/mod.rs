//! Rules about agreements.

mod contract;
mod dates;
mod missing;
mod succession;

pub(crate) use contract::AGR_05;
pub(crate) use dates::{AGR_01, AGR_04};
pub(crate) use missing::AGR_06;
pub(crate) use succession::{AGR_02, AGR_03};
