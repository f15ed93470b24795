//! Webhooks, delivered to a receiver in this process.

use crate::env::TestEnv;
use chrono::Duration;
use cutover_app::operator::{IssuedSecret, OperatorError, SupplierChange};
use cutover_app::port::{
    Clock, DeliveryState, DisabledReason, FeedFilter, WebhookAnswer, WebhookRequest, WebhookSender,
};
use cutover_app::webhook::{WebhookDispatcher, WebhookMetrics};
use cutover_app::{App, Ports, Settings};
use cutover_core::{FeedEventType, SupplierStatus};
use cutover_testkit::{FakeWebhooks, webhook_status};
use hmac::{Hmac, KeyInit, Mac};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The use cases with a receiver of webhooks and a dispatcher.
struct Hooks {
    env: TestEnv,
    receiver: Arc<FakeWebhooks>,
    dispatcher: WebhookDispatcher,
    metrics: Arc<WebhookMetrics>,
    stop: Arc<AtomicBool>,
}

impl Hooks {
    fn new() -> Self {
        Self::with(Settings::default())
    }

    fn with(settings: Settings) -> Self {
        let receiver = Arc::<FakeWebhooks>::default();
        let given = receiver.clone();
        let env = TestEnv::set(|ports| Ports { webhooks: given, ..ports }, settings);
        let (metrics, stop): (Arc<WebhookMetrics>, Arc<AtomicBool>) = Default::default();
        let dispatcher = WebhookDispatcher::new(env.app.clone(), metrics.clone(), stop.clone());
        Self { env, receiver, dispatcher, metrics, stop }
    }

    /// Another node on the same store, with the same receiver.
    fn another_node(&self) -> WebhookDispatcher {
        WebhookDispatcher::new(self.env.app.clone(), Arc::default(), self.stop.clone())
    }

    fn add(&self, types: &[FeedEventType]) -> IssuedSecret {
        self.env.app.as_command().add_webhook("Acme", "https://crm.example/in", types, false).unwrap()
    }

    /// Changes the status of the supplier, which is an event.
    fn happen(&self, events: usize) {
        for _ in 0..events {
            let now = self.env.app.as_command().show_supplier("ACME").unwrap().settings.status;
            let is_paused = now == SupplierStatus::Paused;
            let status = if is_paused { SupplierStatus::Ongoing } else { SupplierStatus::Paused };
            self.env.clock.advance(Duration::seconds(1));
            let change = SupplierChange { status: Some(status), ..SupplierChange::default() };
            self.env.app.as_command().set_supplier("ACME", change).unwrap();
        }
    }

    /// Serves webhooks until there is nothing to do.
    fn serve(&mut self) {
        while !self.dispatcher.run_once().unwrap().is_idle() {}
    }

    /// Serves webhooks for a time, in steps.
    fn serve_for(&mut self, time: Duration) {
        let end = self.env.clock.now() + time;
        while self.env.clock.now() < end {
            self.env.clock.advance(Duration::minutes(30));
            self.serve();
        }
    }

    /// The whole feed, as a reader gets it.
    fn feed(&self) -> BTreeMap<String, Value> {
        let page = self.env.app.feed_page(&self.env.caller, &FeedFilter::default(), None, 10_000).unwrap();
        let shown = |event| serde_json::to_value(cutover_model::Event::from(event)).unwrap();
        page.events
            .into_iter()
            .map(shown)
            .map(|event| (event["id"].as_str().unwrap().into(), event))
            .collect()
    }

    /// The events that the receiver has got with requests from a number on.
    fn received(&self, from: usize) -> BTreeMap<String, Value> {
        let received = self.receiver.received();
        received[from..].iter().map(body).map(|event| (event["id"].as_str().unwrap().into(), event)).collect()
    }

    fn states(&self, webhook: &str) -> Vec<String> {
        let found = self.env.app.as_command().webhook_deliveries(webhook, None, 100).unwrap();
        found.iter().map(|delivery| format!("{} {}", delivery.state, delivery.attempts)).collect()
    }
}

fn body(request: &WebhookRequest) -> Value {
    serde_json::from_slice(&request.body).unwrap()
}

fn header<'r>(request: &'r WebhookRequest, name: &str) -> &'r str {
    &request.headers.iter().find(|(of, _)| *of == name).unwrap().1
}

