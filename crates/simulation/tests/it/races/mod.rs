//! Races: threads that act at the same time on a real database, without faults. The simulation has one thread, so
//! statements that wait for each other are left to these.
//!
//! `CUTOVER_TEST_ROUNDS=1000 cargo test -p cutover-simulation races:: -- --nocapture` runs more rounds, and prints what
//! they came to.

mod equal_meter_points;
mod run_bounds;
mod two_workers;

use crate::databases::{Credentials, Template};
use crate::specs::code;
use chrono::{DateTime, Utc};
use cutover_app::port::{
    Answer, Clock, DocumentState, Documents, DocumentsUnavailable, Store, WantedDocument,
};
use cutover_app::worker::{Worked, Worker};
use cutover_app::{App, Ports, Settings};
use cutover_testkit::{FakeVendors, FakeWebhooks, SeededRandom, create_account};
use serde_json::{Value, json};
use std::cell::Cell;
use std::collections::BTreeMap;
use std::future::ready;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Condvar, Mutex};

/// Number of rounds of each race on each database.
fn rounds() -> u64 {
    std::env::var("CUTOVER_TEST_ROUNDS").map_or(5, |rounds| rounds.parse().unwrap())
}

/// Runs rounds of a race on each database, and prints how often it came to which result. `begin` prepares a database.
fn race(name: &str, begin: impl Fn(&Arena), round: impl Fn(&Arena, u64) -> String) {
    let databases = [("SQLite", Some(Template::sqlite())), ("PostgreSQL", Template::postgres())];
    for (database, template) in databases.iter().filter_map(|(name, of)| Some((name, of.as_ref()?))) {
        let arena = Arena::of(template);
        begin(&arena);
        let mut results: BTreeMap<String, u64> = BTreeMap::new();
        for n in 0..rounds() {
            *results.entry(round(&arena, n)).or_default() += 1;
        }
        println!("{name} on {database}, {} rounds: {results:?}", rounds());
    }
}

/// A database with two nodes.
struct Arena {
    apps: Vec<Arc<App>>,
    store: Arc<dyn Store>,
    credentials: Credentials,
    meeting: Arc<Meeting>,
    /// Removed last.
    _database: crate::databases::Database,
}

impl Arena {
    fn of(template: &Template) -> Self {
        let database = template.open();
        let meeting = Arc::<Meeting>::default();
        let clock = Arc::new(TickingClock::default());
        let app = |(n, store)| {
            let ports = Ports {
                store,
                clock: clock.clone(),
                random: Arc::new(SeededRandom::new(n)),
                documents: meeting.clone(),
                vendors: Arc::<FakeVendors>::default(),
                webhooks: Arc::<FakeWebhooks>::default(),
            };
            // The first node commits each account alone, so that more commits are at the same time as something else.
            let import_batch = if n == 1 { 0 } else { Settings::default().import_batch };
            Arc::new(App::new(ports, Settings { import_batch, ..Settings::default() }))
        };
        let apps = (1..).zip(database.stores()).map(app).collect();
        let (store, credentials) = (database.truth(), database.credentials.clone());
        Self { apps, store, credentials, meeting, _database: database }
    }

    /// Creates an account with this number and a meter point.
    fn create(&self, supplier: u8, number: &str, mpxn: &str) {
        let fixture = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/accounts/valid/electricity.json");
        let mut sent: Value = serde_json::from_str(&std::fs::read_to_string(fixture).unwrap()).unwrap();
        sent["import_supplier"] = code(supplier).into();
        sent["external_account_number"] = number.into();
        sent["supply_addresses"][0]["meter_points"][0]["mpxn"] = mpxn.into();
        sent["notes"] = json!([{"document_paths": [{"document_path": "there.pdf"}]}]);
        let caller = &self.credentials.callers[0];
        create_account(&self.apps[0], caller, None, sent.to_string().as_bytes()).unwrap();
    }

    /// Works on a node until nothing is due.
    fn drain(&self, node: usize) {
        let worker = Worker::new(self.apps[node].clone(), format!("w{node}"), Arc::default(), Arc::default());
        while worker.run_once().unwrap() != Worked::Nothing {}
    }

