//! The feed of events.

use super::helpers::{at, create, number, process, put, see, step, supplier, supplier_of};
use cutover_app::port::{
    FeedEvent, FeedFilter, FeedPage, FeedPosition, NewFeedEvent, PageLimit, Store, StoreError, Supplier,
};
use cutover_core::{Code, FeedEventType};
use cutover_model::EventData;
use cutover_process::Event;
use cutover_testkit_machine::Patience;

fn page(
    store: &dyn Store,
    of: &Supplier,
    filter: &FeedFilter,
    after: Option<FeedPosition>,
    limit: PageLimit,
) -> Option<FeedPage> {
    see(store, |tx| tx.feed_page(of.organisation_id, filter, after, limit))
}

/// The events of the supplier's organisation, as soon as there are this many. On a database server an event is not
/// visible while an older transaction that has written is open.
#[track_caller]
fn all(store: &dyn Store, of: &Supplier, count: usize) -> Vec<FeedEvent> {
    let mut patience = Patience::new("the events are visible");
    loop {
        let found = page(store, of, &FeedFilter::default(), None, PageLimit::of(1_000)).unwrap();
        assert!(!found.has_more, "{found:?}");
        if found.events.len() >= count {
            assert_eq!(found.events.len(), count);
            return found.events;
        }
        patience.check(found.events.len());
        std::thread::yield_now();
    }
}

/// A page that is read while this many events are visible: an older transaction of the server may hide them again for
/// a moment. The pages of one transaction see the same events.
#[track_caller]
fn page_of(
    store: &dyn Store,
    (of, visible): (&Supplier, usize),
    filter: &FeedFilter,
    after: Option<FeedPosition>,
    limit: PageLimit,
) -> FeedPage {
    let mut patience = Patience::new("the events are visible");
    loop {
        let (all, found) = see(store, |tx| {
            let all = tx.feed_page(of.organisation_id, &FeedFilter::default(), None, PageLimit::of(1_000))?;
            Ok((all, tx.feed_page(of.organisation_id, filter, after, limit)?))
        });
        let now = all.map_or(0, |all| all.events.len());
        if now == visible {
            return found.unwrap();
        }
        patience.check(now);
        std::thread::yield_now();
    }
}

/// Supplier, account and type of each event.
fn words(events: &[FeedEvent]) -> Vec<String> {
    let word = |event: &FeedEvent| {
        let account = event.external_account_number.as_deref().unwrap_or("-");
        format!("{} {account} {}", event.supplier, event.event_type)
    };
    events.iter().map(word).collect()
}

fn added(supplier: &Supplier, account: &str, seconds: i64) -> NewFeedEvent {
    NewFeedEvent {
        supplier_id: supplier.id,
        event_type: FeedEventType::NotesAdded,
        occurred_at: at(seconds),
        external_account_number: Some(number(account)),
        service_account_number: Some("A-00000001".parse().unwrap()),
        data: Some(EventData::count(2)),
    }
}

fn publish(store: &dyn Store, event: NewFeedEvent) {
    put(store, move |tx| tx.publish(&event));
}

/// An event reads back as it was written, and only to the organisation of its supplier.
pub fn events_read_back(store: &dyn Store) {
    let (acme, other) = (supplier(store, "ACME"), supplier_of(store, "Other", "OTHER", |_| {}));
    publish(store, added(&acme, "A-1", 5));
    let [event] = <[_; 1]>::try_from(all(store, &acme, 1)).unwrap();
    assert_eq!(event.event_type, FeedEventType::NotesAdded);
    assert_eq!((event.occurred_at, event.supplier.as_str(), event.attempt), (at(5), "ACME", None));
    assert_eq!(event.external_account_number.as_deref(), Some("A-1"));
    assert_eq!(event.service_account_number.as_deref(), Some("A-00000001"));
    assert_eq!(event.data, Some(EventData::count(2)));
    assert_eq!(all(store, &other, 0), []);
}

/// Steps publish their events; claims have none.
pub fn steps_are_published(store: &dyn Store) {
    let acme = supplier(store, "ACME");
    create(store, &acme, "A-1");
    for (event, seconds) in [(Event::Claimed, 1), (Event::Rejected, 2), (Event::RetriedByOperator, 3)] {
        assert!(step(store, &process(store, &acme, "A-1").process, event, at(seconds)));
    }
    let found = all(store, &acme, 3);
    let expected = ["created", "errored", "created"];
    assert_eq!(words(&found), expected.map(|word| format!("ACME A-1 account_import_process.{word}")));
    let attempts: Vec<_> = found.iter().map(|event| event.attempt).collect();
    assert_eq!(attempts, [Some(0), Some(1), Some(1)]);
    let codes: Vec<_> = found.into_iter().map(|event| event.data.and_then(|data| data.code)).collect();
    let rejected = Code::ImportProcessFailedValidation.as_str().to_owned();
    assert_eq!(codes, [None, Some(rejected), None]);
}