/// Verifies a signature with the secret of the receiver.
fn verify(secret: &str, request: &WebhookRequest) -> bool {
    use base64::Engine;
    use base64::prelude::BASE64_STANDARD;
    let key = BASE64_STANDARD.decode(secret.strip_prefix("whsec_").unwrap()).unwrap();
    let mut mac = Hmac::<sha2::Sha256>::new_from_slice(&key).unwrap();
    mac.update(
        format!("{}.{}.", header(request, "webhook-id"), header(request, "webhook-timestamp")).as_bytes(),
    );
    mac.update(&request.body);
    let expected = BASE64_STANDARD.encode(mac.finalize().into_bytes());
    header(request, "webhook-signature").split(' ').any(|signature| signature == format!("v1,{expected}"))
}

#[test]
fn events_are_sent_signed_as_the_feed_shows_them() {
    let mut hooks = Hooks::new();
    hooks.happen(1);
    let added = hooks.add(&[]);
    let before: BTreeSet<_> = hooks.feed().into_keys().collect();
    hooks.happen(3);
    hooks.serve();
    let mut expected = hooks.feed();
    expected.retain(|id, _| !before.contains(id));
    assert_eq!((expected.len(), hooks.received(0)), (3, expected), "events from now on");
    let requests = hooks.receiver.received();
    assert_eq!(requests.len(), 3);
    let ids: BTreeSet<_> = requests.iter().map(|request| header(request, "webhook-id")).collect();
    assert!(ids.len() == 3 && ids.iter().all(|id| id.starts_with("msg_") && !id.contains('.')), "{ids:?}");
    for request in &requests {
        assert!(verify(&added.secret, request));
        assert_eq!(request.url, "https://crm.example/in");
        assert_eq!(header(request, "content-type"), "application/json");
    }
    assert_eq!(hooks.states(&added.webhook.name), ["delivered 1"; 3]);
    assert_eq!(hooks.metrics.delivered.load(Ordering::Relaxed), 3);
    let report = format!("{:?}", hooks.env.app.as_command().show_webhook(&added.webhook.name).unwrap());
    assert!(!report.contains("whsec_"), "{report}");
}

#[test]
fn only_events_of_its_types_are_sent() {
    let mut hooks = Hooks::new();
    hooks.add(&[FeedEventType::SupplierResumed, FeedEventType::AccountErased]);
    hooks.happen(4);
    hooks.serve();
    let types: Vec<_> = hooks.received(0).into_values().map(|event| event["type"].clone()).collect();
    assert_eq!(types, ["import_supplier.resumed"; 2]);
}

/// Down for three days, with errors, silence and garbage, then enabled and sent everything again: in the end the
/// receiver has what the feed has, and each event under one id.
#[test]
fn a_receiver_that_was_down_for_days_catches_up() {
    let mut hooks = Hooks::new();
    let name = hooks.add(&[]).webhook.name;
    let begun = hooks.env.clock.now();
    hooks.happen(3);
    hooks.serve();
    let garbage =
        WebhookAnswer::Status { status: 302, beginning: vec![0, 255, 1], retry_after: Some("x".into()) };
    let failures = [webhook_status(500), WebhookAnswer::Failed("it did not answer in time".into()), garbage];
    hooks.receiver.answer_always(Some(webhook_status(503)));
    hooks.happen(4);
    for failure in failures.iter().cycle().take(30) {
        hooks.receiver.answer_next(Some(failure.clone()));
    }
    hooks.serve_for(Duration::hours(60));
    assert_eq!(hooks.env.app.as_command().show_webhook(&name).unwrap().webhook.disabled, None, "not yet");
    hooks.serve_for(Duration::hours(14));
    let disabled = hooks.env.app.as_command().show_webhook(&name).unwrap().webhook.disabled.unwrap();
    assert_eq!(
        (disabled.reason, disabled.detail),
        (DisabledReason::Failing.into(), Some("it answered 503".into()))
    );
    assert_eq!(hooks.env.app.backlog().unwrap().webhooks.disabled, 1);
    let sent = hooks.receiver.received().len();
    hooks.happen(2);
    hooks.serve_for(Duration::hours(5));
    assert_eq!(hooks.receiver.received().len(), sent, "a disabled webhook is sent nothing");
    assert!(sent < 7 * 60, "{sent} attempts");
    // The receiver works again, and gets events twice and out of order.
    hooks.receiver.answer_always(Some(webhook_status(200)));
    hooks.env.app.as_command().enable_webhook(&name).unwrap();
    hooks.serve();
    assert_eq!(hooks.received(0), hooks.feed());
    let replayed_from = hooks.receiver.received().len();
    hooks.env.app.as_command().replay_webhook(&name, begun).unwrap();
    hooks.serve();
    assert_eq!(hooks.received(replayed_from), hooks.feed(), "everything again");
    let mut ids: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for request in hooks.receiver.received() {
        let id = body(&request)["id"].as_str().unwrap().to_owned();
        ids.entry(id).or_default().insert(header(&request, "webhook-id").to_owned());
    }
    assert!(ids.values().all(|ids| ids.len() == 1), "{ids:?}");
    assert_eq!(hooks.states(&name), ["delivered 1"; 9]);
    assert_eq!(hooks.env.app.as_command().show_webhook(&name).unwrap().webhook.replay, None);
}

