//! Connections: their number, the pace at which they must send, and the answer to a broken request.

pub(crate) mod limit;
pub(crate) mod pace;
pub(crate) mod rejection;
