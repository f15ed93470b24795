use crate::limits::blocking::{PATIENCE, slots_for};
use crate::limits::memory::Memory;
use crate::refusal::Refusal;
use crate::request::body::SHORT;
use cutover_model::Limits;
use std::sync::Arc;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Limits the memory of bodies that are decoded at a time: their items take many times the size of a body.
pub(crate) struct Weights {
    short: Pool,
    others: Pool,
    limits: Limits,
}

struct Pool {
    left: Arc<Semaphore>,
    whole: u32,
}

/// A share of the memory for decoded bodies, until it is dropped.
pub(crate) type Weight = OwnedSemaphorePermit;

/// Bytes of a unit.
const UNIT: usize = 1 << 10;

impl Weights {
    /// Limits items that are decoded within these limits to this memory.
    pub(crate) fn new(memory: Memory, limits: Limits) -> Self {
        Self { short: Pool::new(memory.short), others: Pool::new(memory.decoded), limits }
    }

    /// Takes the most that the items of a body of this size can take, to be held as long as the decoded value. The largest
    /// bodies are let in alone.
    ///
    /// # Errors
    /// [`Refusal::Unavailable`] if it was not free in time.
    pub(crate) async fn take(&self, bytes: usize) -> Result<Weight, Refusal> {
        let pool = if bytes <= SHORT { &self.short } else { &self.others };
        let weight = units(self.limits.room(bytes)).min(pool.whole);
        slots_for(&pool.left, weight, PATIENCE).await
    }
}

impl Pool {
    fn new(bytes: usize) -> Self {
        let whole = units(bytes).max(1);
        Self { left: Arc::new(Semaphore::new(whole as usize)), whole }
    }
}

fn units(bytes: usize) -> u32 {
    u32::try_from(bytes.div_ceil(UNIT)).unwrap_or(u32::MAX >> 4).min(u32::MAX >> 4)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[actix_web::test]
    async fn bodies_share_the_memory_of_their_items() {
        tokio::time::pause();
        let limits = Limits { items: 0, ..Limits::default() };
        let [short, decoded] = [3, 10].map(|bodies| limits.room(bodies * SHORT));
        let weights = Weights::new(Memory { short, decoded, ..Memory::unlimited(0, 0) }, limits);
        let first = weights.take(6 * SHORT).await.unwrap();
        assert!(matches!(weights.take(5 * SHORT).await, Err(Refusal::Unavailable(_))));
        let second = weights.take(4 * SHORT).await.unwrap();
        assert!(matches!(weights.take(SHORT + 1).await, Err(Refusal::Unavailable(_))));
        let others = [weights.take(SHORT).await.unwrap(), weights.take(2 * SHORT / 2).await.unwrap()];
        assert!(weights.take(SHORT).await.is_ok(), "short ones have their own");
        drop((first, second, others));
        assert!(weights.take(1_000 * SHORT).await.is_ok(), "the largest is let in alone");
    }
}
