//! Fixtures, builders, fakes and the store's contract suite, for tests only.

mod clock;
mod create;
mod documents;
pub mod memory;
pub mod payload;
mod random;
#[macro_use]
pub mod store_suite;
mod vendors;
mod webhooks;

pub use clock::FakeClock;
pub use create::{accepted_account, create_account};
pub use documents::FakeDocuments;
pub use random::SeededRandom;
pub use vendors::FakeVendors;
pub use webhooks::{FakeWebhooks, webhook_status};

#[cfg(test)]
mod testing {
    use std::task::{Context, Poll, Waker};

    /// Returns the answer of a fake, which is ready at once.
    pub(crate) fn now<T>(mut answer: cutover_app::port::Answer<'_, T>) -> T {
        match answer.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(answer) => answer,
            Poll::Pending => panic!("the fake waits"),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::memory::MemoryStore;
    use cutover_app::port::Store;

    fn with_an_empty_store(story: fn(&dyn Store)) {
        story(&MemoryStore::default());
    }

    store_suite!(with_an_empty_store);
}
