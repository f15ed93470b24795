use crate::env::TestEnv;
use chrono::{Days, Duration};
use cutover_app::operator::{Archive, ArchiveError, ArchiveScope, Archived, ArchivedProcess, OperatorError};
use cutover_app::port::Clock;
use cutover_process::State;
use cutover_testkit::create_account;
use std::io;

/// An archive in memory.
struct Lines<F> {
    numbers: Vec<String>,
    payloads: Vec<Vec<u8>>,
    sync: F,
}

impl<F: FnMut() -> io::Result<()>> Lines<F> {
    fn new(sync: F) -> Self {
        Self { numbers: Vec::new(), payloads: Vec::new(), sync }
    }
}

impl<F: FnMut() -> io::Result<()>> Archive for Lines<F> {
    fn append(&mut self, archived: &ArchivedProcess) -> io::Result<()> {
        self.numbers.push(archived.process.snapshot().external_account_number.to_string());
        self.payloads.push(archived.payload.clone());
        assert!(!archived.history.is_empty());
        Ok(())
    }

    fn sync(&mut self) -> io::Result<()> {
        (self.sync)()
    }
}

fn body(number: &str) -> String {
    format!(
        r#"{{"import_supplier":"ACME","external_account_number":"{number}","customers":[{{"family_name":"B"}}]}}"#
    )
}

fn create(env: &TestEnv, number: &str) {
    create_account(&env.app, &env.caller, None, body(number).as_bytes()).unwrap();
}

/// Creates an environment with `count` accounts `A-1`, `A-2`, …, cancelled a day ago.
fn with_cancelled(count: usize) -> TestEnv {
    let env = TestEnv::new();
    for i in 1..=count {
        create(&env, &format!("A-{i}"));
        env.app.as_command().cancel_process("ACME", &format!("A-{i}")).unwrap();
    }
    env.clock.advance(Duration::days(1));
    env
}

/// The scope of processes that last changed before today.
fn before_today(env: &TestEnv) -> ArchiveScope {
    ArchiveScope { before: env.clock.now().date_naive(), supplier: None, limit: None }
}

#[test]
fn ended_processes_are_archived_in_batches_up_to_a_limit() {
    let env = with_cancelled(230);
    create(&env, "PENDING");
    let (all, some) = (before_today(&env), ArchiveScope { limit: Some(205), ..before_today(&env) });
    assert_eq!(env.app.as_command().count_archivable(&all).unwrap(), 230);
    assert_eq!(env.app.as_command().count_archivable(&some).unwrap(), 205);
    let mut syncs = 0;
    let mut lines = Lines::new(|| {
        syncs += 1;
        Ok(())
    });
    let done = env.app.as_command().archive_processes(&some, &mut lines).unwrap();
    assert_eq!(done, Archived { archived: 205, stayed: 0 });
    let done = env.app.as_command().archive_processes(&all, &mut lines).unwrap();
    assert_eq!(done, Archived { archived: 25, stayed: 0 });
    assert_eq!(lines.numbers, (1..=230).map(|i| format!("A-{i}")).collect::<Vec<_>>());
    assert_eq!(lines.payloads[229], body("A-230").as_bytes());
    assert_eq!(syncs, 4);
    assert_eq!(env.app.as_command().count_archivable(&all).unwrap(), 0);
}

#[test]
fn an_archive_run_is_limited_to_days_and_suppliers() {
    let env = with_cancelled(1);
    let today = before_today(&env);
    let count = |scope: &ArchiveScope| env.app.as_command().count_archivable(scope);
    assert_eq!(count(&ArchiveScope { before: today.before - Days::new(1), ..today.clone() }).unwrap(), 0);
    assert_eq!(count(&ArchiveScope { limit: Some(0), ..today.clone() }).unwrap(), 0);
    assert_eq!(count(&ArchiveScope { supplier: Some("ACME".into()), ..today.clone() }).unwrap(), 1);
    let nobody = count(&ArchiveScope { supplier: Some("NOBODY".into()), ..today });
    assert!(matches!(nobody, Err(OperatorError::NotFound { .. })));
}

#[test]
fn nothing_leaves_the_database_before_the_archive_is_durable() {
    let env = with_cancelled(1);
    let mut lines = Lines::new(|| Err(io::Error::other("the disk is full")));
    let failed = env.app.as_command().archive_processes(&before_today(&env), &mut lines);
    assert!(matches!(failed, Err(ArchiveError::Archive(_))));
    let report = env.report();
    assert_eq!((report.archived_at, report.history.len()), (None, 2));
    assert_eq!(env.app.as_command().count_archivable(&before_today(&env)).unwrap(), 1);
}

#[test]
fn processes_that_change_concurrently_are_not_archived() {
    let env = with_cancelled(2);
    let mut lines = Lines::new(|| {
        env.app.as_command().retry_process("ACME", "A-1").unwrap();
        Ok(())
    });
    let done = env.app.as_command().archive_processes(&before_today(&env), &mut lines).unwrap();
    assert_eq!(done, Archived { archived: 1, stayed: 1 });
    env.worker.run_once().unwrap();
    let report = env.report();
    assert_eq!((report.status.status, report.archived_at), (State::Processed, None));
    assert_eq!(report.history.len(), 5);
}

#[test]
fn archived_payloads_have_to_be_sent_again() {
    let env = with_cancelled(1);
    env.app.as_command().archive_processes(&before_today(&env), &mut Lines::new(|| Ok(()))).unwrap();
    let report = env.report();
    assert_eq!((report.archived_at, report.history), (Some(env.clock.now()), vec![]));
    let refused = env.app.as_command().retry_process("ACME", "A-1").unwrap_err().to_string();
    let today = env.clock.now().date_naive();
    assert_eq!(refused, format!("its payload was archived on {today}: send it again"));
    assert_eq!(env.report().status.status, State::Cancelled);

    create(&env, "A-1");
    env.worker.run_once().unwrap();
    let report = env.report();
    assert_eq!((report.status.status, report.archived_at), (State::Processed, None));
    assert_eq!(report.history.len(), 3);
}

#[test]
fn an_archived_import_stays_imported() {
    let env = TestEnv::with(r#""customers":[{"family_name":"B"}]"#);
    let imported = env.imported();
    env.clock.advance(Duration::days(1));
    env.app.as_command().archive_processes(&before_today(&env), &mut Lines::new(|| Ok(()))).unwrap();
    assert!(env.report().archived_at.is_some());
    assert_eq!(env.imported(), imported);
    let again = create_account(&env.app, &env.caller, None, body("A-1").as_bytes());
    assert_eq!(again.unwrap_err().to_string(), "the account has been imported already");
}