#[test]
fn a_replay_begins_at_its_time() {
    let mut hooks = Hooks::new();
    let name = hooks.add(&[]).webhook.name;
    for _ in 0..40 {
        hooks.happen(1);
        hooks.env.clock.advance(Duration::hours(3));
    }
    hooks.serve();
    let feed: Vec<Value> = hooks.feed().into_values().collect();
    assert_eq!(hooks.received(0).len(), 40);
    for kept in [0, 1, 17, 40] {
        let from = hooks.receiver.received().len();
        let since = hooks.env.clock.now() - Duration::hours(3 * kept) - Duration::seconds(kept);
        hooks.env.app.as_command().replay_webhook(&name, since).unwrap();
        hooks.serve();
        let expected: Vec<Value> = feed[40 - kept as usize..].to_vec();
        assert_eq!(hooks.received(from).into_values().collect::<Vec<_>>(), expected, "{kept}");
    }
}

#[test]
fn a_receiver_that_is_gone_is_disabled_at_once() {
    let mut hooks = Hooks::new();
    let name = hooks.add(&[]).webhook.name;
    hooks.receiver.answer_always(Some(webhook_status(410)));
    hooks.happen(1);
    hooks.serve();
    let disabled = hooks.env.app.as_command().show_webhook(&name).unwrap().webhook.disabled.unwrap();
    assert_eq!(disabled.reason, DisabledReason::Gone);
    assert_eq!(hooks.receiver.received().len(), 1);
}

/// A hanging receiver has a bounded number of requests, and the others are served.
#[test]
fn a_receiver_that_hangs_does_not_delay_others() {
    let mut hooks = Hooks::new();
    let hanging: Vec<_> = (0..20).map(|_| hooks.add(&[]).webhook.name).collect();
    hooks.happen(6);
    hooks.receiver.answer_always(None);
    hooks.serve();
    assert_eq!(hooks.dispatcher.in_flight(), 32, "four of each of eight");
    // The receivers have failed, and get one request at a time from now on.
    hooks.receiver.release(&WebhookAnswer::Failed("it did not answer in time".into()));
    hooks.serve();
    hooks.receiver.release(&WebhookAnswer::Failed("it did not answer in time".into()));
    hooks.serve();
    hooks.receiver.release(&WebhookAnswer::Failed("it did not answer in time".into()));
    hooks.env.clock.advance(Duration::seconds(20));
    hooks.serve();
    assert!(hooks.dispatcher.in_flight() <= 16, "{}", hooks.dispatcher.in_flight());
    let good = hooks
        .env
        .app
        .as_command()
        .add_webhook("Acme", "https://good.example", &[], false)
        .unwrap()
        .webhook
        .name;
    hooks.receiver.answer_always(Some(webhook_status(200)));
    hooks.happen(6);
    hooks.serve();
    assert_eq!(hooks.states(&good), ["delivered 1"; 6]);
    assert!(hanging.iter().all(|name| !hooks.states(name).is_empty()));
}

/// The backlog of a webhook is bounded; what does not fit stays in the feed, and nothing is left out.
#[test]
fn the_backlog_is_bounded() {
    let mut hooks = Hooks::new();
    let name = hooks.add(&[]).webhook.name;
    hooks.receiver.answer_always(Some(webhook_status(500)));
    hooks.happen(1_100);
    hooks.serve();
    assert_eq!(hooks.env.app.as_command().show_webhook(&name).unwrap().open, 1_000);
    hooks.receiver.answer_always(Some(webhook_status(200)));
    hooks.serve_for(Duration::hours(1));
    assert_eq!(hooks.received(0).len(), 1_100);
    assert_eq!(hooks.env.app.as_command().show_webhook(&name).unwrap().open, 0);
}

