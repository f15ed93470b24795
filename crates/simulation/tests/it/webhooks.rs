//! Webhooks under faults: stores that fail or lose answers, nodes that die, a receiver that fails at random. In the end the
//! receiver has what the feed has.

use crate::databases::{Database, Template};
use crate::flaky::{Calm, flaky};
use crate::runs::{Wanted, find_none, found};
use chrono::Duration;
use cutover_app::operator::SupplierChange;
use cutover_app::port::{
    Clock, DeliveryState, FeedFilter, PageLimit, Random, Store, Verdict, WebhookAnswer, WebhookDone,
    WebhookRequest, WebhookSender, WriteJob, read_committed,
};
use cutover_app::webhook::WebhookDispatcher;
use cutover_app::{App, Ports, Settings};
use cutover_core::SupplierStatus;
use cutover_testkit::{FakeClock, FakeDocuments, FakeVendors, SeededRandom, webhook_status};
use std::collections::BTreeSet;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};

/// Steps of a run.
const STEPS: usize = 120;
/// Hours after which the deliveries of a seed have ended.
const HOURS: usize = 1_000;

/// Marks the first new delivery as made if the position of a webhook moves: the planted bug.
fn losing(job: WriteJob) -> WriteJob {
    Box::new(move |tx| {
        let before = tx.webhooks(None).unwrap();
        let verdict = job(tx);
        for webhook in tx.webhooks(None).unwrap() {
            let moved = before.iter().any(|old| old.id == webhook.id && old.position != webhook.position);
            let added = tx.deliveries(webhook.id, None, 10).unwrap();
            let new = added.into_iter().find(|delivery| delivery.claim == 0 && delivery.due_at.is_some());
            if let Some(mut delivery) = new.filter(|_| moved && verdict == Verdict::Commit) {
                (delivery.state, delivery.due_at) = (DeliveryState::Delivered.into(), None);
                tx.change_delivery(&delivery, 0).unwrap();
            }
        }
        verdict
    })
}

/// A receiver that fails at random until it is calmed.
struct Receiver {
    random: SeededRandom,
    is_calm: Calm,
    /// The ids of events, and of the messages that they came with.
    received: Mutex<BTreeSet<(String, String)>>,
    hanging: Mutex<Vec<WebhookDone>>,
}

impl WebhookSender for Receiver {
    fn check_url(&self, _: &str) -> Result<(), String> {
        Ok(())
    }

    fn send(&self, request: WebhookRequest, done: WebhookDone) {
        let draw = if self.is_calm.load(Ordering::SeqCst) { u64::MAX } else { self.random.number() % 8 };
        // In some cases it has got the event, and the answer is lost.
        if draw >= 4 {
            let event: serde_json::Value = serde_json::from_slice(&request.body).unwrap();
            let (_, id) = request.headers.iter().find(|(name, _)| *name == "webhook-id").unwrap();
            self.received.lock().unwrap().insert((event["id"].as_str().unwrap().to_owned(), id.clone()));
        }
        match draw {
            0 | 4 => done(webhook_status(500)),
            1 => done(WebhookAnswer::Failed("no connection could be made".into())),
            2 | 5 => self.hanging.lock().unwrap().push(done),
            3 => done(webhook_status(302)),
            _ => done(webhook_status(200)),
        }
    }
}

fn ports(store: Arc<dyn Store>, clock: Arc<FakeClock>, seed: u64, webhooks: Arc<Receiver>) -> Ports {
    let (documents, vendors) = (Arc::<FakeDocuments>::default(), Arc::<FakeVendors>::default());
    Ports { store, clock, random: Arc::new(SeededRandom::new(seed)), documents, vendors, webhooks }
}

fn dispatcher(app: &Arc<App>) -> WebhookDispatcher {
    WebhookDispatcher::new(app.clone(), Arc::default(), Arc::default())
}

