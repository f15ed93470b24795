//! Tests of the simulation: what is broken on purpose is found.

use crate::databases::Template;
use crate::planner::plan;
use crate::runs::run;
use cutover_app::port::{Store, StoreError, Tx, Verdict, WriteJob};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A store that says it has kept what it has not, one time of so many.
struct Forgetful {
    store: Arc<dyn Store>,
    writes: AtomicU64,
}

const OFTEN: u64 = 9;

impl Store for Forgetful {
    fn read(&self, job: &mut dyn FnMut(&mut dyn Tx) -> Result<(), StoreError>) -> Result<(), StoreError> {
        self.store.read(job)
    }

    fn write(&self, job: WriteJob) -> Result<(), StoreError> {
        let forgets = self.writes.fetch_add(1, Ordering::SeqCst) % OFTEN == OFTEN - 1;
        self.store.write(Box::new(move |tx| match job(tx) {
            Verdict::Commit if forgets => Verdict::Rollback,
            verdict => verdict,
        }))
    }

    fn ping(&self) -> Result<(), StoreError> {
        self.store.ping()
    }
}

/// The job tells that it commits, and its transaction is rolled back: as if a disk had lied.
#[test]
fn a_store_that_forgets_is_found() {
    let template = Template::sqlite();
    let forgetful = |store| Arc::new(Forgetful { store, writes: AtomicU64::new(0) }) as Arc<dyn Store>;
    let fails = |seed: &u64| {
        let database = template.open().with_stores(forgetful);
        !run(*seed, &plan(*seed), database).violations.is_empty()
    };
    let found = (0..10).filter(fails).count();
    assert!(found >= 5, "found in {found} of 10 runs");
}