/// A delivery whose node died is sent by another one once its lease has ended; the late answer changes nothing.
#[test]
fn another_node_takes_over_after_the_lease() {
    let mut hooks = Hooks::new();
    let name = hooks.add(&[]).webhook.name;
    hooks.happen(1);
    hooks.receiver.answer_next(None);
    hooks.serve();
    let mut other = hooks.another_node();
    assert!(other.run_once().unwrap().is_idle(), "it is leased");
    hooks.env.clock.advance(Duration::seconds(31));
    hooks.receiver.answer_next(Some(webhook_status(500)));
    while !other.run_once().unwrap().is_idle() {}
    assert_eq!(hooks.states(&name), ["pending 2"]);
    hooks.receiver.release(&webhook_status(200));
    hooks.serve();
    assert_eq!(hooks.states(&name), ["pending 2"], "the claim was lost");
    assert_eq!(hooks.metrics.stale.load(Ordering::Relaxed), 1);
}

/// A process that stops releases deliveries that were sent and not answered.
#[test]
fn deliveries_are_given_back_at_the_end() {
    let mut hooks = Hooks::new();
    let name = hooks.add(&[]).webhook.name;
    hooks.happen(1);
    hooks.receiver.answer_next(None);
    hooks.serve();
    hooks.stop.store(true, Ordering::Release);
    hooks.dispatcher.run();
    assert_eq!(hooks.states(&name), ["pending 1"]);
    hooks.stop.store(false, Ordering::Release);
    let mut other = hooks.another_node();
    while !other.run_once().unwrap().is_idle() {}
    assert_eq!(hooks.states(&name), ["delivered 2"]);
}

#[test]
fn both_secrets_sign_for_a_day() {
    let mut hooks = Hooks::new();
    let first = hooks.add(&[]);
    let second = hooks.env.app.as_command().rotate_webhook_secret(&first.webhook.name).unwrap();
    assert_ne!(first.secret, second.secret);
    let verified = |hooks: &mut Hooks| {
        hooks.happen(1);
        hooks.serve();
        let last = hooks.receiver.received().pop().unwrap();
        (verify(&first.secret, &last), verify(&second.secret, &last))
    };
    assert_eq!(verified(&mut hooks), (true, true));
    hooks.env.clock.advance(Duration::hours(25));
    assert_eq!(verified(&mut hooks), (false, true));
    for _ in 0..3 {
        hooks.env.app.as_command().rotate_webhook_secret(&first.webhook.name).unwrap();
    }
    let refused = hooks.env.app.as_command().rotate_webhook_secret(&first.webhook.name);
    assert!(matches!(refused, Err(OperatorError::Refused(_))));
}

/// A webhook that was disabled for longer than events are kept continues with the oldest one, and shows that events
/// were lost.
#[test]
fn a_webhook_that_missed_events_says_so() {
    let mut hooks = Hooks::with(Settings { event_retention: Duration::days(1), ..Settings::default() });
    let name = hooks.add(&[]).webhook.name;
    hooks.env.app.as_command().disable_webhook(&name).unwrap();
    hooks.happen(3);
    hooks.env.clock.advance(Duration::days(2));
    hooks.happen(2);
    hooks.env.app.expire_events().unwrap();
    hooks.env.app.clear_deliveries().unwrap();
    hooks.env.app.as_command().enable_webhook(&name).unwrap();
    hooks.serve();
    assert_eq!((hooks.received(0).len(), hooks.received(0)), (2, hooks.feed()));
    assert!(hooks.env.app.as_command().show_webhook(&name).unwrap().webhook.missed_at.is_some());
    hooks.env.clock.advance(Duration::days(2));
    hooks.env.app.expire_events().unwrap();
    hooks.env.app.clear_deliveries().unwrap();
    assert_eq!(hooks.states(&name), [""; 0], "deliveries go with their events");
}

#[test]
fn a_revoked_organisation_is_sent_nothing() {
    let mut hooks = Hooks::new();
    hooks.add(&[]);
    hooks.happen(1);
    hooks.env.app.as_command().revoke_organisation("Acme").unwrap();
    hooks.serve();
    assert_eq!(hooks.receiver.received().len(), 0);
}

#[test]
fn a_test_event_is_signed_and_not_in_the_feed() {
    let hooks = Hooks::new();
    let added = hooks.add(&[]);
    hooks.receiver.answer_next(Some(webhook_status(418)));
    assert_eq!(hooks.env.app.as_command().test_webhook(&added.webhook.name).unwrap(), webhook_status(418));
    let sent = hooks.receiver.received().pop().unwrap();
    assert!(verify(&added.secret, &sent));
    assert_eq!((body(&sent)["type"].as_str(), hooks.feed().len()), (Some("webhook.test"), 0));
}

