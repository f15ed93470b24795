//! What is encrypted at rest, on both databases.

mod ground;
mod reseal;
mod rows;

use cutover_app::port::Store;
use ground::{POSTGRES, SQLITE, sealer};

fn on_sqlite(story: fn(&dyn Store)) {
    SQLITE.with(|place| story(&*place.open(sealer(&["a"])).store()));
}

fn on_postgres(story: fn(&dyn Store)) {
    POSTGRES.with(|place| story(&*place.open(sealer(&["a"])).store()));
}

/// The store's contract, with keys.
mod contract {
    mod sqlite {
        cutover_testkit::store_suite!(super::super::on_sqlite);
    }

    mod postgres {
        cutover_testkit::store_suite!(super::super::on_postgres);
    }
}
