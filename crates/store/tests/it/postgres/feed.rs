//! The feed while transactions overlap, and its partitions.

use super::environment::TestEnvironment;
use cutover_app::port::{
    FeedEvent, FeedFilter, FeedPosition, NewFeedEvent, PageLimit, StoreError, Tx, read_committed, write,
};
use cutover_core::FeedEventType;
use cutover_store::{PostgresOptions, PostgresStore};
use cutover_testkit_machine::{Patience, receive};
use std::collections::BTreeSet;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

/// Number of keys in a partition.
const SIZE: i64 = 1 << 22;

impl TestEnvironment {
    fn supplier(&self) -> i64 {
        read_committed(&*self.store, |tx| tx.supplier(&"ACME".parse().unwrap())).unwrap().unwrap().id
    }

    fn publish(&self, account: &str) {
        let (supplier, account) = (self.supplier(), account.to_owned());
        write(&*self.store, move |tx| publish(tx, supplier, &account)).unwrap();
    }

    fn after(&self, position: Option<FeedPosition>) -> Vec<FeedEvent> {
        let (organisation, filter) = (self.caller.organisation_id, FeedFilter::default());
        let page = read_committed(&*self.store, |tx| {
            tx.feed_page(organisation, &filter, position, PageLimit::of(10_000))
        });
        page.unwrap().unwrap().events
    }

    /// Waits until the feed has these events.
    #[track_caller]
    fn until_read(&self, expected: &[&str]) {
        let mut patience = Patience::new(&format!("{expected:?}"));
        loop {
            let events = self.after(None);
            let read = accounts(&events);
            if read == expected {
                return;
            }
            patience.check(read.iter().map(|&account| account.to_owned()).collect::<Vec<_>>());
        }
    }

    /// Expires all events that are visible.
    fn expire(&self) {
        write(&*self.store, |tx| tx.expire_events(chrono::DateTime::<chrono::Utc>::MAX_UTC, 1_000)).unwrap();
    }

    fn partitions(&self) -> String {
        let found = "SELECT string_agg(inhrelid::regclass::text, ' ' ORDER BY inhrelid) FROM pg_inherits \
                     WHERE inhparent = 'feed_events'::regclass";
        self.database.sql(found).unwrap()
    }
}

fn publish(tx: &mut dyn Tx, supplier_id: i64, account: &str) -> Result<(), StoreError> {
    tx.publish(&NewFeedEvent {
        supplier_id,
        event_type: FeedEventType::NotesAdded,
        occurred_at: "2026-11-21T02:00:00Z".parse().unwrap(),
        external_account_number: Some(account.parse().unwrap()),
        service_account_number: None,
        data: None,
    })
}

fn accounts(events: &[FeedEvent]) -> Vec<&str> {
    events.iter().map(|event| event.external_account_number.as_deref().unwrap()).collect()
}

/// Given a transaction that has written and stays open, then events of later ones are shown after it has ended,
/// in the order in which the transactions began to write. One that only reads delays nothing.
#[test]
fn events_wait_for_transactions_that_have_written() {
    let Some(env) = TestEnvironment::new() else { return };
    let _reads =
        env.hold("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM feed_events");
    env.publish("A-1");
    env.until_read(&["A-1"]);
    let supplier = env.supplier();
    let (write_begun, begun) = mpsc::channel();
    let (end, may_end) = mpsc::channel::<()>();
    thread::scope(|scope| {
        scope.spawn(|| {
            let job = move |tx: &mut dyn Tx| {
                publish(tx, supplier, "B-1")?;
                write_begun.send(()).unwrap();
                receive("the end", &may_end);
                publish(tx, supplier, "B-2")
            };
            write(&*env.store, job).unwrap();
        });
        receive("the beginning", &begun);
        env.publish("C-1");
        assert_eq!(accounts(&env.after(None)), ["A-1"]);
        end.send(()).unwrap();
    });
    env.until_read(&["A-1", "B-1", "B-2", "C-1"]);
}

/// Given a transaction of another database that has written and stays open, then it delays nothing.
#[test]
fn events_do_not_wait_for_other_databases() {
    let (Some(env), Some(other)) = (TestEnvironment::new(), TestEnvironment::new()) else { return };
    let _writes = other.hold("CREATE TABLE held (n INT)");
    env.publish("A-1");
    env.until_read(&["A-1"]);
}

