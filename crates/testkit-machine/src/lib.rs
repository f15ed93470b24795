//! What tests need of the machine that they run on: waits that a slow one does not fail, and ports that no other
//! test takes.

mod port;
mod wait;

pub use port::ReservedPort;
pub use wait::{Patience, STALLED, receive, wait_for, wait_for_count, wait_until};
