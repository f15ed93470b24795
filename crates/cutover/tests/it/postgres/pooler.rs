use super::listed;
use crate::after_import::additions;
use crate::harness::{ALL, House, items};
use crate::payloads::{billed, small};
use cutover_testkit_postgres::{PgBouncer, server};

/// A house whose database is behind a pooler that shares connections by transaction, and its URL without it.
fn pooled() -> Option<(PgBouncer, House, String)> {
    let mut house = House::on_server()?;
    let direct = house.on().url().to_owned();
    let pooler = PgBouncer::start(server()?.url()).unwrap()?;
    house.set_variable("CUTOVER_DATABASE_URL", &pooler.url_through(&direct).unwrap());
    Some((pooler, house, direct))
}

#[test]
fn everything_works_behind_one() {
    let Some((_pooler, mut house, direct)) = pooled() else { return };
    house.set_variable("CUTOVER_DATABASE_DIRECT_URL", &direct);
    let key = house.furnish();
    let api = house.serve_with(&["--role", "api"]);
    let _worker = house.serve_with(&["--role", "worker"]);
    let client = api.client(&key);
    let numbers: Vec<String> = (0..40).map(|i| format!("P-{i:02}")).collect();
    let accounts: Vec<_> = numbers.iter().map(|number| billed(number)).collect();
    std::thread::scope(|scope| {
        accounts.chunks(10).for_each(|chunk| {
            let client = client.clone();
            scope.spawn(move || client.import(chunk));
        });
    });
    let mut all = listed(&client, ALL);
    all.sort();
    assert_eq!(all, numbers);
    for (path, body) in additions("P-00") {
        assert_eq!(client.send_json(path, &body).status, 201, "{path}");
    }
    assert_eq!(house.account("P-00")["notes"].as_array().unwrap().len(), 1);
    assert_eq!(client.create(&small("P-00")).status, 400, "it is there already");
    house.done(&["supplier", "set", "ACME", "--max-concurrent-imports", "2"]);
    client.import(&[small("Q-1"), small("Q-2"), small("Q-3")]);
    assert_eq!(house.count("ACME", "PROCESSED"), 43);
    assert!(items(&house.done(&["migrate", "--status"])).iter().all(|m| m["state"] == "applied"));
    assert_eq!(house.ailments(), [""; 0]);
}

#[test]
fn one_that_nobody_told_of_is_noticed() {
    let Some((_pooler, house, _)) = pooled() else { return };
    let refused = house.refused(&["serve", "--listen", "127.0.0.1:0"]);
    assert!(refused.ends_with("behind a proxy, name PostgreSQL itself in database-direct-url"), "{refused}");
    let ailments = house.ailments().join("\n");
    assert!(ailments.contains("a proxy that shares connections"), "{ailments}");
}