/// Given writers whose transactions overlap, then a reader that polls all the time receives each event once, in the
/// order of the whole feed.
#[test]
fn a_reader_receives_each_event_once_and_in_order() {
    const WRITERS: usize = 4;
    const EVENTS: usize = 60;
    let Some(env) = TestEnvironment::new() else { return };
    let supplier = env.supplier();
    let mut read: Vec<FeedEvent> = Vec::new();
    thread::scope(|scope| {
        for writer in 0..WRITERS {
            let store = &env.store;
            scope.spawn(move || {
                for n in 0..EVENTS {
                    let job = move |tx: &mut dyn Tx| {
                        publish(tx, supplier, &format!("{writer}-{n}"))?;
                        // Commits overtake each other.
                        if (n + writer) % 3 == 0 {
                            thread::park_timeout(Duration::from_millis(3));
                        }
                        Ok::<_, StoreError>(())
                    };
                    write(&**store, job).unwrap();
                }
            });
        }
        let mut patience = Patience::new("all events");
        while read.len() < WRITERS * EVENTS {
            patience.check(read.len());
            read.extend(env.after(read.last().map(|last| last.position)));
        }
    });
    let different: BTreeSet<_> = accounts(&read).into_iter().collect();
    assert_eq!((read.len(), different.len()), (WRITERS * EVENTS, WRITERS * EVENTS));
    assert_eq!(read, env.after(None));
}

/// Given a dump that was restored to a server with smaller numbers of transactions, then new events follow those
/// that it brought.
#[test]
fn events_follow_those_of_another_server() {
    let Some(env) = TestEnvironment::new() else { return };
    env.publish("A-1");
    env.until_read(&["A-1"]);
    env.database.sql("UPDATE feed_events SET written_in = written_in + 1000000000000").unwrap();
    assert_eq!(env.after(None), []);
    for account in ["A-2", "A-3"] {
        drop(PostgresStore::open(&PostgresOptions::new(env.database.url())).unwrap());
        env.publish(account);
    }
    env.until_read(&["A-1", "A-2", "A-3"]);
}

/// A partition whose events have all expired is dropped. New partitions exist before their first event.
#[test]
fn expired_partitions_are_dropped() {
    let Some(env) = TestEnvironment::new() else { return };
    let reach = |key: i64| {
        env.database.sql(&format!("SELECT setval('feed_event_ids', {key})")).unwrap();
        assert!(!read_committed(&*env.store, |tx| tx.has_partitions()).unwrap());
        write(&*env.store, |tx| tx.add_partitions()).unwrap();
        assert!(read_committed(&*env.store, |tx| tx.has_partitions()).unwrap());
    };
    env.publish("A-1");
    reach(SIZE);
    env.publish("A-2");
    reach(2 * SIZE);
    env.publish("A-3");
    env.until_read(&["A-1", "A-2", "A-3"]);
    env.expire();
    // The last two are written to, or were until now.
    assert_eq!(env.partitions(), "feed_events_1 feed_events_2 feed_events_3 feed_events_4");
    assert_eq!(env.database.sql("SELECT count(*) FROM feed_events").unwrap(), "0");
    reach(3 * SIZE);
    env.publish("A-4");
    env.until_read(&["A-4"]);
    env.expire();
    assert_eq!(env.partitions(), "feed_events_2 feed_events_3 feed_events_4 feed_events_5");
}

/// Given somebody who reads the table, then events expire, and their partition is dropped later.
#[test]
fn a_partition_that_is_read_is_dropped_later() {
    let Some(env) = TestEnvironment::new() else { return };
    env.publish("A-1");
    env.database.sql(&format!("SELECT setval('feed_event_ids', {})", 2 * SIZE)).unwrap();
    write(&*env.store, |tx| tx.add_partitions()).unwrap();
    env.publish("A-2");
    env.until_read(&["A-1", "A-2"]);
    let reads = env.hold("SELECT count(*) FROM feed_events");
    env.expire();
    assert_eq!(env.after(None), []);
    assert!(env.partitions().starts_with("feed_events_0 "), "{}", env.partitions());
    drop(reads);
    env.publish("A-3");
    env.until_read(&["A-3"]);
    env.expire();
    assert!(env.partitions().starts_with("feed_events_1 "), "{}", env.partitions());
}
