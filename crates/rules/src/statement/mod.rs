//! Rules about statements.

mod duplicate_ids;
mod period;

pub(crate) use duplicate_ids::STM_02;
pub(crate) use period::STM_01;
