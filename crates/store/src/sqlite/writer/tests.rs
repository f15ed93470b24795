use super::*;
use crate::context::Context;
use crate::sqlite::migrations;
use crate::sqlite::testing::{self, add_supplier, at, texts};
use chrono::{DateTime, Utc};
use cutover_app::port::{Staged, StoredIssues, Tx};
use cutover_process::{Actor, NewProcess, Submission};
use cutover_testkit_machine::{STALLED, wait_until};
use diesel::connection::InstrumentationEvent;
use diesel::prelude::*;
use std::path::Path;
use std::sync::mpsc::Receiver;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

fn target(folder: &Path) -> Target {
    Target { busy_timeout: Duration::from_millis(100), ..testing::target(&folder.join("cutover.db")) }
}

/// Migrates a database and returns a connection that writes to it.
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

/// Records the statements that control transactions.
fn recorded(conn: &mut Conn) -> Arc<Mutex<Vec<String>>> {
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

/// Runs all waiting requests.
fn run_all(folder: &Path, conn: Conn, queue: Arc<BatchQueue<Request>>) {
    queue.close();
    WriterThread::new(target(folder), conn, Arc::<Context>::default(), queue).work();
}

/// Runs jobs that all wait when the writer begins. Returns their results and the statements that control
/// transactions.
fn work(folder: &Path, mut conn: Conn, jobs: Vec<WriteJob>) -> (Vec<JobResult>, Vec<String>) {
    let seen = recorded(&mut conn);
    let queue = Arc::new(BatchQueue::new(QUEUE));
    let answers: Vec<_> = jobs.into_iter().map(|job| submit(&queue, job)).collect();
    run_all(folder, conn, queue);
    let statements = seen.lock().unwrap().clone();
    (answers.into_iter().map(|answered| answered.recv().unwrap()).collect(), statements)
}

fn submit(queue: &BatchQueue<Request>, job: WriteJob) -> Receiver<JobResult> {
    let (answer, answered) = sync_channel(1);
    let done = Box::new(move |result| answer.send(result).unwrap());
    assert!(queue.push(Request::Job { job, done }).is_ok());
    answered
}

/// Queues an account of the supplier `A` at this revision.
fn stage_as(
    queue: &BatchQueue<Request>,
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
        contract: None,
        mark: None,
        supplier_revision: revision,
        process,
        actor: Actor::System,
        at: at(0),
        staged: Staged { payload: account.into(), fingerprint: [0; 32], ..Staged::default() },
        issues: StoredIssues::default(),
    };
    let (answer, answered) = sync_channel(1);
    let done = Box::new(move |result| answer.send(result).unwrap());
    let request = Request::Account { creation: Arc::new(creation), done, was_lost: false };
    assert!(queue.push(request).is_ok());
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
fn jobs_that_wait_are_committed_at_once() {
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

/// They need no savepoint, and their supplier is read once.
#[test]
fn accounts_that_wait_are_committed_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let mut conn = database(folder.path());
    add_supplier(&mut conn);
    let seen = recorded(&mut conn);
    let queue = Arc::new(BatchQueue::new(QUEUE));
    let results = ["1", "2", "1", "3"].map(|account| stage_as(&queue, account, 0));
    run_all(folder.path(), conn, queue);
    let results = results.map(|result| result.recv().unwrap().unwrap());
    assert_eq!(results, [Staging::Staged, Staging::Staged, Staging::Exists, Staging::Staged]);
    assert_eq!(*seen.lock().unwrap(), ["BEGIN IMMEDIATE", "COMMIT"]);
    assert_eq!(stored(folder.path()), ["1", "2", "3"]);
}

/// Makes the database refuse an account unexpectedly, after a part of it was written.
const REFUSAL: &str = "CREATE TRIGGER refusal BEFORE INSERT ON payloads WHEN NEW.payload = CAST('bad' AS BLOB) \
    BEGIN SELECT RAISE(ABORT, 'on purpose'); END;";

/// Returns the stored accounts and checks that each is stored completely.
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
fn an_account_that_fails_does_not_fail_the_others() {
    let folder = tempfile::tempdir().unwrap();
    let mut conn = database(folder.path());
    add_supplier(&mut conn);
    conn.batch_execute(REFUSAL).unwrap();
    let queue = Arc::new(BatchQueue::new(QUEUE));
    let results = ["1", "bad", "2"].map(|account| stage_as(&queue, account, 0));
    run_all(folder.path(), conn, queue);
    let [first, bad, second] = results.map(|result| result.recv().unwrap());
    assert_eq!([first, second], [Ok(Staging::Staged), Ok(Staging::Staged)]);
    assert!(matches!(&bad, Err(StoreError::Failed(why)) if why.contains("on purpose")), "{bad:?}");
    assert_eq!(stored(folder.path()), ["1", "2"]);
}

/// The job was undone with the account, so its caller has to try again.
#[test]
fn a_job_in_the_group_of_a_failed_account_is_unavailable() {
    let folder = tempfile::tempdir().unwrap();
    let mut conn = database(folder.path());
    add_supplier(&mut conn);
    conn.batch_execute(REFUSAL).unwrap();
    let queue = Arc::new(BatchQueue::new(QUEUE));
    let job = submit(&queue, add("A"));
    let bad = stage_as(&queue, "bad", 0);
    run_all(folder.path(), conn, queue);
    assert!(matches!(job.recv().unwrap(), Err(StoreError::Unavailable(_))));
    assert!(bad.recv().unwrap().is_err());
    assert_eq!(organisations(folder.path()), ["R"]);
}

#[test]
fn a_supplier_that_a_job_changes_is_read_again() {
    let folder = tempfile::tempdir().unwrap();
    let mut conn = database(folder.path());
    add_supplier(&mut conn);
    let queue = Arc::new(BatchQueue::new(QUEUE));
    let change: WriteJob = Box::new(|tx| {
        let supplier = tx.supplier_by_id(1).unwrap().unwrap();
        tx.set_supplier(1, &supplier.settings).unwrap();
        Verdict::Commit
    });
    let before = stage_as(&queue, "1", 0);
    let changed = submit(&queue, change);
    let (late, after) = (stage_as(&queue, "2", 0), stage_as(&queue, "3", 1));
    run_all(folder.path(), conn, queue);
    assert_eq!(changed.recv().unwrap(), Ok(()));
    let results = [before, late, after].map(|result| result.recv().unwrap().unwrap());
    assert_eq!(results, [Staging::Staged, Staging::SupplierChanged, Staging::Staged]);
}

#[test]
fn accounts_wait_for_others_in_flight() {
    let folder = tempfile::tempdir().unwrap();
    let mut conn = database(folder.path());
    add_supplier(&mut conn);
    let seen = recorded(&mut conn);
    let queue = Arc::new(BatchQueue::new(QUEUE));
    let mut thread = WriterThread::new(target(folder.path()), conn, Arc::<Context>::default(), queue.clone());
    // Eight were in flight together, so it waits for four.
    thread.in_flight = 8;
    thread.delay = GroupDelay { next: STALLED, all: STALLED };
    let first = stage_as(&queue, "1", 0);
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| thread.group(queue.pop().unwrap()));
        while !queue.is_waited_for() && !writer.is_finished() {
            std::thread::yield_now();
        }
        let others = ["2", "3", "4"].map(|account| stage_as(&queue, account, 0));
        writer.join().unwrap();
        assert_eq!(first.recv().unwrap(), Ok(Staging::Staged));
        let results = others.map(|other| other.try_recv());
        let commits = seen.lock().unwrap().iter().filter(|sql| *sql == "COMMIT").count();
        assert_eq!((results, commits), ([const { Ok(Ok(Staging::Staged)) }; 3], 1));
    });
}

