//! Webhooks and their deliveries.

use super::helpers::{at, on_threads, organisation, put, see, supplier, supplier_of};
use chrono::{DateTime, Utc};
use cutover_app::port::{
    Delivery, DeliveryState, Disabled, DisabledReason, FeedEvent, FeedPosition, NewFeedEvent, NewWebhook,
    Replay, Store, Supplier, Webhook, WebhookFigures, WebhookSecret,
};
use cutover_core::{FeedEventType, Word};
use cutover_testkit_machine::Patience;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicI64, Ordering};

fn secret(number: i64, keys: &str) -> WebhookSecret {
    WebhookSecret { number, keys: keys.into(), created_at: at(number), expires_at: None }
}

fn add(store: &dyn Store, organisation_id: i64, name: &str, types: &[FeedEventType]) -> Webhook {
    let new = NewWebhook {
        name: name.into(),
        organisation_id,
        url: format!("https://{name}.example/in"),
        types: types.to_vec(),
        created_at: at(1),
        position: FeedPosition { written_in: 0, id: 3 },
    };
    put(store, move |tx| tx.add_webhook(&new, &secret(0, "whsec_first")))
}

/// Events that are not in the feed, at positions from 1 on, a second apart.
fn events(count: i64) -> Vec<FeedEvent> {
    let event = |n| FeedEvent {
        position: FeedPosition { written_in: 7, id: n },
        event_type: FeedEventType::NotesAdded.into(),
        occurred_at: at(n),
        supplier: "ACME".into(),
        external_account_number: None,
        service_account_number: None,
        attempt: None,
        data: None,
    };
    (1..=count).map(event).collect()
}

fn deliver(store: &dyn Store, webhook: &Webhook, count: i64) {
    let id = webhook.id;
    put(store, move |tx| tx.add_deliveries(id, &events(count), at(10)));
}

/// Claims deliveries that are due, for a minute.
fn claim(store: &dyn Store, webhook: &Webhook, when: DateTime<Utc>, limit: u32) -> Vec<Delivery> {
    static CLAIMS: AtomicI64 = AtomicI64::new(1);
    let id = webhook.id;
    put(store, move |tx| {
        let mut claimed = Vec::new();
        for mut delivery in tx.due_deliveries(id, when, limit)? {
            let before = delivery.claim;
            delivery.claim = CLAIMS.fetch_add(1, Ordering::SeqCst);
            delivery.state = DeliveryState::Sending.into();
            delivery.due_at = Some(when + chrono::Duration::minutes(1));
            assert!(tx.change_delivery(&delivery, before)?);
            claimed.push(delivery);
        }
        Ok(claimed)
    })
}

fn end(store: &dyn Store, delivery: &Delivery) -> bool {
    let mut delivery = delivery.clone();
    (delivery.state, delivery.due_at) = (DeliveryState::Delivered.into(), None);
    put(store, move |tx| tx.change_delivery(&delivery, delivery.claim))
}

fn ids(deliveries: &[Delivery]) -> Vec<i64> {
    deliveries.iter().map(|delivery| delivery.position.id).collect()
}

/// A webhook reads back with what changes of it, by each of its keys.
pub fn webhooks_read_back(store: &dyn Store) {
    let (acme, other) = (organisation(store, "Acme"), organisation(store, "Other"));
    let all = add(store, acme.id, "wh_all", &[]);
    assert_eq!((all.organisation.as_str(), all.types.len(), all.version), ("Acme", 0, 0));
    assert_eq!((all.disabled.clone(), all.replay, all.missed_at), (None, None, None));
    assert_eq!((all.position, all.created_at), (FeedPosition { written_in: 0, id: 3 }, at(1)));
    let types = [FeedEventType::AccountErased, FeedEventType::NotesAdded];
    let mut some = add(store, other.id, "wh_some", &types);
    assert_eq!(some.types, types.map(Word::from));
    some.disabled =
        Some(Disabled { at: at(5), reason: DisabledReason::Gone.into(), detail: Some("410".into()) });
    some.position = FeedPosition { written_in: 8, id: 9 };
    some.replay = Some(Replay { since: at(2), to: FeedPosition { written_in: 9, id: 9 } });
    some.missed_at = Some(at(6));
    let changed = some.clone();
    assert!(put(store, move |tx| tx.change_webhook(&changed)));
    let stale = some.clone();
    assert!(!put(store, move |tx| tx.change_webhook(&stale)), "it has changed");
    some.version += 1;
    assert_eq!(see(store, |tx| tx.webhook("wh_some")).as_ref(), Some(&some));
    let id = some.id;
    assert_eq!(put(store, move |tx| tx.lock_webhook(id, true)).as_ref(), Some(&some));
    assert_eq!(put(store, move |tx| tx.lock_webhook(id, false)).as_ref(), Some(&some));
    assert_eq!(see(store, |tx| tx.webhook_by_id(id)).as_ref(), Some(&some));
    assert_eq!(see(store, |tx| tx.webhooks(None)), [all.clone(), some.clone()]);
    assert_eq!(see(store, |tx| tx.webhooks(Some(other.id))), [some]);
    assert_eq!(see(store, |tx| tx.webhook("wh_none")), None);
}

