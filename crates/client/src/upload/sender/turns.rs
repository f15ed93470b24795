use std::collections::{HashMap, HashSet};
use tokio::sync::oneshot::error::TryRecvError;
use tokio::sync::oneshot::{Receiver, Sender, channel};

/// Lets the requests about one account follow each other in the order of the inputs, so that of two with the same
/// note or transaction always the first one counts. Once one of them is left without an answer that counts, none of the
/// later ones is sent: the next run sends all of them in order.
#[derive(Debug, Default)]
pub(super) struct Turns {
    waiting: HashMap<u64, Receiver<Done>>,
    /// Accounts of which a request was left.
    stopped: HashSet<u64>,
}

/// Says that a request was done before its turn ended.
#[derive(Debug)]
struct Done;

/// The turn of a request.
#[derive(Debug)]
pub(super) struct Turn {
    before: Before,
    ends: Option<Sender<Done>>,
}

#[derive(Debug)]
enum Before {
    Nothing,
    Request(Receiver<Done>),
    Stopped,
}

impl Turns {
    /// The turn after the requests about the same account that have come before; at once without an account.
    pub(super) fn next(&mut self, account: Option<u64>) -> Turn {
        let Self { waiting, stopped } = self;
        // As many are left as requests are in flight.
        waiting.retain(|account, ended| match ended.try_recv() {
            Err(TryRecvError::Empty) => true,
            Err(TryRecvError::Closed) => {
                stopped.insert(*account);
                false
            }
            Ok(Done) => false,
        });
        let Some(account) = account else { return Turn { before: Before::Nothing, ends: None } };
        if stopped.contains(&account) {
            return Turn { before: Before::Stopped, ends: None };
        }
        let (ends, ended) = channel();
        let before = waiting.insert(account, ended).map_or(Before::Nothing, Before::Request);
        Turn { before, ends: Some(ends) }
    }
}

impl Turn {
    /// Waits until it is its turn. Returns false if the request may not be sent, because one before it was left.
    pub(super) async fn begin(&mut self) -> bool {
        match std::mem::replace(&mut self.before, Before::Nothing) {
            Before::Nothing => true,
            // An error says that the turn before was dropped.
            Before::Request(before) => before.await.is_ok(),
            Before::Stopped => false,
        }
    }

    /// Lets the next request begin. If the turn is dropped instead, none does.
    pub(super) fn end(self) {
        if let Some(ends) = self.ends {
            // Maybe no other request has come.
            let _ = ends.send(Done);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::service::block_on;

    #[test]
    fn requests_about_an_account_wait_for_each_other() {
        let mut turns = Turns::default();
        let (first, mut second) = (turns.next(Some(1)), turns.next(Some(1)));
        let (mut other, mut none) = (turns.next(Some(2)), turns.next(None));
        block_on(async {
            assert_eq!(tokio::join!(other.begin(), none.begin()), (true, true));
            let begins = tokio::time::timeout(std::time::Duration::ZERO, second.begin()).await;
            assert!(begins.is_err());
        })
        .unwrap();
        [first, second, other].into_iter().for_each(Turn::end);
        turns.next(None);
        assert_eq!((turns.waiting.len(), turns.stopped.len()), (0, 0));
    }

    #[test]
    fn the_end_of_a_turn_begins_the_next() {
        let mut turns = Turns::default();
        let (first, mut second) = (turns.next(Some(1)), turns.next(Some(1)));
        let begun = block_on(async { tokio::join!(second.begin(), async { first.end() }).0 });
        assert!(begun.unwrap());
    }

    #[test]
    fn nothing_follows_a_request_that_was_left() {
        let mut turns = Turns::default();
        let (first, mut second, mut other) = (turns.next(Some(1)), turns.next(Some(1)), turns.next(Some(2)));
        drop(first);
        block_on(async {
            assert_eq!(tokio::join!(second.begin(), other.begin()), (false, true));
            drop(second);
            assert!(!turns.next(Some(1)).begin().await);
            assert!(!turns.next(Some(1)).begin().await);
        })
        .unwrap();
    }
}
