use crate::breaker::{FAILURES, PAUSE};
use std::time::Duration;

/// Limits of requests to vendors (contract D8).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VendorLimits {
    /// Time limit of one attempt, from the connection to the last byte.
    pub attempt: Duration,
    /// Time limit of all attempts at one instruction.
    pub total: Duration,
    /// Maximum number of attempts at one request. Only unavailability is retried.
    pub attempts: usize,
    /// Minimum wait before the second attempt. It doubles each time, plus up to as much at random.
    pub backoff: Duration,
    /// Maximum size of an answer in bytes.
    pub answer_bytes: usize,
    /// Maximum number of concurrent lookups per vendor; more are refused at once.
    pub in_flight: usize,
    /// Consecutive lookups without an available vendor that open its circuit.
    pub failures: u32,
    /// Time for which the circuit stays open.
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
