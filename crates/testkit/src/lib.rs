//! Fixtures, builders, fake clock and the store's contract suite, for tests only.

mod clock;
pub mod memory;
pub mod payload;
mod random;
pub mod store_suite;

pub use clock::FakeClock;
pub use random::SeededRandom;
