use super::VendorLimits;
use super::breaker::{Breaker, Leave};
use super::outcome::unavailable;
use cutover_app::port::{Vendor, VendorError};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::Instant;

/// A gate for each vendor, by name and base URL: one that moves starts anew.
pub(super) struct Gates {
    limits: VendorLimits,
    gates: Mutex<HashMap<(String, String), Arc<Gate>>>,
}

/// Keeps a vendor that is down from taking more than its share of the service.
struct Gate {
    places: Arc<Semaphore>,
    breaker: Mutex<Breaker>,
}

/// One who went through a gate. Dropping it leaves without a word on the vendor.
pub(super) struct Pass {
    gate: Arc<Gate>,
    leave: Option<Leave>,
    _place: OwnedSemaphorePermit,
}

impl Gates {
    pub(super) fn new(limits: VendorLimits) -> Self {
        Self { limits, gates: Mutex::default() }
    }

    /// Goes through the gate of a vendor.
    ///
    /// # Errors
    /// [`VendorError::Unavailable`] at once, if too many are inside or the vendor is left alone.
    pub(super) fn enter(&self, vendor: &Vendor) -> Result<Pass, VendorError> {
        let gate = self.gate_of(vendor);
        let place = gate.places.clone().try_acquire_owned();
        let place = place.map_err(|_| unavailable("too many ask it at the same time"))?;
        let leave = locked(&gate.breaker).ask(Instant::now());
        let leave = leave.ok_or_else(|| unavailable("it failed too often and is left alone for a while"))?;
        Ok(Pass { gate, leave: Some(leave), _place: place })
    }

    /// How many vendors are left alone.
    pub(super) fn left_alone(&self) -> usize {
        let now = Instant::now();
        locked(&self.gates).values().filter(|gate| locked(&gate.breaker).is_open(now)).count()
    }

    fn gate_of(&self, vendor: &Vendor) -> Arc<Gate> {
        let key = (vendor.name.clone(), vendor.base_url.clone());
        locked(&self.gates).entry(key).or_insert_with(|| Arc::new(Gate::new(&self.limits))).clone()
    }
}

impl Gate {
    fn new(limits: &VendorLimits) -> Self {
        let breaker = Breaker::new(limits.failures, limits.pause);
        Self { places: Arc::new(Semaphore::new(limits.in_flight)), breaker: Mutex::new(breaker) }
    }
}

impl Pass {
    /// Leaves, having asked. True if the vendor is left alone from now on.
    pub(super) fn end<T>(mut self, outcome: &Result<T, VendorError>) -> bool {
        let Some(leave) = self.leave.take() else { return false };
        let mut breaker = locked(&self.gate.breaker);
        match outcome {
            Err(VendorError::Unavailable(_)) => breaker.failed(leave, Instant::now()),
            Ok(_) | Err(VendorError::Rejected(_)) => {
                breaker.answered();
                false
            }
        }
    }
}

impl Drop for Pass {
    fn drop(&mut self) {
        if let Some(leave) = self.leave.take() {
            locked(&self.gate.breaker).given_up(leave, Instant::now());
        }
    }
}

/// What is locked here is whole after each step.
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

    fn gates() -> (Gates, Vendor) {
        let limits = VendorLimits { in_flight: 2, failures: 1, ..VendorLimits::default() };
        (Gates::new(limits), vendor(VendorKind::Http, "https://v.example"))
    }

    #[test]
    fn there_are_so_many_places() {
        let (gates, vendor) = gates();
        let inside: Vec<Pass> = (0..2).map(|_| gates.enter(&vendor).unwrap()).collect();
        let refused = gates.enter(&vendor).err().unwrap();
        assert_eq!(refused, unavailable("too many ask it at the same time"));
        drop(inside);
        assert!(gates.enter(&vendor).is_ok());
    }

    #[tokio::test(start_paused = true)]
    async fn a_vendor_that_fails_is_left_alone_for_its_time() {
        let (gates, vendor) = gates();
        assert!(gates.enter(&vendor).unwrap().end(&DOWN));
        assert!(gates.enter(&vendor).is_err());
        tokio::time::advance(Duration::from_secs(10)).await;
        let probe = gates.enter(&vendor).unwrap();
        assert!(gates.enter(&vendor).is_err(), "one probe at a time");
        drop(probe);
        assert!(!gates.enter(&vendor).unwrap().end(&Ok(())));
        assert!(gates.enter(&vendor).is_ok());
    }

    #[test]
    fn vendors_have_gates_of_their_own() {
        let (gates, vendor) = gates();
        gates.enter(&vendor).unwrap().end(&DOWN);
        let other = Vendor { name: "other".into(), ..vendor.clone() };
        let moved = Vendor { base_url: "https://w.example".into(), ..vendor };
        assert!(gates.enter(&other).is_ok());
        assert!(gates.enter(&moved).is_ok());
    }
}
