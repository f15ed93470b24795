use super::*;
use crate::context::Context;
use crate::sqlite::migrations;
use crate::sqlite::testing::{add_supplier, at, found as texts};
use chrono::{DateTime, Utc};
use cutover_app::port::{Staged, StoredIssues, Tx};
use cutover_process::{Actor, NewProcess, Submission};
use diesel::connection::InstrumentationEvent;
use diesel::prelude::*;
use std::path::Path;
use std::sync::mpsc::Receiver;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

fn target(folder: &Path) -> Target {
    let path = folder.join("cutover.db");
    Target { path, busy_timeout: Duration::from_millis(100), wal_limit: 1 << 20 }
}

/// A migrated database, and a connection that writes to it.
fn database(folder: &Path) -> Conn {
    let mut conn = target(folder).connect(Role::Writer).unwrap();
    migrations::apply(&mut conn).unwrap();
    conn
}

fn add(name: &'static str) -> WriteJob {
    add_then(name, |_| Verdict::Commit)
}

fn add_then(name: &'static str, then: impl FnOnce(&mut dyn Tx) -> Verdict + Send + 'static) -> WriteJob {
    Box::new(move |tx| match tx.add_organisation(name, DateTime::<Utc>::UNIX_EPOCH) {
        Ok(Some(_)) => then(tx),
        Ok(None) | Err(_) => Verdict::Rollback,
    })
}

/// Has the writer's own statements noted.
fn watched(conn: &mut Conn) -> Arc<Mutex<Vec<String>>> {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let watch = seen.clone();
    conn.set_instrumentation(move |event: InstrumentationEvent<'_>| {
        if let InstrumentationEvent::StartQuery { query, .. } = event {
            let sql = query.to_string();
            if ["BEGIN", "COMMIT", "ROLLBACK", "SAVEPOINT", "RELEASE"]
                .iter()
                .any(|word| sql.starts_with(word))
            {
                watch.lock().unwrap().push(sql);
            }
        }
    });
    seen
}

/// Runs what waits, after which nothing comes.
fn work_off(folder: &Path, conn: Conn, arrivals: Arc<Arrivals<Request>>) {
    arrivals.close();
    Desk::new(target(folder), conn, Arc::<Context>::default(), arrivals).work();
}

/// What was answered to jobs that all wait when the writer begins, and the statements it ran by itself.
fn work(folder: &Path, mut conn: Conn, jobs: Vec<WriteJob>) -> (Vec<Answer>, Vec<String>) {
    let seen = watched(&mut conn);
    let arrivals = Arc::new(Arrivals::new(QUEUE));
    let answers: Vec<_> = jobs.into_iter().map(|job| submit(&arrivals, job)).collect();
    work_off(folder, conn, arrivals);
    let statements = seen.lock().unwrap().clone();
    (answers.into_iter().map(|answered| answered.recv().unwrap()).collect(), statements)
}

fn submit(arrivals: &Arrivals<Request>, job: WriteJob) -> Receiver<Answer> {
    let (answer, answered) = sync_channel(1);
    let done = Box::new(move |result| answer.send(result).unwrap());
    assert!(arrivals.push(Request::Job { job, done }).is_ok());
    answered
}

/// Has an account of the supplier `A` stored, as it is at this revision.
fn stage_as(
    arrivals: &Arrivals<Request>,
    account: &str,
    revision: i64,
) -> Receiver<Result<Staging, StoreError>> {
    let process = NewProcess {
        supplier: "A".parse().unwrap(),
        external_account_number: account.parse().unwrap(),
        submission: Submission::default(),
    };
    let creation = Creation {
        supplier_id: 1,
        supplier_revision: revision,
        process,
        actor: Actor::System,
        at: at(0),
        staged: Staged { payload: account.into(), fingerprint: [0; 32] },
        issues: StoredIssues::default(),
    };
    let (answer, answered) = sync_channel(1);
    let done = Box::new(move |result| answer.send(result).unwrap());
    let request = Request::Account { creation: Arc::new(creation), done, was_lost: false };
    assert!(arrivals.push(request).is_ok());
    answered
}

fn organisations(folder: &Path) -> Vec<String> {
    let mut conn = target(folder).connect(Role::Reader).unwrap();
    let context = Context::default();
    let mut tx = SqlTx::new(&mut conn, &context);
    let tx: &mut dyn Tx = &mut tx;
    tx.organisations().unwrap().into_iter().map(|organisation| organisation.name).collect()
}