#[test]
fn the_size_of_a_group_is_limited() {
    let folder = tempfile::tempdir().unwrap();
    let conn = database(folder.path());
    let jobs = (0..GROUP + 1).map(|i| add(format!("{i}").leak())).collect();
    let (answers, statements) = work(folder.path(), conn, jobs);
    assert!(answers.iter().all(Result::is_ok));
    assert_eq!(statements.iter().filter(|sql| *sql == "COMMIT").count(), 2);
}

#[test]
fn a_job_is_undone_without_the_others() {
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

/// Only the commit notices that the row refers to nothing.
const FAILING_COMMIT: &str = "CREATE TABLE fates (id INTEGER PRIMARY KEY); \
    CREATE TABLE doomed (fate INTEGER REFERENCES fates (id) DEFERRABLE INITIALLY DEFERRED); \
    CREATE TRIGGER doom AFTER INSERT ON organisations WHEN NEW.name = 'Doom' \
    BEGIN INSERT INTO doomed VALUES (1); END;";

#[test]
fn if_the_commit_fails_all_jobs_fail() {
    let folder = tempfile::tempdir().unwrap();
    let mut conn = database(folder.path());
    conn.batch_execute(FAILING_COMMIT).unwrap();
    let seen = Arc::new(Mutex::new(None));
    let log = seen.clone();
    let looks = Box::new(move |tx: &mut dyn Tx| {
        *log.lock().unwrap() = Some(tx.organisation("A").map(|organisation| organisation.is_some()));
        Verdict::Rollback
    });
    let (answers, _) = work(folder.path(), conn, vec![add("A"), looks, add("Doom")]);
    assert!(answers.iter().all(|a| matches!(a, Err(StoreError::Unavailable(_)))), "{answers:?}");
    // The job that only reads saw a row that was not kept, so it fails too.
    assert_eq!(*seen.lock().unwrap(), Some(Ok(true)));
    assert_eq!(organisations(folder.path()), [""; 0]);
}

#[test]
fn a_full_disk_is_a_temporary_error() {
    let folder = tempfile::tempdir().unwrap();
    let mut conn = database(folder.path());
    // The connection's limit stands in for that of the disk. A new connection has none.
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
    let full = StoreError::Unwritable("database or disk is full".into());
    assert_eq!(writer.write(large), Err(full.clone()));
    // A later statement of the same job would be committed on its own, so it is not run.
    assert_eq!(*seen.lock().unwrap(), [Err(full.clone()), Err(full)]);
    assert_eq!(writer.write(add("B")), Ok(()));
    assert_eq!(organisations(folder.path()), ["B"]);
}

#[test]
fn a_write_waits_for_a_lock_of_another_process() {
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

/// Otherwise a process that begins its next transaction at once would keep others waiting.
#[test]
fn a_write_that_waits_comes_before_the_next_one_of_another_process() {
    let folder = tempfile::tempdir().unwrap();
    let target = Target { busy_timeout: STALLED, ..target(folder.path()) };
    let writer = Writer::start(target.clone(), database(folder.path()), Arc::<Context>::default()).unwrap();
    let (mut other, turn) = (target.connect(Role::Writer).unwrap(), Turn::new(&target));
    let (answer, answered) = sync_channel(1);
    turn.begin(&mut other).unwrap();
    writer.submit(add("A"), Box::new(move |result| drop(answer.send(result))));
    wait_until("the writer waits for the lock", || turn.is_taken());
    other.batch_execute("COMMIT").unwrap();
    turn.begin(&mut other).unwrap();
    assert_eq!(texts(&mut other, "SELECT name AS found FROM organisations"), ["A"]);
    other.batch_execute("COMMIT").unwrap();
    assert_eq!(answered.recv(), Ok(Ok(())));
}

/// An erasure empties the log.
#[test]
fn writes_go_on_while_the_log_cannot_be_emptied() {
    let folder = tempfile::tempdir().unwrap();
    let target = Target { busy_timeout: STALLED, ..target(folder.path()) };
    let writer = Writer::start(target.clone(), database(folder.path()), Arc::<Context>::default()).unwrap();
    assert_eq!(writer.write(add("A")), Ok(()));
    let mut reader = target.connect(Role::Reader).unwrap();
    reader.batch_execute("BEGIN; SELECT count(*) FROM organisations").unwrap();
    assert_eq!(writer.write(add("B")), Ok(()));
    std::thread::scope(|scope| {
        let emptied = scope.spawn(|| crate::sqlite::wal::empty(&target, STALLED).unwrap());
        let turn = Turn::new(&target);
        wait_until("the log is being emptied", || turn.is_taken());
        assert_eq!(writer.write(add("C")), Ok(()));
        assert!(!emptied.is_finished());
        reader.batch_execute("ROLLBACK").unwrap();
        assert!(emptied.join().unwrap());
    });
    assert_eq!(std::fs::metadata(folder.path().join("cutover.db-wal")).unwrap().len(), 0);
}

#[test]
fn without_the_file_of_turns_writes_wait_for_the_lock_alone() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("cutover.db-turn")).unwrap();
    let writer = Writer::start(target(folder.path()), database(folder.path()), Arc::<Context>::default());
    assert_eq!(writer.unwrap().write(add("A")), Ok(()));
    assert_eq!(organisations(folder.path()), ["A"]);
}

#[test]
fn accepted_jobs_are_finished_before_the_end() {
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
    assert!(log() > target.wal_limit, "a reader holds the log: {}", log());
    reader.batch_execute("ROLLBACK").unwrap();
    write(40, 80);
    // It was emptied when it had grown by the limit again.
    assert!(log() <= target.wal_limit, "{}", log());
}
