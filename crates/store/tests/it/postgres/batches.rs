//! Batches of imports on a database that cancels long statements.

use super::environment::TestEnvironment;
use cutover_app::worker::{Worked, Worker};
use cutover_core::Word;
use cutover_process::{EventKind, State};
use std::sync::Arc;

/// Cancels a statement that writes more than one account, as the server does after the timeout.
const SLOW: &str = "CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS \
    $$BEGIN IF (SELECT count(*) FROM written) > 1 THEN \
    RAISE query_canceled USING MESSAGE = 'canceling statement due to statement timeout'; \
    END IF; RETURN NULL; END$$; \
    CREATE TRIGGER slow AFTER INSERT ON accounts REFERENCING NEW TABLE AS written \
    FOR EACH STATEMENT EXECUTE FUNCTION slow()";

/// Given a statement that takes too long for a batch but not for a single account, then no account loses an
/// attempt.
#[test]
fn accounts_that_succeed_alone_are_imported_at_their_first_attempt() {
    let Some(env) = TestEnvironment::new() else { return };
    let numbers: Vec<String> = (0..16).map(|n| format!("A-{n}")).collect();
    for number in &numbers {
        env.create(number);
    }
    env.database.sql(SLOW).unwrap();
    let worker = Worker::new(env.app.clone(), "w1".into(), Arc::default(), Arc::default());
    assert_eq!(worker.run_once(), Ok(Worked::Processes(16)));
    for number in numbers {
        let report = env.app.as_command().show_process("ACME", &number).unwrap();
        assert_eq!((report.status.status, report.attempt), (State::Processed, 1), "{number}");
        let steps: Vec<_> = report.history.iter().map(|entry| entry.event.clone()).collect();
        assert_eq!(
            steps,
            [EventKind::Created, EventKind::Claimed, EventKind::Imported].map(Word::from),
            "{number}"
        );
    }
}
