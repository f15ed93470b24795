//! The use cases over each database, and what can go wrong with them. Each test says by its number which of the
//! failures of `docs/RELIABILITY.md` it is about.

mod house;
mod poison;
mod unrescuable;