#[test]
fn what_waits_is_committed_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let conn = database(folder.path());
    let (answers, statements) = work(folder.path(), conn, vec![add("A"), add("B"), add("C")]);
    assert_eq!(answers, [Ok(()), Ok(()), Ok(())]);
    assert_eq!(
        statements,
        ["BEGIN IMMEDIATE", "SAVEPOINT job", "RELEASE job", "SAVEPOINT job", "RELEASE job", "COMMIT",]
    );
    assert_eq!(organisations(folder.path()), ["A", "B", "C"]);
}

/// No savepoint for any of them, and one look at their supplier.
#[test]
fn accounts_that_wait_are_committed_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let mut conn = database(folder.path());
    add_supplier(&mut conn);
    let seen = watched(&mut conn);
    let arrivals = Arc::new(Arrivals::new(QUEUE));
    let told = ["1", "2", "1", "3"].map(|account| stage_as(&arrivals, account, 0));
    work_off(folder.path(), conn, arrivals);
    let told = told.map(|told| told.recv().unwrap().unwrap());
    assert_eq!(told, [Staging::Staged, Staging::Staged, Staging::Exists, Staging::Staged]);
    assert_eq!(*seen.lock().unwrap(), ["BEGIN IMMEDIATE", "COMMIT"]);
    assert_eq!(stored(folder.path()), ["1", "2", "3"]);
}

/// A refusal of the database that nobody expects, after a part of the account was written.
const REFUSAL: &str = "CREATE TRIGGER refusal BEFORE INSERT ON payloads WHEN NEW.payload = CAST('bad' AS BLOB) \
    BEGIN SELECT RAISE(ABORT, 'on purpose'); END;";

/// The accounts that are stored whole, and no others.
fn stored(folder: &Path) -> Vec<String> {
    let mut conn = target(folder).connect(Role::Reader).unwrap();
    let parts = ["processes", "payloads", "process_history"]
        .map(|table| texts(&mut conn, &format!("SELECT CAST(count(*) AS TEXT) AS found FROM {table}")).pop());
    let stored = texts(
        &mut conn,
        "SELECT external_account_number AS found FROM processes ORDER BY external_account_number",
    );
    assert_eq!(parts, [const { None::<String> }; 3].map(|_| Some(stored.len().to_string())));
    stored
}

#[test]
fn an_account_that_fails_does_so_alone() {
    let folder = tempfile::tempdir().unwrap();
    let mut conn = database(folder.path());
    add_supplier(&mut conn);
    conn.batch_execute(REFUSAL).unwrap();
    let arrivals = Arc::new(Arrivals::new(QUEUE));
    let told = ["1", "bad", "2"].map(|account| stage_as(&arrivals, account, 0));
    work_off(folder.path(), conn, arrivals);
    let [first, bad, second] = told.map(|told| told.recv().unwrap());
    assert_eq!([first, second], [Ok(Staging::Staged), Ok(Staging::Staged)]);
    assert!(matches!(&bad, Err(StoreError::Failed(why)) if why.contains("on purpose")), "{bad:?}");
    assert_eq!(stored(folder.path()), ["1", "2"]);
}

/// It was undone with the account, and whoever waits for it is to try again.
#[test]
fn a_job_beside_an_account_that_fails_is_told_to_come_again() {
    let folder = tempfile::tempdir().unwrap();
    let mut conn = database(folder.path());
    add_supplier(&mut conn);
    conn.batch_execute(REFUSAL).unwrap();
    let arrivals = Arc::new(Arrivals::new(QUEUE));
    let job = submit(&arrivals, add("A"));
    let bad = stage_as(&arrivals, "bad", 0);
    work_off(folder.path(), conn, arrivals);
    assert!(matches!(job.recv().unwrap(), Err(StoreError::Unavailable(_))));
    assert!(bad.recv().unwrap().is_err());
    assert_eq!(organisations(folder.path()), ["R"]);
}

