use crate::refusal::Refusal;
use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// A limit on a resource that requests hold, such as memory for bodies: for all of them, and half of it for
/// those of one organisation, so that one alone cannot use it up.
#[derive(Debug)]
pub(crate) struct Allowance {
    /// Logged when it is used up.
    used_up: &'static str,
    left: AtomicUsize,
    of_each: usize,
    /// The free part of the share of each organisation that ever came: there are not many.
    shares: Mutex<HashMap<i64, Arc<AtomicUsize>>>,
}

impl Allowance {
    /// Creates an allowance of this size.
    pub(crate) fn new(whole: usize, used_up: &'static str) -> Self {
        let of_each = whole.div_ceil(2);
        Self { used_up, left: AtomicUsize::new(whole), of_each, shares: Mutex::default() }
    }

    /// Returns the part that is free.
    #[cfg(test)]
    pub(crate) fn left(&self) -> usize {
        self.left.load(Ordering::Relaxed)
    }

    fn share(&self, organisation: i64) -> Arc<AtomicUsize> {
        let mut shares = self.shares.lock().unwrap_or_else(PoisonError::into_inner);
        shares.entry(organisation).or_insert_with(|| Arc::new(AtomicUsize::new(self.of_each))).clone()
    }

    fn take(&self, share: Option<&AtomicUsize>, more: usize) -> Option<()> {
        if let Some(share) = share {
            share.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(more)).ok()?;
        }
        let taken =
            self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(more));
        if taken.is_err() {
            give_back(share, more);
        }
        taken.ok().map(drop)
    }

    fn give_back(&self, share: Option<&AtomicUsize>, less: usize) {
        give_back(share, less);
        self.left.fetch_add(less, Ordering::Relaxed);
    }
}

fn give_back(share: Option<&AtomicUsize>, less: usize) {
    if let Some(share) = share {
        share.fetch_add(less, Ordering::Relaxed);
    }
}

/// The part of an allowance that one request holds, until it is dropped.
#[derive(Debug)]
pub(crate) struct Held {
    allowance: Arc<Allowance>,
    /// The share of the request's organisation, if that is known.
    share: Option<Arc<AtomicUsize>>,
    held: usize,
}

impl Held {
    /// Holds nothing yet, for a request of an organisation.
    pub(crate) fn new(allowance: Arc<Allowance>, organisation: Option<i64>) -> Self {
        let share = organisation.map(|id| allowance.share(id));
        Self { allowance, share, held: 0 }
    }

    /// Returns an empty part of the same allowance, for the same organisation.
    pub(crate) fn beside(&self) -> Self {
        Self { allowance: self.allowance.clone(), share: self.share.clone(), held: 0 }
    }

    /// Changes the size of the part.
    ///
    /// # Errors
    /// [`Refusal::Unavailable`] if not enough is free; nothing changes then.
    pub(crate) fn resize(&mut self, wanted: usize) -> Result<(), Refusal> {
        let share = self.share.as_deref();
        if wanted > self.held {
            let taken = self.allowance.take(share, wanted - self.held);
            taken.ok_or_else(|| Refusal::Unavailable(self.allowance.used_up.into()))?;
        } else {
            self.allowance.give_back(share, self.held - wanted);
        }
        self.held = wanted;
        Ok(())
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.allowance.give_back(self.share.as_deref(), self.held);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holders_share_the_allowance() {
        let allowance = Arc::new(Allowance::new(100, "it is used up"));
        let of = |organisation| Held::new(allowance.clone(), organisation);
        let (mut one, mut other) = (of(None), of(None));
        one.resize(60).unwrap();
        assert!(other.resize(41).is_err());
        other.resize(40).unwrap();
        one.resize(10).unwrap();
        other.resize(90).unwrap();
        drop((one, other));
        assert_eq!(allowance.left.load(Ordering::Relaxed), 100);
    }

    /// Failure 17: one organisation holds at most half.
    #[test]
    fn one_organisation_holds_at_most_half() {
        let allowance = Arc::new(Allowance::new(100, "it is used up"));
        let of = |organisation| Held::new(allowance.clone(), Some(organisation));
        let (mut one, mut same, mut other) = (of(1), of(1), of(2));
        one.resize(40).unwrap();
        let mut beside = one.beside();
        assert!(beside.resize(11).is_err() && same.resize(11).is_err());
        same.resize(10).unwrap();
        other.resize(50).unwrap();
        assert!(Held::new(allowance.clone(), None).resize(1).is_err(), "the whole is a bound as well");
        // The refused request took nothing.
        one.resize(39).unwrap();
        beside.resize(1).unwrap();
        drop((one, same, beside, other));
        assert_eq!(allowance.left.load(Ordering::Relaxed), 100);
        of(1).resize(50).unwrap();
    }
}