/// The secrets of a webhook sign until they expire, and are removed with it.
pub fn secrets_of_webhooks_expire(store: &dyn Store) {
    let acme = organisation(store, "Acme");
    let webhook = add(store, acme.id, "wh_1", &[]);
    let id = webhook.id;
    let keys = |seconds| {
        let secrets = see(store, |tx| tx.webhook_secrets(id, at(seconds)));
        secrets.into_iter().map(|secret| secret.keys).collect::<Vec<_>>()
    };
    assert_eq!(keys(5), ["whsec_first"]);
    put(store, move |tx| tx.rotate_webhook_secret(id, &secret(5, "whsec_second"), at(50)));
    assert_eq!(keys(49), ["whsec_second", "whsec_first"]);
    assert_eq!(keys(50), ["whsec_second"]);
    put(store, move |tx| tx.rotate_webhook_secret(id, &secret(60, "whsec_third"), at(90)));
    assert_eq!(keys(70), ["whsec_third", "whsec_second"]);
    assert!(put(store, move |tx| tx.remove_webhook(id, at(70))));
    assert!(!put(store, move |tx| tx.remove_webhook(id, at(70))));
    assert_eq!((keys(70).len(), see(store, |tx| tx.webhook("wh_1"))), (0, None));
}

/// A delivery reads back through its whole life. Only the claim that has it may end it.
pub fn deliveries_are_claimed_and_ended(store: &dyn Store) {
    let acme = organisation(store, "Acme");
    let webhook = add(store, acme.id, "wh_1", &[]);
    deliver(store, &webhook, 3);
    let id = webhook.id;
    assert_eq!(ids(&claim(store, &webhook, at(9), 9)), [0; 0], "none is due");
    let first = claim(store, &webhook, at(10), 2);
    let second = claim(store, &webhook, at(10), 2);
    assert_eq!((first.len(), second.len()), (2, 1));
    assert_eq!(ids(&claim(store, &webhook, at(69), 9)), [0; 0], "all are leased");
    assert!(end(store, &first[0]));
    let again = claim(store, &webhook, at(70), 9);
    assert_eq!(again.len(), 2, "leases have ended");
    assert!(!end(store, &second[0]), "another has claimed it");
    let mut failed = again[0].clone();
    failed.state = DeliveryState::Pending.into();
    (failed.attempts, failed.first_attempt_at, failed.due_at) = (2, Some(at(10)), Some(at(99)));
    (failed.status, failed.failure) = (Some(503), Some("late".into()));
    (failed.answer, failed.attempted_at) = (Some(vec![0, 255]), Some(at(71)));
    let written = failed.clone();
    assert!(put(store, move |tx| tx.change_delivery(&written, written.claim)));
    let all = see(store, |tx| tx.deliveries(id, None, 9));
    assert_eq!(ids(&all), [3, 2, 1]);
    assert_eq!(all.iter().find(|delivery| delivery.position == failed.position), Some(&failed));
    assert_eq!(see(store, |tx| tx.open_deliveries(id, 9)), 2);
    assert_eq!(see(store, |tx| tx.open_deliveries(id, 1)), 1);
    let before = Some(all[0].position);
    assert_eq!(ids(&see(store, |tx| tx.deliveries(id, before, 1))), [2], "a page");
    let active = see(store, |tx| tx.active_webhooks());
    assert_eq!(active[0].first_due, Some(at(99)));
    // The delivery is as new.
    put(store, move |tx| tx.restart_deliveries(id, at(80)));
    assert!(!end(store, &failed) && !end(store, &again[1]), "claims are lost");
    let due = claim(store, &webhook, at(80), 9);
    assert_eq!((due.len(), due[0].attempts, due[0].first_attempt_at), (2, 0, None));
    assert_eq!(put(store, move |tx| tx.release_deliveries(at(80))), 2);
    assert!(!end(store, &due[0]), "the claim is lost");
    // Events that are delivered again replace their deliveries.
    deliver(store, &webhook, 3);
    assert_eq!(claim(store, &webhook, at(81), 9).len(), 3);
}

/// Of several nodes that claim at the same time each gets others.
pub fn nodes_claim_different_deliveries(store: &dyn Store) {
    let acme = organisation(store, "Acme");
    let webhook = add(store, acme.id, "wh_1", &[]);
    deliver(store, &webhook, 60);
    let claimed: Vec<i64> = on_threads(4, |_| {
        let mut claimed = Vec::new();
        for _ in 0..40 {
            claimed.extend(ids(&claim(store, &webhook, at(10), 4)));
        }
        claimed
    })
    .concat();
    let different: BTreeSet<i64> = claimed.iter().copied().collect();
    assert_eq!((claimed.len(), different), (60, (1..=60).collect()));
}

