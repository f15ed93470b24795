//! Connections: their number, the deadlines that clients must meet, and the response to a broken request.

pub(crate) mod limit;
pub(crate) mod pace;
pub(crate) mod rejection;
