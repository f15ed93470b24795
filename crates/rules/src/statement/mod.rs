//! Rules about statements, of an account payload or of a historical statements request.

mod duplicate_ids;
mod issued;
mod period;

pub(crate) use duplicate_ids::STM_02;
pub(crate) use issued::STM_03;
pub(crate) use period::STM_01;
