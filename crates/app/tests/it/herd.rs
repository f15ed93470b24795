//! Failure 6: many that failed together do not come back together.

use crate::house::House;
use crate::stand_ins::Hooked;
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

/// What the storage sees: whether it answers, and how often it was asked since it was last looked.
#[derive(Default)]
struct Storage {
    is_up: AtomicBool,
    asked: AtomicUsize,
}

/// A house with jobs that all wait, and each of which asks the storage.
fn house(storage: &Arc<Storage>) -> House {
    let documents = Arc::<Hooked>::default();
    let given = documents.clone();
    let house = House::on(|ports| Ports { documents: given, ..ports });
    let members = r#""unknown_occupier":true,"notes":[{"document_paths":[{"document_path":"a.pdf"}]}]"#;
    (0..JOBS).for_each(|n| house.create_as(&format!("A-{n}"), members));
    let change = SupplierChange { verify_documents: Some(true), ..SupplierChange::default() };
    house.app.set_supplier("ACME", change).unwrap();
    let storage = storage.clone();
    documents.on_look_up(move |_| {
        storage.asked.fetch_add(1, Ordering::SeqCst);
        let is_up = storage.is_up.load(Ordering::SeqCst);
        if is_up { Ok(()) } else { Err(DocumentsUnavailable("on purpose".into())) }
    });
    house
}

/// Failure 6: given 1,000 jobs and a storage that is down for a minute, then they part while they wait, no
/// wait is longer than the cap, and when it returns they come over half a minute and more.
#[test]
fn a_thousand_that_failed_together_come_back_one_by_one() {
    let storage = Arc::<Storage>::default();
    let house = house(&storage);
    let begun = house.clock.now();
    let mut asked = Vec::new();
    while house.clock.now() - begun < OUTAGE + BACKOFF_CAP {
        storage.is_up.store(house.clock.now() - begun >= OUTAGE, Ordering::SeqCst);
        while house.worker.run_once().unwrap() != Worked::Nothing {}
        asked.push(storage.asked.swap(0, Ordering::SeqCst));
        house.clock.advance(TICK);
    }
    assert_eq!(asked[0], JOBS, "all were due at once");
    // From the second attempt on they are apart: first within half a second, then ever further.
    let most_of = |ticks: &[usize]| ticks.iter().copied().max().unwrap();
    assert!(most_of(&asked[1..]) < JOBS / 3, "{:?}", &asked[..20]);
    let after = &asked[600..];
    assert_eq!(after.iter().sum::<usize>(), JOBS, "each is asked for once more, and found");
    let most = after.windows(10).map(|second| second.iter().sum::<usize>()).max().unwrap();
    assert!(most <= JOBS / 10, "{most} in a second");
    assert!(most_of(after) <= JOBS / 30, "{} in a tenth of a second", most_of(after));
    let processed = (0..JOBS).filter(|n| house.state_of(&format!("A-{n}")) == State::Processed).count();
    assert_eq!(processed, JOBS);
}
