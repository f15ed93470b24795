//! Another system that follows the feed during a run.

use crate::quiet::accounts;
use crate::simulation::{Simulation, lock};
use crate::specs::AccountRef;
use cutover_app::auth::Caller;
use cutover_app::port::{FeedEvent, FeedFilter, FeedPosition, PageLimit, read_committed};
use cutover_core::FeedEventType;
use std::collections::{BTreeMap, BTreeSet};

/// Events of an account: the types of its process in order, then how many things were added.
type Events = (Vec<String>, [u64; 3]);

impl Simulation {
    /// Reads on from the last event of each organisation.
    pub(crate) fn follow_feed(&self) {
        for (caller, received) in self.database.credentials.callers.iter().zip(&mut *lock(&self.received)) {
            let after = received.last().map(|last| last.position);
            received.extend(self.events(caller, after));
        }
    }

    fn events(&self, caller: &Caller, after: Option<FeedPosition>) -> Vec<FeedEvent> {
        let (organisation, filter) = (caller.organisation_id, FeedFilter::default());
        let limit = PageLimit::of(10_000);
        let page = read_committed(&*self.truth, |tx| tx.feed_page(organisation, &filter, after, limit));
        page.unwrap().map(|page| page.events).unwrap_or_default()
    }

    /// Checks that the reader received what happened, once and in the order of the feed.
    pub(crate) fn check_feed(&self) {
        let expected: Vec<_> = accounts().map(|account| (account, self.expected_events(account))).collect();
        let mut fault = self.feed_fault(&expected);
        if fault.is_some() {
            // A transaction of a connection that was broken may still be open.
            self.database.settle();
            fault = self.feed_fault(&expected);
        }
        fault.into_iter().for_each(|fault| self.oracle().violate(fault));
        let received = lock(&self.received).concat();
        fault_of_numbers(&received).into_iter().for_each(|fault| self.oracle().violate(fault));
        for (caller, received) in self.database.credentials.callers.iter().zip(&*lock(&self.received)) {
            if *received != self.events(caller, None) {
                self.oracle().violate(format!("the feed of {} is not what was received", caller.key_prefix));
            }
        }
    }

    /// Reads on and finds an account whose events are not the expected ones.
    fn feed_fault(&self, expected: &[(AccountRef, Events)]) -> Option<String> {
        self.follow_feed();
        let received = lock(&self.received).clone();
        expected.iter().find_map(|(account, expected)| {
            let is = events_of(*account, &received);
            (is != *expected).then(|| format!("{account:?}: the feed has {is:?}, not {expected:?}"))
        })
    }

    fn expected_events(&self, account: AccountRef) -> Events {
        let Some(stored) = self.process(account) else { return Default::default() };
        let steps = self.history(stored.process.id());
        let steps = steps.iter().filter_map(|entry| Some(word(entry.feed_event_type()?, entry.attempt)));
        let added = stored.process.service_account_number().and_then(|_| {
            self.with_model(account, |model| {
                let notes = model.added_notes().len();
                [notes, model.added_transactions().len(), model.statements.len()].map(|count| count as u64)
            })
        });
        (steps.collect(), added.unwrap_or_default())
    }
}

/// Finds an undo that does not tell the number of the account that it has removed, and an account that got such a number.
fn fault_of_numbers(received: &[FeedEvent]) -> Option<String> {
    let (mut numbers, mut retired) = (BTreeMap::new(), BTreeSet::new());
    for event in received {
        let account = (&event.supplier, &event.external_account_number);
        let number = &event.service_account_number;
        match event.event_type.known() {
            Some(FeedEventType::ProcessProcessed) if retired.contains(number) => {
                return Some(format!("the feed has a number again that was undone: {event:?}"));
            }
            Some(FeedEventType::ProcessProcessed) => drop(numbers.insert(account, number)),
            Some(FeedEventType::ProcessUndone) if numbers.remove(&account) != Some(number) => {
                return Some(format!("the feed has another number: {event:?}"));
            }
            Some(FeedEventType::ProcessUndone) => drop(retired.insert(number)),
            _ => {}
        }
    }
    None
}

fn word(of: FeedEventType, attempt: u32) -> String {
    format!("{of} {attempt}")
}

/// Returns the received events of an account in the form of [`Simulation::expected_events`].
fn events_of(account: AccountRef, received: &[Vec<FeedEvent>]) -> Events {
    let (code, number) = (account.code(), account.external());
    let is_about = |event: &&FeedEvent| {
        event.supplier == code && event.external_account_number.as_ref() == Some(&number)
    };
    let (mut steps, mut added) = (Vec::new(), [0; 3]);
    for event in received.iter().flatten().filter(is_about) {
        let count = event.data.as_ref().and_then(|data| data.count).unwrap_or_default();
        match (event.event_type.known(), event.attempt) {
            (Some(of), Some(attempt)) => steps.push(word(*of, attempt)),
            (Some(FeedEventType::NotesAdded), None) => added[0] += count,
            (Some(FeedEventType::TransactionsAdded), None) => added[1] += count,
            (Some(FeedEventType::HistoricalStatementsAdded), None) => added[2] += count,
            _ => {}
        }
    }
    (steps, added)
}
