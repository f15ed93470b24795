use super::VendorLimits;
use super::outcome::unavailable;
use crate::breaker::{Attempt, Circuit};
use cutover_app::port::{Vendor, VendorError};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// A gate for each vendor, by name and base URL: one that moves starts anew.
pub(super) struct Gates {
    limits: VendorLimits,
    gates: Mutex<HashMap<(String, String), Arc<Gate>>>,
}

/// Keeps a vendor that is down from taking more than its share of the service.
struct Gate {
    places: Arc<Semaphore>,
    circuit: Arc<Circuit>,
}

/// One who went through a gate. Dropping it leaves without a word on the vendor.
pub(super) struct Pass {
    attempt: Attempt,
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
        let attempt = gate.circuit.enter();
        let attempt =
            attempt.ok_or_else(|| unavailable("it failed too often and is left alone for a while"))?;
        Ok(Pass { attempt, _place: place })
    }

    /// How many vendors are left alone.
    pub(super) fn left_alone(&self) -> usize {
        locked(&self.gates).values().filter(|gate| gate.circuit.is_open()).count()
    }

    fn gate_of(&self, vendor: &Vendor) -> Arc<Gate> {
        let key = (vendor.name.clone(), vendor.base_url.clone());
        locked(&self.gates).entry(key).or_insert_with(|| Arc::new(Gate::new(&self.limits))).clone()
    }
}

impl Gate {
    fn new(limits: &VendorLimits) -> Self {
        let circuit = Circuit::new(limits.failures, limits.pause);
        Self { places: Arc::new(Semaphore::new(limits.in_flight)), circuit }
    }
}

impl Pass {
    /// Leaves, having asked. True if the vendor is left alone from now on.
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
