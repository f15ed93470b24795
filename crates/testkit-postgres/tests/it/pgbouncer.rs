use crate::fast;
use cutover_testkit_postgres::{PgBouncer, TestDatabase, server, sql};

#[test]
fn transactions_share_connections() {
    let Some(server) = server() else { return };
    let Some(pgbouncer) = PgBouncer::start(server.url()).unwrap() else { return };
    let database = TestDatabase::create(server).unwrap();
    let through = pgbouncer.url_through(database.url()).unwrap();
    let clients: Vec<_> = (0..12)
        .map(|_| {
            let through = through.clone();
            std::thread::spawn(move || sql(&through, "SELECT pg_backend_pid()").unwrap())
        })
        .collect();
    let backends: std::collections::BTreeSet<_> = clients.into_iter().map(|it| it.join().unwrap()).collect();
    assert!((1..=4).contains(&backends.len()), "{backends:?}");
}

#[test]
fn it_survives_a_crash_of_its_server() {
    let Some(mut cluster) = fast() else { return };
    let url = cluster.url("postgres");
    let Some(pgbouncer) = PgBouncer::start(&url).unwrap() else { return };
    let through = pgbouncer.url_through(&url).unwrap();
    assert_eq!(sql(&through, "SELECT 1").unwrap(), "1");
    cluster.stop_at_once().unwrap();
    cluster.start_again().unwrap();
    assert_eq!(sql(&through, "SELECT 2").unwrap(), "2");
}
