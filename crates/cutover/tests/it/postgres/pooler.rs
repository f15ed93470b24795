use super::listed;
use crate::after_import::additions;
use crate::harness::{ALL, Installation, items};
use crate::payloads::{billed, small};
use cutover_testkit_postgres::{PgBouncer, server};

/// An installation behind a pooler that shares connections by transaction, and the direct URL of its
/// database.
fn pooled() -> Option<(PgBouncer, Installation, String)> {
    let mut installation = Installation::on_postgres()?;
    let direct = installation.test_database().url().to_owned();
    let pooler = PgBouncer::start(server()?.url()).unwrap()?;
    installation.set_variable("CUTOVER_DATABASE_URL", &pooler.url_through(&direct).unwrap());
    Some((pooler, installation, direct))
}

#[test]
fn everything_works_behind_a_pooler() {
    let Some((_pooler, mut installation, direct)) = pooled() else { return };
    installation.set_variable("CUTOVER_DATABASE_DIRECT_URL", &direct);
    let key = installation.add_supplier();
    let api = installation.serve_with(&["--role", "api"]);
    let _worker = installation.serve_with(&["--role", "worker"]);
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
    assert_eq!(installation.account("P-00")["notes"].as_array().unwrap().len(), 1);
    assert_eq!(client.create(&small("P-00")).status, 400, "it is there already");
    installation.run_json(&["supplier", "set", "ACME", "--max-concurrent-imports", "2"]);
    client.import(&[small("Q-1"), small("Q-2"), small("Q-3")]);
    assert_eq!(installation.count("ACME", "PROCESSED"), 43);
    assert!(items(&installation.run_json(&["migrate", "--status"])).iter().all(|m| m["state"] == "applied"));
    assert_eq!(installation.failed_checks(), [""; 0]);
}

#[test]
fn an_account_without_notification_is_found() {
    let Some((_pooler, installation, _)) = pooled() else { return };
    let refused = installation.run_refused(&["serve", "--listen", "127.0.0.1:0"]);
    assert!(refused.ends_with("behind a proxy, name PostgreSQL itself in database-direct-url"), "{refused}");
    let failed_checks = installation.failed_checks().join("\n");
    assert!(failed_checks.contains("a proxy that shares connections"), "{failed_checks}");
}
