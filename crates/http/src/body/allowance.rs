use crate::refusal::Refusal;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// How many bytes of bodies may be in memory at a time, over all requests.
#[derive(Debug)]
pub(crate) struct Allowance {
    left: AtomicUsize,
}

impl Allowance {
    /// So many bytes.
    pub(crate) fn new(bytes: usize) -> Self {
        Self { left: AtomicUsize::new(bytes) }
    }
}

/// What one body has of the allowance; given back when it is dropped.
#[derive(Debug)]
pub(crate) struct Held {
    allowance: Arc<Allowance>,
    bytes: usize,
}

impl Held {
    /// Nothing yet.
    pub(crate) fn new(allowance: Arc<Allowance>) -> Self {
        Self { allowance, bytes: 0 }
    }

    /// Another part of the same allowance.
    pub(crate) fn beside(&self) -> Self {
        Self::new(self.allowance.clone())
    }

    /// Holds so many bytes from now on.
    ///
    /// # Errors
    /// [`Refusal::Unavailable`] if there are not so many left; nothing changes then.
    pub(crate) fn resize(&mut self, bytes: usize) -> Result<(), Refusal> {
        let left = &self.allowance.left;
        if bytes > self.bytes {
            let more = bytes - self.bytes;
            left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(more))
                .map_err(|_| Refusal::Unavailable("bodies in memory have reached their bound".into()))?;
        } else {
            left.fetch_add(self.bytes - bytes, Ordering::Relaxed);
        }
        self.bytes = bytes;
        Ok(())
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.allowance.left.fetch_add(self.bytes, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_one_holds_another_cannot() {
        let allowance = Arc::new(Allowance::new(100));
        let (mut one, mut other) = (Held::new(allowance.clone()), Held::new(allowance.clone()));
        one.resize(60).unwrap();
        assert!(other.resize(41).is_err());
        other.resize(40).unwrap();
        one.resize(10).unwrap();
        other.resize(90).unwrap();
        drop((one, other));
        assert_eq!(allowance.left.load(Ordering::Relaxed), 100);
    }
}
