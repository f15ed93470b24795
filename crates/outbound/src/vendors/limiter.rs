use super::VendorLimits;
use super::outcome::unavailable;
use crate::breaker::{Attempt, Circuit};
use cutover_app::port::{Vendor, VendorError};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// One limiter per vendor, keyed by organisation, name and base URL: a vendor that moves gets a new one.
pub(super) struct VendorLimiters {
    limits: VendorLimits,
    limiters: Mutex<HashMap<(i64, String, String), Arc<VendorLimiter>>>,
}

/// Keeps a vendor that is down from using more than its share of the service.
struct VendorLimiter {
    permits: Arc<Semaphore>,
    circuit: Arc<Circuit>,
}

/// Permission to call a vendor. Dropping it reports nothing about the vendor.
pub(super) struct Permit {
    attempt: Attempt,
    _permit: OwnedSemaphorePermit,
}

impl VendorLimiters {
    pub(super) fn new(limits: VendorLimits) -> Self {
        Self { limits, limiters: Mutex::default() }
    }

    /// Permits a call to a vendor.
    ///
    /// # Errors
    /// [`VendorError::Unavailable`] at once, if too many calls are in flight or the circuit is open.
    pub(super) fn enter(&self, vendor: &Vendor) -> Result<Permit, VendorError> {
        let limiter = self.limiter_of(vendor);
        let permit = limiter.permits.clone().try_acquire_owned();
        let permit = permit.map_err(|_| unavailable("it has too many calls in flight"))?;
        let attempt = limiter.circuit.enter();
        let attempt =
            attempt.ok_or_else(|| unavailable("it failed too often; calls are suspended for a while"))?;
        Ok(Permit { attempt, _permit: permit })
    }

    /// Number of vendors with an open circuit.
    pub(super) fn open_circuits(&self) -> usize {
        locked(&self.limiters).values().filter(|limiter| limiter.circuit.is_open()).count()
    }

    fn limiter_of(&self, vendor: &Vendor) -> Arc<VendorLimiter> {
        let key = (vendor.organisation_id, vendor.name.clone(), vendor.base_url.clone());
        locked(&self.limiters)
            .entry(key)
            .or_insert_with(|| Arc::new(VendorLimiter::new(&self.limits)))
            .clone()
    }
}

impl VendorLimiter {
    fn new(limits: &VendorLimits) -> Self {
        let circuit = Circuit::new(limits.failures, limits.pause);
        Self { permits: Arc::new(Semaphore::new(limits.in_flight)), circuit }
    }
}

impl Permit {
    /// Reports the outcome of the call. Returns true if this opened the circuit.
    pub(super) fn end<T>(self, outcome: &Result<T, VendorError>) -> bool {
        match outcome {
            Err(VendorError::Unavailable(_)) => self.attempt.failed(),
            Ok(_) | Err(VendorError::Rejected(_)) => {
                self.attempt.answered();
                false
            }
        }
    }
}

/// Every step leaves the map consistent, so a poisoned lock is usable.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vendors::tests::vendor;
    use cutover_app::port::VendorKind;
    use std::time::Duration;

    const DOWN: Result<(), VendorError> = Err(VendorError::Unavailable(String::new()));

    fn limiters() -> (VendorLimiters, Vendor) {
        let limits = VendorLimits { in_flight: 2, failures: 1, ..VendorLimits::default() };
        (VendorLimiters::new(limits), vendor(VendorKind::Http, "https://v.example"))
    }

    #[test]
    fn calls_in_flight_are_limited() {
        let (limiters, vendor) = limiters();
        let inside: Vec<Permit> = (0..2).map(|_| limiters.enter(&vendor).unwrap()).collect();
        let refused = limiters.enter(&vendor).err().unwrap();
        assert_eq!(refused, unavailable("it has too many calls in flight"));
        drop(inside);
        assert!(limiters.enter(&vendor).is_ok());
    }

    #[tokio::test(start_paused = true)]
    async fn calls_to_a_failing_vendor_are_suspended_for_the_pause() {
        let (limiters, vendor) = limiters();
        assert!(limiters.enter(&vendor).unwrap().end(&DOWN));
        assert!(limiters.enter(&vendor).is_err());
        tokio::time::advance(Duration::from_secs(10)).await;
        let probe = limiters.enter(&vendor).unwrap();
        assert!(limiters.enter(&vendor).is_err(), "one probe at a time");
        drop(probe);
        assert!(!limiters.enter(&vendor).unwrap().end(&Ok(())));
        assert!(limiters.enter(&vendor).is_ok());
    }

    #[test]
    fn vendors_have_separate_limiters() {
        let (limiters, vendor) = limiters();
        limiters.enter(&vendor).unwrap().end(&DOWN);
        let other = Vendor { name: "other".into(), ..vendor.clone() };
        let theirs = Vendor { organisation_id: 2, ..vendor.clone() };
        let moved = Vendor { base_url: "https://w.example".into(), ..vendor };
        assert!(limiters.enter(&other).is_ok());
        assert!(limiters.enter(&theirs).is_ok());
        assert!(limiters.enter(&moved).is_ok());
    }
}
