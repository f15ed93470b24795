//! Failure 6: accounts that failed together are not retried together.

use crate::env::TestEnv;
use crate::test_doubles::HookedDocuments;
use chrono::Duration;
use cutover_app::Ports;
use cutover_app::operator::SupplierChange;
use cutover_app::port::{Clock, DocumentsUnavailable};
use cutover_app::worker::Worked;
use cutover_process::{BACKOFF_CAP, State};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

const JOBS: usize = 1_000;
const OUTAGE: Duration = Duration::minutes(1);
const TICK: Duration = Duration::milliseconds(100);

/// A storage with its state and the number of lookups since the last reset.
#[derive(Default)]
struct Storage {
    is_up: AtomicBool,
    asked: AtomicUsize,
}

/// Creates an environment with pending accounts, each with a document.
fn env(storage: &Arc<Storage>) -> TestEnv {
    let documents = Arc::<HookedDocuments>::default();
    let given = documents.clone();
    let env = TestEnv::on(|ports| Ports { documents: given, ..ports });
    let members = r#""unknown_occupier":true,"notes":[{"document_paths":[{"document_path":"a.pdf"}]}]"#;
    (0..JOBS).for_each(|n| env.create_as(&format!("A-{n}"), members));
    let change = SupplierChange { verify_documents: Some(true), ..SupplierChange::default() };
    env.app.as_command().set_supplier("ACME", change).unwrap();
    let storage = storage.clone();
    documents.on_look_up(move |_| {
        storage.asked.fetch_add(1, Ordering::SeqCst);
        let is_up = storage.is_up.load(Ordering::SeqCst);
        if is_up { Ok(()) } else { Err(DocumentsUnavailable("injected by the test".into())) }
    });
    env
}

/// Failure 6: given 1,000 jobs and a storage that is down for a minute, then their retries spread, no wait
/// exceeds the cap, and after the outage they are retried over at least half a minute.
#[test]
fn a_thousand_that_failed_together_are_retried_apart() {
    let storage = Arc::<Storage>::default();
    let env = env(&storage);
    let begun = env.clock.now();
    let mut asked = Vec::new();
    while env.clock.now() - begun < OUTAGE + BACKOFF_CAP {
        storage.is_up.store(env.clock.now() - begun >= OUTAGE, Ordering::SeqCst);
        while env.worker.run_once().unwrap() != Worked::Nothing {}
        asked.push(storage.asked.swap(0, Ordering::SeqCst));
        env.clock.advance(TICK);
    }
    assert_eq!(asked[0], JOBS, "all were due at once");
    // From the second attempt on they spread, first over half a second and then further.
    let most_of = |ticks: &[usize]| ticks.iter().copied().max().unwrap();
    assert!(most_of(&asked[1..]) < JOBS / 3, "{:?}", &asked[..20]);
    let after = &asked[600..];
    assert_eq!(after.iter().sum::<usize>(), JOBS, "each document is looked up once more");
    let most = after.windows(10).map(|second| second.iter().sum::<usize>()).max().unwrap();
    assert!(most <= JOBS / 10, "{most} in a second");
    assert!(most_of(after) <= JOBS / 30, "{} in a tenth of a second", most_of(after));
    let processed = (0..JOBS).filter(|n| env.state_of(&format!("A-{n}")) == State::Processed).count();
    assert_eq!(processed, JOBS);
}
