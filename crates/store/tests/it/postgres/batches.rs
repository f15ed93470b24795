//! Imports that are written together, on a database that cancels what takes long.

use super::house::House;
use cutover_app::worker::{Worked, Worker};
use cutover_core::Word;
use cutover_process::{EventKind, State};
use cutover_store::PostgresOptions;
use cutover_testkit::create_account;
use std::sync::Arc;
use std::time::Duration;

/// Has a statement that writes more than one account take longer than any statement may.
const SLOW: &str = "CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS \
    $$BEGIN IF (SELECT count(*) FROM written) > 1 THEN PERFORM pg_sleep(60); END IF; RETURN NULL; END$$; \
    CREATE TRIGGER slow AFTER INSERT ON accounts REFERENCING NEW TABLE AS written \
    FOR EACH STATEMENT EXECUTE FUNCTION slow()";

/// Given a statement that takes too long for accounts that pass alone, then none of them loses an attempt.
#[test]
fn accounts_that_pass_alone_are_imported_at_their_first_attempt() {
    let Some(house) = House::with(|url| PostgresOptions {
        statement_timeout: Duration::from_millis(200),
        ..PostgresOptions::new(url)
    }) else {
        return;
    };
    let numbers: Vec<String> = (0..16).map(|n| format!("A-{n}")).collect();
    for number in &numbers {
        let body = format!(
            r#"{{"import_supplier":"ACME","external_account_number":"{number}","unknown_occupier":true}}"#
        );
        let created = create_account(&house.app, &house.caller, None, body.as_bytes());
        created.unwrap();
    }
    house.database.sql(SLOW).unwrap();
    let worker = Worker::new(house.app.clone(), "w1".into(), Arc::default(), Arc::default());
    assert_eq!(worker.run_once(), Ok(Worked::Processes(16)));
    for number in numbers {
        let report = house.app.show_process("ACME", &number).unwrap();
        assert_eq!((report.status.status, report.attempt), (State::Processed, 1), "{number}");
        let steps: Vec<_> = report.history.iter().map(|entry| entry.event.clone()).collect();
        assert_eq!(
            steps,
            [EventKind::Created, EventKind::Claimed, EventKind::Imported].map(Word::from),
            "{number}"
        );
    }
}