/// Webhooks that are disabled or removed, or belong to a revoked organisation, are not served.
pub fn only_active_webhooks_are_served(store: &dyn Store) {
    let (acme, gone) = (organisation(store, "Acme"), organisation(store, "Gone"));
    let hooks: Vec<Webhook> =
        ["wh_a", "wh_b", "wh_c"].iter().map(|name| add(store, acme.id, name, &[])).collect();
    add(store, gone.id, "wh_d", &[]);
    deliver(store, &hooks[0], 2);
    put(store, |tx| tx.revoke_organisation("Gone", at(2)));
    let (mut disabled, removed) = (hooks[1].clone(), hooks[2].id);
    disabled.disabled = Some(Disabled { at: at(3), reason: DisabledReason::Operator.into(), detail: None });
    put(store, move |tx| tx.change_webhook(&disabled));
    put(store, move |tx| tx.remove_webhook(removed, at(3)));
    let active = see(store, |tx| tx.active_webhooks());
    assert_eq!(active.iter().map(|webhook| webhook.id).collect::<Vec<_>>(), [hooks[0].id]);
    assert_eq!(active[0].first_due, Some(at(10)));
    assert_eq!((active[0].organisation_id, active[0].position), (acme.id, hooks[0].position));
    let figures = see(store, |tx| tx.webhook_figures());
    let expected = WebhookFigures { enabled: 1, disabled: 1, open: 2, oldest: Some(at(1)) };
    assert_eq!(figures, expected);
}

fn publish(store: &dyn Store, of: &Supplier, seconds: i64) {
    let event = NewFeedEvent {
        supplier_id: of.id,
        event_type: FeedEventType::NotesAdded,
        occurred_at: at(seconds),
        external_account_number: None,
        service_account_number: None,
        data: None,
    };
    put(store, move |tx| tx.publish(&event));
}

/// Waits until an event is visible, and returns the end of the feed.
fn end_after(store: &dyn Store, of: &Supplier, before: FeedPosition) -> FeedPosition {
    let mut patience = Patience::new("an event is visible");
    loop {
        let end = see(store, |tx| tx.feed_end(of.organisation_id));
        if end > before {
            return end;
        }
        patience.check(());
        std::thread::yield_now();
    }
}

/// The end of the feed and single events are found until they expire.
pub fn single_events_are_found(store: &dyn Store) {
    let (acme, other) = (supplier(store, "ACME"), supplier_of(store, "Other", "OTHER", |_| {}));
    let none = FeedPosition::default();
    assert_eq!(see(store, |tx| tx.feed_end(acme.organisation_id)), none);
    publish(store, &acme, 1);
    let first = end_after(store, &acme, none);
    publish(store, &acme, 2);
    let second = end_after(store, &acme, first);
    let found = |of: &Supplier, position| see(store, |tx| tx.feed_event(of.organisation_id, position));
    assert_eq!(found(&acme, first).unwrap().occurred_at, at(1));
    assert_eq!(found(&acme, second).unwrap().occurred_at, at(2));
    assert_eq!((found(&other, second), see(store, |tx| tx.feed_end(other.organisation_id))), (None, none));
    put(store, |tx| tx.expire_events(at(2), 9));
    assert_eq!((found(&acme, first), found(&acme, second).is_some()), (None, true));
    put(store, |tx| tx.expire_events(at(9), 9));
    assert_eq!(see(store, |tx| tx.feed_end(acme.organisation_id)), second, "positions are not used again");
}

/// Deliveries go with their events, and with their webhook.
pub fn deliveries_are_removed_with_their_events(store: &dyn Store) {
    let acme = supplier(store, "ACME");
    let webhook = add(store, acme.organisation_id, "wh_1", &[]);
    let id = webhook.id;
    let mut last = FeedPosition::default();
    for n in 1..=4 {
        publish(store, &acme, n);
        last = end_after(store, &acme, last);
        let event = see(store, |tx| tx.feed_event(acme.organisation_id, last)).unwrap();
        put(store, move |tx| tx.add_deliveries(id, &[event], at(10)));
    }
    let first = claim(store, &webhook, at(10), 1);
    assert!(end(store, &first[0]));
    let clear = |limit| put(store, move |tx| tx.clear_deliveries(at(20), limit));
    let left = || see(store, |tx| tx.deliveries(id, None, 9)).len();
    assert!(!clear(9));
    assert_eq!(left(), 4);
    put(store, |tx| tx.expire_events(at(2), 9));
    assert!(!clear(9));
    assert_eq!((left(), see(store, |tx| tx.webhook("wh_1")).unwrap().missed_at), (3, None));
    put(store, |tx| tx.expire_events(at(4), 9));
    assert!(clear(1), "more are to be removed");
    clear(9);
    assert_eq!(left(), 1);
    assert_eq!(
        see(store, |tx| tx.webhook("wh_1")).unwrap().missed_at,
        Some(at(20)),
        "open ones were removed"
    );
    put(store, move |tx| tx.remove_webhook(id, at(30)));
    assert!(!clear(9));
    assert!(!clear(9));
    assert_eq!(see(store, |tx| tx.open_deliveries(id, 9)), 0);
}