#[test]
fn a_supplier_that_a_job_changes_is_looked_at_again() {
    let folder = tempfile::tempdir().unwrap();
    let mut conn = database(folder.path());
    add_supplier(&mut conn);
    let arrivals = Arc::new(Arrivals::new(QUEUE));
    let change: WriteJob = Box::new(|tx| {
        let supplier = tx.supplier_by_id(1).unwrap().unwrap();
        tx.set_supplier(1, &supplier.settings).unwrap();
        Verdict::Commit
    });
    let before = stage_as(&arrivals, "1", 0);
    let changed = submit(&arrivals, change);
    let (late, after) = (stage_as(&arrivals, "2", 0), stage_as(&arrivals, "3", 1));
    work_off(folder.path(), conn, arrivals);
    assert_eq!(changed.recv().unwrap(), Ok(()));
    let told = [before, late, after].map(|told| told.recv().unwrap().unwrap());
    assert_eq!(told, [Staging::Staged, Staging::SupplierChanged, Staging::Staged]);
}

#[test]
fn accounts_wait_for_others_that_are_on_their_way() {
    let folder = tempfile::tempdir().unwrap();
    let mut conn = database(folder.path());
    add_supplier(&mut conn);
    let seen = watched(&mut conn);
    let arrivals = Arc::new(Arrivals::new(QUEUE));
    let mut desk = Desk::new(target(folder.path()), conn, Arc::<Context>::default(), arrivals.clone());
    // Eight were on their way together: half as many are waited for.
    desk.crowd = 8;
    desk.patience = Patience { next: Duration::from_secs(60), all: Duration::from_secs(60) };
    let first = stage_as(&arrivals, "1", 0);
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| desk.group(arrivals.pop().unwrap()));
        while !arrivals.is_waited_for() && !writer.is_finished() {
            std::thread::yield_now();
        }
        let others = ["2", "3", "4"].map(|account| stage_as(&arrivals, account, 0));
        writer.join().unwrap();
        assert_eq!(first.recv().unwrap(), Ok(Staging::Staged));
        let told = others.map(|told| told.try_recv());
        let commits = seen.lock().unwrap().iter().filter(|sql| *sql == "COMMIT").count();
        assert_eq!((told, commits), ([const { Ok(Ok(Staging::Staged)) }; 3], 1));
    });
}

#[test]
fn a_group_is_bounded() {
    let folder = tempfile::tempdir().unwrap();
    let conn = database(folder.path());
    let jobs = (0..GROUP + 1).map(|i| add(format!("{i}").leak())).collect();
    let (answers, statements) = work(folder.path(), conn, jobs);
    assert!(answers.iter().all(Result::is_ok));
    assert_eq!(statements.iter().filter(|sql| *sql == "COMMIT").count(), 2);
}

#[test]
fn each_job_is_undone_alone() {
    let folder = tempfile::tempdir().unwrap();
    let conn = database(folder.path());
    let jobs = vec![
        add_then("first", |_| Verdict::Rollback),
        add("A"),
        add_then("undone", |_| Verdict::Rollback),
        add("B"),
        add_then("panics", |_| panic!("on purpose")),
        add("C"),
    ];
    let (answers, statements) = work(folder.path(), conn, jobs);
    let panicked = Err(StoreError::Failed("a job panicked".into()));
    assert_eq!(answers, [Ok(()), Ok(()), Ok(()), Ok(()), panicked, Ok(())]);
    assert_eq!(statements[..3], ["BEGIN IMMEDIATE", "ROLLBACK", "BEGIN IMMEDIATE"]);
    assert_eq!(statements.iter().filter(|sql| *sql == "COMMIT").count(), 1);
    assert_eq!(organisations(folder.path()), ["A", "B", "C"]);
}

/// A row that refers to nothing is noticed by the commit only.
const DOOM: &str = "CREATE TABLE fates (id INTEGER PRIMARY KEY); \
    CREATE TABLE doomed (fate INTEGER REFERENCES fates (id) DEFERRABLE INITIALLY DEFERRED); \
    CREATE TRIGGER doom AFTER INSERT ON organisations WHEN NEW.name = 'Doom' \
    BEGIN INSERT INTO doomed VALUES (1); END;";

