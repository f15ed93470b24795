//! Helpers for tests on any machine: waits that do not fail on a slow one, and ports that no other test takes.

mod port;
mod wait;

pub use port::ReservedPort;
pub use wait::{Patience, STALLED, receive, wait_for, wait_for_count, wait_until};
