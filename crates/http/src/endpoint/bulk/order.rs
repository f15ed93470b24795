//! The order of lines of one account.

use super::LINES;
use crate::refusal::Refusal;
use cutover_app::account::CreateTimes;
use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use tokio::sync::oneshot::{Receiver, Sender, channel, error::TryRecvError};

/// Number of accounts at which those without a line in progress are removed: at least half of them.
const ACCOUNTS: usize = 2 * LINES;

/// Lets lines of one account take effect in their order: each begins when the one before is answered. Lines of other accounts
/// do not wait.
#[derive(Default)]
pub(super) struct Order {
    hasher: RandomState,
    /// The last line of each account, by the hash of its number: numbers in payloads have any length. Of two numbers with one
    /// hash, the second waits without need.
    last: HashMap<u64, Last>,
}

/// The last line of an account.
struct Last {
    end: Receiver<bool>,
    times: CreateTimes,
}

/// The turn of a line among those of its account.
#[derive(Default)]
pub(super) struct Turn {
    before: Option<Receiver<bool>>,
    end: Option<Sender<bool>>,
    times: CreateTimes,
}

impl Order {
    /// Returns the turn of the next line, which is of the account with this number. Without one it waits for no other.
    pub(super) fn turn(&mut self, number: Option<&str>) -> Turn {
        let Some(number) = number else { return Turn::default() };
        if self.last.len() >= ACCOUNTS {
            self.last.retain(|_, last| last.end.try_recv() == Err(TryRecvError::Empty));
        }
        let account = self.hasher.hash_one(number);
        let before = self.last.remove(&account);
        let times = before.as_ref().map_or_else(CreateTimes::of_account, |last| last.times.clone());
        let (sender, end) = channel();
        self.last.insert(account, Last { end, times: times.clone() });
        Turn { before: before.map(|last| last.end), end: Some(sender), times }
    }
}

impl Turn {
    /// Waits for the line before.
    ///
    /// # Errors
    /// [`Refusal::Unavailable`] if that one has to be sent again: then this one must follow it.
    pub(super) async fn begin(&mut self) -> Result<(), Refusal> {
        let Some(before) = self.before.take() else { return Ok(()) };
        match before.await {
            Ok(true) => Ok(()),
            _ => Err(Refusal::Unavailable("an earlier line of the account was not decided".into())),
        }
    }

    /// The times of the account's creates.
    pub(super) fn times(&self) -> CreateTimes {
        self.times.clone()
    }

    /// Lets the next line begin. `is_decided` is false if this one has to be sent again.
    pub(super) fn end(self, is_decided: bool) {
        if let Some(end) = self.end {
            // If nothing waits, nothing has to know.
            let _ = end.send(is_decided);
        }
    }
}

#[cfg(test)]
mod tests;