#[test]
fn if_the_commit_fails_nobody_is_told_otherwise() {
    let folder = tempfile::tempdir().unwrap();
    let mut conn = database(folder.path());
    conn.batch_execute(DOOM).unwrap();
    let found = Arc::new(Mutex::new(None));
    let finding = found.clone();
    let looks = Box::new(move |tx: &mut dyn Tx| {
        *finding.lock().unwrap() = Some(tx.organisation("A").map(|found| found.is_some()));
        Verdict::Rollback
    });
    let (answers, _) = work(folder.path(), conn, vec![add("A"), looks, add("Doom")]);
    assert!(answers.iter().all(|a| matches!(a, Err(StoreError::Unavailable(_)))), "{answers:?}");
    // It saw what was not to be: so it was told that nothing it saw counts.
    assert_eq!(*found.lock().unwrap(), Some(Ok(true)));
    assert_eq!(organisations(folder.path()), [""; 0]);
}

#[test]
fn a_full_disk_is_an_error_that_passes() {
    let folder = tempfile::tempdir().unwrap();
    let mut conn = database(folder.path());
    // The connection's own bound stands for that of the disk; a new connection has none.
    conn.batch_execute("PRAGMA max_page_count = 100").unwrap();
    let seen = Arc::new(Mutex::new(Vec::new()));
    let log = seen.clone();
    let large = Box::new(move |tx: &mut dyn Tx| {
        let mut add = |name: &str| tx.add_organisation(name, DateTime::<Utc>::UNIX_EPOCH).map(|_| ());
        let results = [add(&"x".repeat(1 << 20)), add("after")];
        log.lock().unwrap().extend(results);
        Verdict::Commit
    });
    let writer = Writer::start(target(folder.path()), conn, Arc::<Context>::default()).unwrap();
    let full = StoreError::Unavailable("database or disk is full".into());
    assert_eq!(writer.write(large), Err(full.clone()));
    // What comes after it in the same job would stand alone: it is not run.
    assert_eq!(*seen.lock().unwrap(), [Err(full.clone()), Err(full)]);
    assert_eq!(writer.write(add("B")), Ok(()));
    assert_eq!(organisations(folder.path()), ["B"]);
}

#[test]
fn a_lock_of_another_process_is_waited_for_and_then_passes() {
    let folder = tempfile::tempdir().unwrap();
    let conn = database(folder.path());
    let mut other = target(folder.path()).connect(Role::Writer).unwrap();
    let writer = Writer::start(target(folder.path()), conn, Arc::<Context>::default()).unwrap();
    other.batch_execute("BEGIN IMMEDIATE").unwrap();
    let begun = Instant::now();
    assert_eq!(writer.write(add("A")), Err(StoreError::Busy("database is locked".into())));
    assert!(begun.elapsed() >= Duration::from_millis(100));
    other.batch_execute("COMMIT").unwrap();
    assert_eq!(writer.write(add("B")), Ok(()));
    assert_eq!(organisations(folder.path()), ["B"]);
}

#[test]
fn what_was_taken_is_finished_before_the_end() {
    let folder = tempfile::tempdir().unwrap();
    let writer =
        Writer::start(target(folder.path()), database(folder.path()), Arc::<Context>::default()).unwrap();
    let (answer, answered) = sync_channel(1);
    let (go, gone) = sync_channel::<()>(1);
    let waits = add_then("A", move |_| {
        gone.recv().unwrap();
        Verdict::Commit
    });
    writer.submit(waits, Box::new(move |result| drop(answer.send(result))));
    go.send(()).unwrap();
    drop(writer);
    assert_eq!(answered.recv(), Ok(Ok(())));
    assert_eq!(organisations(folder.path()), ["A"]);
}

#[test]
fn the_log_is_emptied_once_its_readers_have_gone() {
    let folder = tempfile::tempdir().unwrap();
    let target = Target { wal_limit: 200_000, ..target(folder.path()) };
    let writer = Writer::start(target.clone(), database(folder.path()), Arc::<Context>::default()).unwrap();
    let log = || std::fs::metadata(folder.path().join("cutover.db-wal")).unwrap().len();
    let write = |from: usize, to: usize| {
        for i in from..to {
            assert_eq!(writer.write(add(format!("{i}{}", "x".repeat(10_000)).leak())), Ok(()));
        }
    };
    let mut reader = target.connect(Role::Reader).unwrap();
    reader.batch_execute("BEGIN; SELECT count(*) FROM organisations").unwrap();
    write(0, 40);
    assert!(log() > target.wal_limit, "a reader holds on to the log: {}", log());
    reader.batch_execute("ROLLBACK").unwrap();
    write(40, 80);
    // Emptied when it had grown by the limit once more, and not far on from there.
    assert!(log() <= target.wal_limit, "{}", log());
}
