//! Failure 14: clocks that differ by an hour or ten days, and clocks that are set while the service runs. On
//! PostgreSQL every node uses the database's clock, and these tests set that one.

use crate::harness::{ACCOUNTS, Installation, text, wait_until};
use crate::payloads::small;
use chrono::{DateTime, Duration, Utc};
use cutover_app::fault::Point;

/// Shifts the database's clock by a number of seconds.
const CLOCK: &str = "CREATE TABLE skew (seconds BIGINT NOT NULL); INSERT INTO skew VALUES (0); \
    GRANT SELECT ON skew TO PUBLIC; \
    CREATE FUNCTION public.clock_timestamp() RETURNS TIMESTAMPTZ LANGUAGE SQL VOLATILE AS \
    $$SELECT pg_catalog.clock_timestamp() + (SELECT seconds FROM public.skew) * interval '1 second'$$";
const HOUR: i64 = 3_600;
const DAY: i64 = 24 * HOUR;

/// An installation on a database with a shifted clock; `None` without a server.
fn installation(seconds: i64) -> Option<(Installation, String)> {
    let installation = Installation::on_postgres()?;
    installation.sql(CLOCK);
    let database = installation.test_database().name().to_owned();
    installation.sql(&format!("ALTER DATABASE {database} SET search_path = public, pg_catalog"));
    set(&installation, seconds);
    let key = installation.add_supplier();
    Some((installation, key))
}

fn set(installation: &Installation, seconds: i64) {
    installation.sql(&format!("UPDATE skew SET seconds = {seconds}"));
}

/// The time of the first event of a kind in an account's history.
fn time_of(installation: &Installation, number: &str, event: &str) -> DateTime<Utc> {
    let shown = installation.show(number);
    let entry = shown["history"].as_array().unwrap().iter().find(|entry| entry["event"] == event);
    let time = text(&entry.unwrap_or_else(|| panic!("no {event}: {shown}"))["occurred_at"]);
    DateTime::parse_from_rfc3339(&time).unwrap().to_utc()
}

/// Failure 14: given nodes whose clocks are an hour or ten days off the database's, then every lease lasts
/// for its time.
#[test]
fn the_duration_of_leases_does_not_depend_on_machine_clocks() {
    std::thread::scope(|scope| {
        for seconds in [-10 * DAY, -HOUR, HOUR, 10 * DAY] {
            scope.spawn(move || lease_with(seconds));
        }
    });
}

fn lease_with(seconds: i64) {
    let Some((installation, key)) = installation(seconds) else { return };
    let (lost, held) = installation.serve_held(Point::ImportReady, "L-1", &[]);
    assert_eq!(lost.client(&key).create(&small("L-1")).status, 201);
    held.wait();
    let rescuer = installation.serve();
    lost.kill();
    let client = rescuer.client(&key);
    let status = client.wait("L-1", "PROCESSED");
    let lease = time_of(&installation, "L-1", "released") - time_of(&installation, "L-1", "claimed");
    // A busy machine may look for ended leases late, but not by the hour that the clocks differ.
    assert!(lease >= Duration::seconds(30) && lease < Duration::minutes(30), "{seconds}: {lease}");
    let [created, modified] = ["created_at", "modified_at"].map(|name| text(&status[name]));
    let [created, modified] = [created, modified].map(|time| DateTime::parse_from_rfc3339(&time).unwrap());
    assert!(modified >= created);
    let shown: i64 = installation
        .sql("SELECT extract(epoch FROM created_at - now())::BIGINT FROM processes")
        .parse()
        .unwrap();
    assert!((shown - seconds).abs() < 30 * 60, "it is the database's time: {shown}");
}

/// Failure 14: given a clock that is set forth and back by an hour while the service runs, then nothing is
/// modified before it was created, and tokens are valid for their time by that clock: a token that is not
/// valid yet is refused, and its client obtains another.
#[test]
fn a_clock_that_is_set_while_the_service_runs() {
    let Some((installation, key)) = installation(0) else { return };
    let server = installation.serve();
    let client = server.client(&key);
    client.import(&[small("S-1")]);
    let get = || client.get(&format!("{ACCOUNTS}ACME/S-1/")).status;
    set(&installation, 2 * HOUR);
    wait_until("the token has expired", || get() == 401);
    let ahead = server.client(&key);
    ahead.import(&[small("S-2")]);
    set(&installation, 0);
    wait_until("the clock is back", || get() == 200);
    assert_eq!(ahead.get(&format!("{ACCOUNTS}ACME/S-2/")).status, 401, "issued two hours ahead of now");
    let client = server.client(&key);
    assert_eq!(client.status("S-2")["status"], "PROCESSED");
    assert_eq!(client.create(&small("S-2")).status, 400, "it is imported");
    client.import(&[small("S-3")]);
    let earlier =
        "SELECT count(*) FROM processes WHERE modified_at < created_at OR latest_event_at < created_at";
    assert_eq!(installation.sql(earlier), "0");
    let due = "SELECT count(*) FROM processes WHERE state <> 'PROCESSED'";
    assert_eq!(installation.sql(due), "0");
}
