use super::*;
use crate::config::Config;
use crate::endpoint::bulk::{Bulk, LineContext, Source, stream};
use crate::request::body::Held;
use crate::testing::{ACCOUNT, TestService};
use actix_web::dev::Payload;
use actix_web::error::PayloadError;
use actix_web::http::StatusCode;
use actix_web::rt::spawn;
use actix_web::rt::task::yield_now;
use actix_web::web::Bytes;
use chrono::{DateTime, TimeDelta, Utc};
use cutover_app::App;
use cutover_app::auth::Caller;
use cutover_app::port::{Creation, StagingDone, Store, StoreError, Tx, WriteJob, read};
use cutover_testkit::FakeClock;
use cutover_testkit::memory::MemoryStore;
use cutover_testkit::payload::Dice;
use futures_util::{FutureExt, StreamExt};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

#[actix_web::test]
async fn a_line_waits_for_the_one_before_of_its_account() {
    let mut order = Order::default();
    let turn = |number| order.turn(Some(number));
    let [mut first, mut second, mut other, mut third] = ["A-1", "A-1", "A-2", "A-1"].map(turn);
    assert!(first.begin().await.is_ok() && other.begin().await.is_ok());
    let (mut waiting, mut last) = (Box::pin(second.begin()), Box::pin(third.begin()));
    assert!(waiting.as_mut().now_or_never().is_none());
    first.end(true);
    assert!(waiting.await.is_ok());
    assert!(last.as_mut().now_or_never().is_none());
    // The second has to be sent again, and the third after it.
    second.end(false);
    assert_eq!(last.await.unwrap_err().status(), StatusCode::SERVICE_UNAVAILABLE);
}

#[test]
fn a_line_without_a_number_waits_for_no_other() {
    let mut order = Order::default();
    for _ in 0..2 {
        let turn = order.turn(None);
        assert!(turn.before.is_none() && turn.end.is_none());
    }
    assert!(order.last.is_empty());
}

#[test]
fn accounts_without_a_line_in_progress_are_forgotten() {
    let mut order = Order::default();
    let waiting = order.turn(Some("A"));
    for n in 0..10 * ACCOUNTS {
        order.turn(Some(&n.to_string())).end(true);
        assert!(order.last.len() <= ACCOUNTS);
    }
    assert!(order.turn(Some("A")).before.is_some());
    waiting.end(true);
}

/// A store that stores new accounts later, in an order that a seed decides, while the clock is set forth and back, and
/// refused creates are written.
struct LateStore {
    store: Arc<MemoryStore>,
    dice: Mutex<Dice>,
    around: OnceLock<(Arc<FakeClock>, Arc<App>)>,
}

impl LateStore {
    fn below(&self, bound: u64) -> u64 {
        self.dice.lock().unwrap().below(bound)
    }
}

impl Store for LateStore {
    fn read(&self, job: &mut dyn FnMut(&mut dyn Tx) -> Result<(), StoreError>) -> Result<(), StoreError> {
        self.store.read(job)
    }

    fn write(&self, job: WriteJob) -> Result<(), StoreError> {
        self.store.write(job)
    }

    fn stage(&self, creation: Arc<Creation>, done: StagingDone) {
        let (store, around) = (self.store.clone(), self.around.get().cloned());
        let (times, seconds, records) = (self.below(60), self.below(5), self.below(3) == 0);
        spawn(async move {
            for _ in 0..times {
                yield_now().await;
            }
            store.stage(creation, done);
            if let Some((clock, app)) = around {
                clock.advance(TimeDelta::seconds(seconds as i64 - 2));
                if records {
                    app.record_refused().unwrap();
                }
            }
        });
    }

    fn ping(&self) -> Result<(), StoreError> {
        self.store.ping()
    }
}

/// A service over such a store, the store, and a caller.
fn late_service() -> (TestService, Arc<LateStore>, Caller) {
    let kept = OnceLock::new();
    let service = TestService::over(Config { rate_limit: 0, ..Config::default() }, |store| {
        let late = LateStore { store, dice: Mutex::new(Dice::new(0)), around: OnceLock::new() };
        kept.get_or_init(|| Arc::new(late)).clone()
    });
    let store = kept.into_inner().unwrap();
    let _ = store.around.set((service.clock.clone(), service.app.clone()));
    let caller = service.caller("Acme");
    // No step back leads to a time before the token.
    service.clock.advance(TimeDelta::minutes(10));
    (service, store, caller)
}

