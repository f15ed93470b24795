//! Failure 9: nothing outside is asked inside a transaction of ours.

use crate::house::House;
use cutover_app::port::{JobGuard, StoreError, SuspendedJobs, read, write};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Failure 9: whoever asks the storage inside a job of the store panics in every test, whichever use case it
/// is.
#[test]
fn the_storage_is_not_asked_inside_a_job() {
    let house = House::new();
    let ask = || drop(house.app.documents().ready());
    ask();
    let app = house.app.clone();
    let written = write(&*house.store, move |_| {
        drop(app.documents().ready());
        Ok::<_, StoreError>(())
    });
    assert!(matches!(written, Err(StoreError::Failed(_))), "{written:?}");
    let reads = || {
        read(&*house.store, |_| {
            ask();
            Ok(())
        })
    };
    assert!(catch_unwind(AssertUnwindSafe(reads)).is_err());
    ask();
    let inside = JobGuard::enter();
    assert!(catch_unwind(AssertUnwindSafe(ask)).is_err());
    let others = SuspendedJobs::enter();
    ask();
    drop(others);
    assert!(catch_unwind(AssertUnwindSafe(ask)).is_err(), "the job goes on");
    drop(inside);
    ask();
}
