//! The words by which accounts are found: the same ones are made of an accepted payload and of the text that somebody
//! searches for (decision 0066). The store has their keyed hashes, which say nothing to somebody without the key; only of account
//! numbers, which are not personal, it has the ends as they are.

mod account;
mod business;
mod find;
mod key;
mod question;
mod words;

pub(crate) use account::is_part;
pub(crate) use find::Found;
pub(crate) use key::{SearchKeys, Terms};
pub use question::FoundBy;
use words::Word;
