use crate::limits::blocking::{PATIENCE, slots_for};
use crate::refusal::Refusal;
use crate::request::body::SHORT;
use std::sync::Arc;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Limits the bytes of bodies that are decoded at a time: decoding takes many times the size of a body. Short
/// bodies are not weighed; the slots for jobs bound them.
pub(crate) struct Weights {
    left: Arc<Semaphore>,
    whole: u32,
}

/// A share of the bytes being decoded, until it is dropped.
pub(crate) type Weight = Option<OwnedSemaphorePermit>;

impl Weights {
    /// Limits decoding to this many bytes, at least those of the largest body.
    pub(crate) fn new(bytes: usize) -> Self {
        let whole = units(bytes).max(1);
        Self { left: Arc::new(Semaphore::new(whole as usize)), whole }
    }

    /// Takes the weight of a body of this size, to be held as long as the decoded value.
    ///
    /// # Errors
    /// [`Refusal::Unavailable`] if none was free in time.
    pub(crate) async fn take(&self, bytes: usize) -> Result<Weight, Refusal> {
        if bytes <= SHORT {
            return Ok(None);
        }
        let weight = units(bytes).min(self.whole);
        slots_for(&self.left, weight, PATIENCE).await.map(Some)
    }
}

fn units(bytes: usize) -> u32 {
    u32::try_from(bytes.div_ceil(SHORT)).unwrap_or(u32::MAX >> 4).min(u32::MAX >> 4)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[actix_web::test]
    async fn large_bodies_share_a_limit_and_short_ones_are_exempt() {
        tokio::time::pause();
        let weights = Weights::new(10 * SHORT);
        let first = weights.take(6 * SHORT).await.unwrap();
        assert!(matches!(weights.take(5 * SHORT).await, Err(Refusal::Unavailable(_))));
        let second = weights.take(4 * SHORT).await.unwrap();
        assert!(matches!(weights.take(SHORT + 1).await, Err(Refusal::Unavailable(_))));
        assert!(weights.take(SHORT).await.unwrap().is_none());
        drop((first, second));
        assert!(weights.take(100 * SHORT).await.is_ok(), "the largest is let in alone");
    }
}