#[test]
fn commands_refuse_what_cannot_be() {
    let hooks = Hooks::new();
    let app: &App = &hooks.env.app;
    assert!(matches!(
        app.as_command().add_webhook("None", "https://a", &[], false),
        Err(OperatorError::NotFound { .. })
    ));
    let long = format!("https://{}", "a".repeat(3_000));
    for url in ["bad", &long] {
        assert!(matches!(
            app.as_command().add_webhook("Acme", url, &[], false),
            Err(OperatorError::Refused(_))
        ));
    }
    assert!(matches!(app.as_command().show_webhook("wh_none"), Err(OperatorError::NotFound { .. })));
    assert!(matches!(app.as_command().test_webhook("wh_none"), Err(OperatorError::NotFound { .. })));
    let name = hooks.add(&[]).webhook.name;
    assert!(matches!(
        app.as_command().webhook_deliveries(&name, Some("?"), 1),
        Err(OperatorError::Refused(_))
    ));
    for _ in 1..50 {
        hooks.add(&[]);
    }
    assert!(matches!(
        app.as_command().add_webhook("Acme", "https://a", &[], false),
        Err(OperatorError::Refused(_))
    ));
    app.as_command().remove_webhook(&name).unwrap();
    assert!(matches!(app.as_command().remove_webhook(&name), Err(OperatorError::NotFound { .. })));
    assert!(hooks.receiver.check_url("https://a").is_ok() && DeliveryState::ALL.len() == 3);
}

/// A page of deliveries names the accounts for as long as the events are kept.
#[test]
fn deliveries_name_their_accounts() {
    let mut hooks = Hooks::with(Settings { event_retention: Duration::days(1), ..Settings::default() });
    let name = hooks.add(&[]).webhook.name;
    hooks.env.create(r#""customers":[{"family_name":"B"}]"#);
    hooks.happen(1);
    hooks.serve();
    let app = &hooks.env.app;
    let all = app.as_command().delivery_page(&name, None, 10).unwrap();
    let accounts: Vec<_> = all.deliveries.iter().map(|found| found.account.clone()).collect();
    assert_eq!(accounts, [None, Some(("ACME".to_owned(), "A-1".to_owned()))], "the latest event first");
    assert!(!all.has_more);

    let first = app.as_command().delivery_page(&name, None, 1).unwrap();
    assert_eq!((&first.deliveries[..], first.has_more), (&all.deliveries[..1], true));
    let before = first.deliveries[0].delivery.position.encode();
    let second = app.as_command().delivery_page(&name, Some(&before), 1).unwrap();
    assert_eq!((&second.deliveries[..], second.has_more), (&all.deliveries[1..], false));
    assert!(matches!(app.as_command().delivery_page(&name, Some("?"), 1), Err(OperatorError::Refused(_))));

    hooks.env.clock.advance(Duration::days(2));
    app.expire_events().unwrap();
    let expired = app.as_command().delivery_page(&name, None, 10).unwrap();
    assert!(expired.deliveries.iter().all(|found| found.account.is_none()), "{expired:?}");
}

/// Another organisation does not have it.
#[test]
fn a_webhook_belongs_to_its_organisation() {
    let hooks = Hooks::new();
    let name = hooks.add(&[]).webhook.name;
    let mut other = hooks.env.caller.clone();
    other.organisation_id += 1;
    let app = &hooks.env.app;
    assert_eq!(app.as_caller(&other).webhooks(None).unwrap(), []);
    assert!(
        app.as_caller(&other).show_webhook(&name).is_err()
            && app.as_caller(&other).enable_webhook(&name).is_err()
    );
    assert!(app.as_caller(&other).disable_webhook(&name).is_err());
    assert!(app.as_caller(&other).webhook_deliveries(&name, None, 9).is_err());
    assert!(app.as_caller(&other).delivery_page(&name, None, 9).is_err());
    assert!(app.as_caller(&other).replay_webhook(&name, hooks.env.clock.now()).is_err());
    assert_eq!(app.as_caller(&hooks.env.caller).webhooks(None).unwrap().len(), 1);
    app.as_caller(&hooks.env.caller).disable_webhook(&name).unwrap();
    let shown = app.as_caller(&hooks.env.caller).show_webhook(&name).unwrap();
    assert_eq!(shown.webhook.disabled.unwrap().reason, DisabledReason::Operator);
}
