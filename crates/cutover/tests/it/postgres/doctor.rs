use crate::harness::{Installation, items, text};
use serde_json::Value;

/// The findings on the database that any server gives.
#[test]
fn the_doctor_checks_the_database() {
    let Some(installation) = Installation::on_postgres() else { return };
    let output = installation.run(&["doctor", "--json"]);
    let diagnosis: Value = serde_json::from_slice(&output.stdout).unwrap();
    let line = |check: &Value| {
        format!("{} {}: {}", text(&check["result"]), text(&check["check"]), text(&check["detail"]))
    };
    let lines: Vec<String> = items(&diagnosis["checks"]).iter().map(line).collect();
    assert!(
        lines.iter().any(|line| line.starts_with("ok connections: a server process uses up to 18 of ")),
        "{lines:?}"
    );
    let about = ["database: ", "migrations: ", "sessions: ", "timeouts: ", "autovacuum: ", "vendors: "];
    let about = lines.into_iter().filter(|line| about.iter().any(|name| line.contains(name)));
    let (version, place) = (installation.sql("SHOW server_version"), installation.test_database().url());
    let place = place.split_once('@').map_or(place, |(_, place)| place).split('?').next().unwrap();
    let migration = installation.sql("SELECT max(version) FROM __diesel_schema_migrations");
    let migration = format!("the last is {migration}");
    let named = |line: String| {
        line.replace(&version, "VERSION").replace(place, "PLACE").replace(&migration, "the last is LAST")
    };
    let about: Vec<String> = about.map(named).collect();
    insta::assert_snapshot!(about.join("\n"));
}
