//! Limits on concurrent work.

pub(crate) mod blocking;
pub(crate) mod memory;
pub(crate) mod throttle;
pub(crate) mod weights;