/// A reader that continues where it stopped receives every event once, whatever the size of its pages.
pub fn events_are_read_in_pages(store: &dyn Store) {
    let acme = supplier(store, "ACME");
    for n in 0..7 {
        publish(store, added(&acme, &format!("A-{n}"), n));
    }
    let whole = all(store, &acme, 7);
    for size in [1, 2, 3, 7, 8] {
        let (mut after, mut read) = (None, Vec::new());
        loop {
            let found = page_of(store, (&acme, 7), &FeedFilter::default(), after, PageLimit::of(size));
            assert!(found.events.len() <= size as usize);
            read.extend(found.events);
            after = Some(found.next);
            if !found.has_more {
                break;
            }
        }
        assert_eq!(read, whole, "{size}");
        let at_end = page_of(store, (&acme, 7), &FeedFilter::default(), after, PageLimit::of(size));
        assert_eq!((at_end.events.len(), Some(at_end.next)), (0, after));
    }
}

/// A page reads a limited number of events, so it may be empty although some follow that match.
pub fn events_are_filtered(store: &dyn Store) {
    let (acme, beta) = (supplier(store, "ACME"), supplier(store, "BETA"));
    for n in 0..5 {
        publish(store, added(&acme, &format!("A-{n}"), n));
    }
    create(store, &beta, "B-1");
    all(store, &acme, 6);
    let of_beta = FeedFilter { supplier: Some(beta.code.clone()), ..FeedFilter::default() };
    let created = FeedFilter { types: vec![FeedEventType::ProcessCreated], ..FeedFilter::default() };
    let expected = ["BETA B-1 account_import_process.created"];
    for filter in [&of_beta, &created] {
        let found = page_of(store, (&acme, 6), filter, None, PageLimit::of(9));
        assert_eq!((words(&found.events), found.has_more), (expected.map(str::to_owned).to_vec(), false));
        let limit = PageLimit { items: 9, scanned: 3 };
        let first = page_of(store, (&acme, 6), filter, None, limit);
        assert_eq!((first.events.len(), first.has_more), (0, true));
        let second = page_of(store, (&acme, 6), filter, Some(first.next), limit);
        assert_eq!((words(&second.events), second.has_more), (expected.map(str::to_owned).to_vec(), false));
    }
    let neither = FeedFilter { types: vec![FeedEventType::NotesAdded], ..of_beta };
    assert_eq!(page(store, &acme, &neither, None, PageLimit::of(9)).unwrap().events, []);
}

/// Expired events are gone, a reader that missed some is told so, and positions are not used again.
pub fn events_expire(store: &dyn Store) {
    let (acme, other) = (supplier(store, "ACME"), supplier_of(store, "Other", "OTHER", |_| {}));
    for n in 0..5 {
        publish(store, added(&acme, &format!("A-{n}"), n));
    }
    publish(store, added(&other, "O-1", 9));
    all(store, &acme, 5);
    all(store, &other, 1);
    let read = |after, size| page(store, &acme, &FeedFilter::default(), after, PageLimit::of(size));
    let (first, third) = (read(None, 1).unwrap().next, read(None, 3).unwrap().next);
    let expire = |seconds, limit| put(store, move |tx| tx.expire_events(at(seconds), limit));
    assert!(expire(3, 2), "more have expired");
    assert!(!expire(3, 2));
    assert!(!expire(3, 2));
    let kept = words(&all(store, &acme, 2));
    assert_eq!(kept, ["A-3", "A-4"].map(|account| format!("ACME {account} account.notes_added")));
    assert_eq!(read(Some(first), 9), None, "the second was not read");
    assert_eq!(read(Some(third), 9).unwrap().events.len(), 2);
    all(store, &other, 1);
    let last = read(None, 9).unwrap().next;
    assert!(!expire(99, 9));
    assert_eq!(read(Some(third), 9), None);
    assert_eq!(read(Some(last), 9).unwrap().events, []);
    publish(store, added(&acme, "A-9", 9));
    all(store, &acme, 1);
    assert_eq!(words(&read(Some(last), 9).unwrap().events), ["ACME A-9 account.notes_added"]);
}

/// The events of a transaction that is rolled back do not exist.
pub fn rolled_back_events_do_not_exist(store: &dyn Store) {
    let acme = supplier(store, "ACME");
    let event = added(&acme, "A-1", 1);
    let refused = cutover_app::port::write(store, move |tx| {
        tx.publish(&event)?;
        Err::<(), _>(StoreError::Failed("on purpose".into()))
    });
    assert!(refused.is_err());
    assert_eq!(all(store, &acme, 0), []);
}