    /// Works on these nodes until nothing is due, each on a thread of its own, while `meanwhile` runs.
    fn drain_while<T>(&self, nodes: &[usize], meanwhile: impl FnOnce(&Meeting) -> T) -> T {
        self.meeting.begin();
        std::thread::scope(|scope| {
            for node in nodes {
                scope.spawn(|| {
                    let _finishes = Finishes(&self.meeting);
                    self.drain(*node);
                });
            }
            meanwhile(&self.meeting)
        })
    }

    /// Works on both nodes until nothing is due. Each has read the facts about its first account before either writes it;
    /// `second` creates that of the second node once the first has begun.
    fn drain_together(&self, second: impl FnOnce()) {
        self.meeting.begin();
        let drain = |node| {
            MEETS.set(true);
            self.drain(node);
            MEETS.set(false);
        };
        std::thread::scope(|scope| {
            scope.spawn(|| drain(0));
            self.meeting.wait_until(|progress| progress.arrived >= 1);
            second();
            scope.spawn(|| drain(1));
        });
    }
}

/// A clock that never shows a time twice, so that times of all threads have an order.
struct TickingClock(AtomicI64);

impl Default for TickingClock {
    fn default() -> Self {
        Self(AtomicI64::new(1_795_226_400_000_000))
    }
}

impl Clock for TickingClock {
    fn now(&self) -> DateTime<Utc> {
        DateTime::from_timestamp_micros(self.0.fetch_add(1, Ordering::SeqCst)).unwrap()
    }
}

thread_local! {
    /// True for a worker that waits for the other one at its next lookup of documents.
    static MEETS: Cell<bool> = const { Cell::new(false) };
}

/// The progress of the workers, which a run waits for.
#[derive(Default)]
struct Progress {
    /// Number of workers that have come to where they wait for each other.
    arrived: usize,
    /// Number of accounts whose documents were looked up.
    lookups: usize,
    /// Number of workers for which nothing was due any more.
    finished: usize,
}

/// A document storage that has everything. Workers look documents up between reading facts and writing, so two of them
/// can meet there, and others can see how far they are.
#[derive(Default)]
struct Meeting {
    progress: Mutex<Progress>,
    moves: Condvar,
}

impl Meeting {
    fn begin(&self) {
        *self.progress.lock().unwrap() = Progress::default();
    }

    fn advance(&self, advance: impl FnOnce(&mut Progress)) {
        advance(&mut self.progress.lock().unwrap());
        self.moves.notify_all();
    }

    fn wait_until(&self, is_reached: impl Fn(&Progress) -> bool) {
        let progress = self.progress.lock().unwrap();
        drop(self.moves.wait_while(progress, |progress| !is_reached(progress)).unwrap());
    }

    /// Waits for so many lookups, or until so many workers have finished.
    fn wait_for_lookups(&self, lookups: usize, workers: usize) {
        self.wait_until(|progress| progress.lookups >= lookups || progress.finished == workers);
    }
}

/// Counts a worker as finished when it is dropped, also by a panic.
struct Finishes<'a>(&'a Meeting);

impl Drop for Finishes<'_> {
    fn drop(&mut self) {
        self.0.advance(|progress| progress.finished += 1);
    }
}

impl Documents for Meeting {
    fn ready(&self) -> Answer<'_, Result<(), DocumentsUnavailable>> {
        Box::pin(ready(Ok(())))
    }

    fn look_up<'a>(
        &'a self,
        _: &'a str,
        wanted: &'a [WantedDocument],
    ) -> Answer<'a, Result<Vec<DocumentState>, DocumentsUnavailable>> {
        self.advance(|progress| progress.lookups += 1);
        if MEETS.replace(false) {
            self.advance(|progress| progress.arrived += 1);
            self.wait_until(|progress| progress.arrived >= 2);
        }
        Box::pin(ready(Ok(vec![DocumentState::Pdf; wanted.len()])))
    }
}