/// A line of an account.
struct Sent {
    number: String,
    /// The day on which its window begins, in January 2027. A bare account has no window.
    version: Option<u64>,
    is_faulty: bool,
}

impl Sent {
    /// Draws a line of one of three accounts.
    fn draw(seed: u64, dice: &mut Dice) -> Self {
        let number = format!("S-{seed}-{}", dice.below(3));
        let version = (!dice.one_in(4)).then(|| 1 + dice.below(9));
        Self { number, version, is_faulty: dice.one_in(3) }
    }

    fn text(&self, dice: &mut Dice) -> Bytes {
        let mut account: Value = serde_json::from_str(ACCOUNT).unwrap();
        let white_space = ["", " ", "\t"][dice.below(3) as usize];
        account["external_account_number"] = format!("{white_space}{}", self.number).into();
        if self.is_faulty {
            account["nmuber"] = 1.into();
        }
        let start = self.version.map(|day| format!("2027-01-0{day}T00:00:00Z"));
        let wrapped =
            start.map(|start| json!({"payload": account, "task_params": {"schedule_window_start": start}}));
        format!("{}\n", wrapped.unwrap_or(account)).into()
    }

    fn window(&self) -> Option<DateTime<Utc>> {
        self.version.map(|day| format!("2027-01-0{day}T00:00:00Z").parse().unwrap())
    }
}

/// Sends lines of a seed; returns what is wrong afterwards: of each account the last line that was not refused is stored,
/// and it counts as refused if its last line was.
async fn fault(seed: u64, order: Option<Order>) -> Option<String> {
    let (service, store, caller) = late_service();
    let mut dice = Dice::new(seed);
    *store.dice.lock().unwrap() = Dice::new(seed + 1);
    let sent: Vec<Sent> = (0..8 + dice.below(24)).map(|_| Sent::draw(seed, &mut dice)).collect();
    let chunks: Vec<_> = sent.iter().map(|line| Ok::<_, PayloadError>(line.text(&mut dice))).collect();
    let payload: Payload = Payload::Stream { payload: Box::pin(futures_util::stream::iter(chunks)) };
    let held = Held::new(service.inner.bodies.allowance.clone(), None);
    let source =
        Source::new(Some(payload), false, service.inner.body_limit, held, Duration::from_secs(3_600));
    let context = LineContext {
        service: service.inner.clone(),
        token: service.token(),
        request_id: None,
        validate_only: false,
    };
    let answers: Vec<_> = stream(Bulk::new(source, context, order)).map(Result::unwrap).collect().await;
    for (answer, line) in answers.concat().split(|byte| *byte == b'\n').zip(&sent) {
        let answer: Value = serde_json::from_slice(answer).unwrap();
        let expected = (line.number.as_str(), if line.is_faulty { 400 } else { 201 });
        let given = (answer["external_account_number"].as_str().unwrap(), answer["status"].as_u64().unwrap());
        assert_eq!(given, expected);
    }
    let last: BTreeMap<&str, &Sent> = sent.iter().map(|line| (line.number.as_str(), line)).collect();
    let (refused, _) = service.app.refused_creates(&caller, "ACME_ENERGY", "", 100).unwrap().unwrap();
    for (number, last) in last {
        let stored =
            read(&*service.store as &dyn Store, |tx| tx.process(1, &number.parse().unwrap())).unwrap();
        let stored = stored.map(|stored| stored.process.snapshot().window.start);
        let good = sent.iter().rfind(|line| line.number == number && !line.is_faulty);
        if stored != good.map(Sent::window) {
            return Some(format!("{number} begins {stored:?}"));
        }
        if refused.iter().any(|create| create.external_account_number == number) != last.is_faulty {
            return Some(format!("{number} counts as refused: {}", !last.is_faulty));
        }
    }
    None
}

#[actix_web::test]
async fn the_last_line_of_an_account_decides() {
    for seed in 0..40 {
        assert_eq!(fault(seed, Some(Order::default())).await, None, "{seed}");
    }
}

/// A planted bug.
#[actix_web::test]
async fn lines_that_do_not_wait_are_found() {
    let mut found = Vec::new();
    for seed in 0..40 {
        if fault(seed, None).await.is_some() {
            found.push(seed);
        }
    }
    println!("found with the seeds {found:?}");
    assert!(found.len() >= 5, "of 40 seeds only {found:?} found it");
}
