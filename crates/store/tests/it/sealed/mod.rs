//! Encryption at rest on both databases.

mod environment;
mod reseal;
mod rows;

use cutover_app::port::Store;
use environment::{POSTGRES, SQLITE, sealer};

fn on_sqlite(test: fn(&dyn Store)) {
    SQLITE.with(|database| test(&*database.open(sealer(&["a"])).store()));
}

fn on_postgres(test: fn(&dyn Store)) {
    POSTGRES.with(|database| test(&*database.open(sealer(&["a"])).store()));
}

/// The store's contract suite, with keys.
mod contract {
    mod sqlite {
        cutover_testkit::store_suite!(super::super::on_sqlite);
    }

    mod postgres {
        cutover_testkit::store_suite!(super::super::on_postgres);
    }
}
