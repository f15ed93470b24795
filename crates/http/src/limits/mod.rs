//! Limits on the work that is done at the same time.

pub(crate) mod blocking;
pub(crate) mod throttle;
pub(crate) mod weights;
