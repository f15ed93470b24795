use crate::breaker::{FAILURES, PAUSE};
use std::time::Duration;

/// How long and how often vendors are asked (contract D8).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VendorLimits {
    /// For one attempt, from the connection to the last byte.
    pub attempt: Duration,
    /// For all attempts at one instruction together.
    pub total: Duration,
    /// Attempts at one request at most; more than one only where the vendor was not available.
    pub attempts: usize,
    /// The least wait before the second attempt. It doubles with each, and up to as much again is added at
    /// random.
    pub backoff: Duration,
    /// Bytes of an answer.
    pub answer_bytes: usize,
    /// Instructions that one vendor is asked for at the same time; more are refused at once.
    pub in_flight: usize,
    /// Instructions in a row for which a vendor was not available, until it is left alone.
    pub failures: u32,
    /// How long a vendor is left alone.
    pub pause: Duration,
}

impl Default for VendorLimits {
    fn default() -> Self {
        Self {
            attempt: Duration::from_secs(3),
            total: Duration::from_millis(9_500),
            attempts: 3,
            backoff: Duration::from_millis(100),
            answer_bytes: 64 * 1024,
            in_flight: 32,
            failures: FAILURES,
            pause: PAUSE,
        }
    }
}
