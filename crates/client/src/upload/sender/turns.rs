use std::collections::HashMap;
use tokio::sync::oneshot::error::TryRecvError;
use tokio::sync::oneshot::{Receiver, Sender, channel};

/// Lets the requests about one account follow each other in the order of the inputs, so that of two with the same
/// note or transaction always the first one counts.
#[derive(Debug, Default)]
pub(super) struct Turns(HashMap<u64, Receiver<()>>);

/// The turn of a request. Dropping it lets the next one begin.
#[derive(Debug)]
pub(super) struct Turn {
    before: Option<Receiver<()>>,
    _ends: Option<Sender<()>>,
}

impl Turns {
    /// The turn after the requests about the same account that have come before; at once without an account.
    pub(super) fn next(&mut self, account: Option<u64>) -> Turn {
        // As many are left as requests are in flight.
        self.0.retain(|_, ended| matches!(ended.try_recv(), Err(TryRecvError::Empty)));
        let Some(account) = account else { return Turn { before: None, _ends: None } };
        let (ends, ended) = channel();
        Turn { before: self.0.insert(account, ended), _ends: Some(ends) }
    }
}

impl Turn {
    /// Waits until it is its turn.
    pub(super) async fn begin(&mut self) {
        if let Some(before) = self.before.take() {
            // An error says that the turn before was dropped.
            let _ = before.await;
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
            tokio::join!(other.begin(), none.begin());
            let begins = tokio::time::timeout(std::time::Duration::ZERO, second.begin()).await;
            assert!(begins.is_err());
        })
        .unwrap();
        drop((first, second, other));
        turns.next(None);
        assert_eq!(turns.0.len(), 0);
    }

    #[test]
    fn the_end_of_a_turn_begins_the_next() {
        let mut turns = Turns::default();
        let (first, mut second) = (turns.next(Some(1)), turns.next(Some(1)));
        block_on(async { tokio::join!(second.begin(), async { drop(first) }) }).unwrap();
    }
}
