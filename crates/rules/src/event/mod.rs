//! Rules about events of the imported history.

mod in_future;

pub(crate) use in_future::EVT_01;
