//! Failure 9: no external service is called inside a transaction.

use crate::env::TestEnv;
use cutover_app::port::{JobGuard, StoreError, SuspendedJobs, read, write};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Failure 9: in tests, a call of the storage inside a job of the store panics.
#[test]
fn the_storage_is_not_called_inside_a_job() {
    let env = TestEnv::new();
    let ask = || drop(env.app.documents().ready());
    ask();
    let app = env.app.clone();
    let written = write(&*env.store, move |_| {
        drop(app.documents().ready());
        Ok::<_, StoreError>(())
    });
    assert!(matches!(written, Err(StoreError::Failed(_))), "{written:?}");
    let reads = || {
        read(&*env.store, |_| {
            ask();
            Ok(())
        })
    };
    assert!(catch_unwind(AssertUnwindSafe(reads)).is_err());
    ask();
    let guard = JobGuard::enter();
    assert!(catch_unwind(AssertUnwindSafe(ask)).is_err());
    let suspended = SuspendedJobs::enter();
    ask();
    drop(suspended);
    assert!(catch_unwind(AssertUnwindSafe(ask)).is_err(), "the job continues");
    drop(guard);
    ask();
}