/// Performs a run; returns the fault that it found.
fn run(seed: u64, database: &Database, loses_deliveries: bool) -> Option<String> {
    let random = SeededRandom::new(seed);
    let (clock, is_calm) = (Arc::new(FakeClock::of_fixtures()), Calm::default());
    let receiver = Arc::new(Receiver {
        random: SeededRandom::new(seed ^ 1),
        is_calm: is_calm.clone(),
        received: Mutex::default(),
        hanging: Mutex::default(),
    });
    let stores = flaky(database.stores(), seed, &is_calm, move |store, job, _| {
        store.write(if loses_deliveries { losing(job) } else { job })
    });
    let node = |(n, store): (u64, Arc<dyn Store>)| {
        let ports = ports(store, clock.clone(), seed ^ (16 + n), receiver.clone());
        Arc::new(App::new(ports, Settings::default()))
    };
    let nodes: Vec<Arc<App>> = (0..).zip(stores).map(node).collect();
    let truth =
        App::new(ports(database.truth(), clock.clone(), seed ^ 32, receiver.clone()), Settings::default());
    let name =
        truth.as_command().add_webhook("Acme", "https://crm.example", &[], false).unwrap().webhook.name;
    let begun = clock.now();
    let mut dispatchers: Vec<WebhookDispatcher> = nodes.iter().map(dispatcher).collect();
    let mut is_paused = false;
    for _ in 0..STEPS {
        clock.advance(Duration::milliseconds(1));
        let n = random.number() as usize % nodes.len();
        match random.number() % 20 {
            0..6 => {
                is_paused = !is_paused;
                let status = if is_paused { SupplierStatus::Paused } else { SupplierStatus::Ongoing };
                let change = SupplierChange { status: Some(status), ..SupplierChange::default() };
                truth.as_command().set_supplier(&crate::specs::code(0), change).unwrap();
            }
            // A round fails if its store does.
            6..14 => drop(dispatchers[n].run_once()),
            14 => dispatchers[n] = dispatcher(&nodes[n]),
            15 => {
                let hanging = std::mem::take(&mut *receiver.hanging.lock().unwrap());
                hanging.into_iter().for_each(|done| done(webhook_status(503)));
            }
            16..18 => clock.advance(Duration::minutes((random.number() % 300) as i64)),
            18 => drop(truth.as_command().disable_webhook(&name).unwrap()),
            _ => {
                truth.as_command().enable_webhook(&name).unwrap();
                let back = Duration::minutes((random.number() % 600) as i64);
                truth.as_command().replay_webhook(&name, (clock.now() - back).max(begun)).unwrap();
            }
        }
    }
    is_calm.store(true, Ordering::SeqCst);
    receiver.hanging.lock().unwrap().clear();
    truth.as_command().enable_webhook(&name).unwrap();
    let organisation = database.credentials.callers[0].organisation_id;
    database.settle();
    for _ in 0..HOURS {
        clock.advance(Duration::hours(1));
        for dispatcher in &mut dispatchers {
            while !dispatcher.run_once().unwrap().is_idle() {}
        }
        let all = PageLimit::of(10_000);
        let feed = read_committed(&*database.truth(), |tx| {
            tx.feed_page(organisation, &FeedFilter::default(), None, all)
        });
        let feed: BTreeSet<String> =
            feed.unwrap().unwrap().events.into_iter().map(|event| event.position.encode()).collect();
        let received = receiver.received.lock().unwrap();
        let ids: BTreeSet<String> = received.iter().map(|(event, _)| event.clone()).collect();
        if received.len() != ids.len() {
            return Some("an event came with two ids".into());
        }
        let open = truth.as_command().show_webhook(&name).unwrap().open;
        if ids == feed && open == 0 {
            return None;
        }
        if open == 0 {
            return Some(format!("the receiver has {} of {} events", ids.len(), feed.len()));
        }
    }
    Some("deliveries stay open".into())
}

#[test]
fn the_receiver_has_what_the_feed_has_on_sqlite() {
    let template = Template::sqlite();
    find_none(Wanted::of_environment(10, 1_000), |seed| run(seed, &template.open(), false));
}

#[test]
fn the_receiver_has_what_the_feed_has_on_postgres() {
    let Some(template) = Template::postgres() else { return };
    find_none(Wanted::of_environment(5, 50), |seed| run(seed, &template.open(), false));
}

/// A position moves, and a delivery is not made.
#[test]
fn a_lost_delivery_is_found() {
    let template = Template::sqlite();
    found(5, 10, |seed| run(seed, &template.open(), true).is_some());
}
