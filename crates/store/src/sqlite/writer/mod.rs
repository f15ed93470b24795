use super::connection::{Role, Target};
use super::dialect::{Conn, reopening_error};
use super::queries::{SqlTx, store_error};
use super::turn::{Turn, no_wait};
use super::wal::Wal;
use crate::batch_queue::{BatchQueue, BatchThread, Refused};
use crate::context::Context;
use cutover_app::fault::{self, Point};
use cutover_app::port::{
    Creation, LastSupplier, Staging, StagingDone, StoreError, Verdict, WriteJob, stage_in,
};
use diesel::connection::SimpleConnection;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::sync_channel;
use std::time::{Duration, Instant};

/// Maximum number of waiting jobs. Callers are limited elsewhere; this is a second limit.
const QUEUE: usize = 1_024;
/// Maximum number of jobs in one commit.
const GROUP: usize = 64;
/// Accounts wait for half as many as were in flight the last time, as long as more arrive: a commit takes as
/// long as storing a dozen of them. The other half is received and checked meanwhile; waiting for all would
/// leave a processor idle.
const GROUP_DELAY: GroupDelay =
    GroupDelay { next: Duration::from_micros(500), all: Duration::from_millis(5) };

/// Maximum time for which accounts wait for others.
#[derive(Debug, Clone, Copy)]
struct GroupDelay {
    /// For the next account.
    next: Duration,
    /// For all of them.
    all: Duration,
}

type JobResult = Result<(), StoreError>;

/// Called with the result of a job.
pub(super) type Done = Box<dyn FnOnce(JobResult) + Send>;

/// A job or an account to be written, and the callback that is called once it is durable.
enum Request {
    /// A job, which can be run only once.
    Job { job: WriteJob, done: Done },
    /// A new account, which can be stored again if its transaction is lost.
    Account { creation: Arc<Creation>, done: StagingDone, was_lost: bool },
}

impl Request {
    fn refuse(self, error: StoreError) {
        match self {
            Self::Job { done, .. } => done(Err(error)),
            Self::Account { done, .. } => done(Err(error)),
        }
    }
}

/// A request that was run and waits for its transaction to be durable.
enum Waiting {
    Job {
        done: Done,
        result: JobResult,
    },
    Account {
        creation: Arc<Creation>,
        done: StagingDone,
        was_lost: bool,
        /// The result, if the transaction is not lost.
        staging: Result<Staging, StoreError>,
    },
}

impl Waiting {
    fn complete(self) {
        match self {
            Self::Job { done, result } => done(result),
            Self::Account { done, staging, .. } => done(staging),
        }
    }

    /// Handles the loss of the transaction: returns the request if it is to be tried again, otherwise reports
    /// the error.
    fn lose(self, error: &StoreError) -> Option<Request> {
        match self {
            Self::Account { creation, done, was_lost: false, .. } => {
                return Some(Request::Account { creation, done, was_lost: true });
            }
            Self::Account { done, .. } => done(Err(error.clone())),
            Self::Job { done, .. } => done(Err(error.clone())),
        }
        None
    }
}

/// Writes on its own thread and connection.
pub(super) struct Writer(BatchThread<Request>);

impl Writer {
    pub(super) fn start(target: Target, mut conn: Conn, context: Arc<Context>) -> std::io::Result<Self> {
        no_wait(&mut conn).map_err(std::io::Error::other)?;
        let work = move |queue| WriterThread::new(target, conn, context, queue).work();
        BatchThread::start("store-writer", QUEUE, work).map(Self)
    }

    /// Runs a job. Returns once it is durable, undone or failed.
    pub(super) fn write(&self, job: WriteJob) -> JobResult {
        let (done, result) = sync_channel(1);
        self.submit(job, Box::new(move |result| drop(done.send(result))));
        result.recv().unwrap_or_else(|_| Err(StoreError::Unavailable("the writer lost the write".into())))
    }

    /// Queues a job. Calls `done` once it is durable, undone or failed.
    pub(super) fn submit(&self, job: WriteJob, done: Done) {
        self.send(Request::Job { job, done });
    }

    /// Queues a new account. Calls `done` with its result. If the transaction is lost, the account is stored
    /// again: other callers may have been told by then that it exists.
    pub(super) fn stage(&self, creation: Arc<Creation>, done: StagingDone) {
        self.send(Request::Account { creation, done, was_lost: false });
    }

    fn send(&self, request: Request) {
        if let Err((request, why)) = self.0.push(request) {
            let why = match why {
                Refused::Full => "too many writes are waiting",
                Refused::Closed => "the writer has ended",
            };
            request.refuse(StoreError::Unavailable(why.into()));
        }
    }
}

/// The state of the writer's thread.
struct WriterThread {
    target: Target,
    /// `None` after a failure. Opened again when it is needed.
    conn: Option<Conn>,
    context: Arc<Context>,
    turn: Turn,
    wal: Wal,
    queue: Arc<BatchQueue<Request>>,
    /// Requests to be tried again, before those in the queue.
    lost: VecDeque<Request>,
    /// Number of requests that were in flight at the same time when last counted.
    in_flight: usize,
    delay: GroupDelay,
}

/// State of the transaction after a job.
enum Outcome {
    Kept,
    Undone(JobResult),
    /// The transaction is gone, with everything in it.
    Lost(StoreError),
}

/// One transaction.
#[derive(Default)]
struct Group {
    waiting: Vec<Waiting>,
    /// The supplier of the last account. Reset by jobs, which may change suppliers.
    seen: LastSupplier,
    has_jobs: bool,
}

impl WriterThread {
    fn new(target: Target, conn: Conn, context: Arc<Context>, queue: Arc<BatchQueue<Request>>) -> Self {
        let (turn, wal) = (Turn::new(&target), Wal::new(&target));
        Self {
            target,
            conn: Some(conn),
            context,
            turn,
            wal,
            queue,
            lost: VecDeque::new(),
            in_flight: 1,
            delay: GROUP_DELAY,
        }
    }

    fn work(&mut self) {
        while let Some(first) = self.first() {
            // The panics of jobs are caught one by one; this is for bugs. The callbacks are dropped, which
            // their callers notice.
            if catch_unwind(AssertUnwindSafe(|| self.group(first))).is_err() {
                self.conn = None;
            }
        }
    }

    /// Waits for the next request.
    fn first(&mut self) -> Option<Request> {
        let lost = self.lost.pop_front();
        lost.or_else(|| if self.queue.wait_for_one() { self.queue.pop() } else { None })
    }

    /// Runs one transaction with the first request, those that arrive while others run, and those that are
    /// likely to arrive.
    fn group(&mut self, first: Request) {
        let mut conn = match self.begin() {
            Ok(conn) => conn,
            Err(error) => return self.refuse(first, &error),
        };
        let (mut group, begun) = (Group::default(), Instant::now());
        let mut next = Some(first);
        while let Some(request) = next {
            match group.run(&mut conn, &self.context, request) {
                Outcome::Kept => {}
                // The job was the first of the transaction, so nothing else is lost with it.
                Outcome::Undone(_) => return self.end(conn, group, "ROLLBACK"),
                Outcome::Lost(error) => return self.fail(group.waiting, &error),
            }
            next = if group.waiting.len() < GROUP { self.another(&group, begun) } else { None };
        }
        self.in_flight = group.waiting.len() + self.queue.len();
        self.end(conn, group, "COMMIT");
    }

    /// Takes another request that is there or likely to arrive.
    fn another(&mut self, group: &Group, begun: Instant) -> Option<Request> {
        let request = self.lost.pop_front().or_else(|| self.queue.pop());
        let wanted = self.in_flight.min(GROUP) / 2;
        let missing = wanted.saturating_sub(group.waiting.len());
        if request.is_some() || missing == 0 || group.has_jobs || begun.elapsed() >= self.delay.all {
            return request;
        }
        // Woken by half of them, it stores these while the others arrive.
        self.queue.wait_for(missing.div_ceil(2), self.delay.next);
        self.queue.pop()
    }

    /// Takes the connection and locks the file.
    fn begin(&mut self) -> Result<Conn, StoreError> {
        let mut conn = match self.conn.take() {
            Some(conn) => conn,
            None => {
                let opened = self.target.connect(Role::Writer);
                let mut conn = opened.map_err(|error| reopening_error(&error))?;
                no_wait(&mut conn).map_err(unavailable)?;
                conn
            }
        };
        self.turn.begin(&mut conn).map_err(unavailable)?;
        Ok(conn)
    }

    /// Ends the transaction, then completes its requests, once they are durable.
    fn end(&mut self, mut conn: Conn, group: Group, how: &str) {
        let about = |waits: &Waiting| matches!(waits, Waiting::Account { .. });
        let about = if group.waiting.iter().any(about) { "accounts" } else { "" };
        let is_lost = how == "COMMIT" && fault::fails(Point::Commit, about);
        let lost = || Err(StoreError::Unavailable("a test lost the transaction".into()));
        if let Err(error) = if is_lost { lost() } else { execute(&mut conn, how) } {
            // Dropping the connection rolls the transaction back.
            return self.fail(group.waiting, &error);
        }
        group.waiting.into_iter().for_each(Waiting::complete);
        self.wal.maintain(&mut conn);
        self.conn = Some(conn);
    }

    /// Fails all waiting requests, because nothing can be written now.
    fn refuse(&mut self, first: Request, error: &StoreError) {
        // Taken before the first callback: a request that arrives afterwards is tried.
        let lost = std::mem::take(&mut self.lost);
        let waiting: Vec<_> =
            std::iter::once(first).chain(lost).chain(self.queue.take_while(|_| true)).collect();
        waiting.into_iter().for_each(|request| request.refuse(error.clone()));
    }

    /// Handles the loss of a transaction.
    fn fail(&mut self, waiting: Vec<Waiting>, error: &StoreError) {
        tracing::warn!(%error, jobs = waiting.len(), "a transaction was lost");
        self.lost.extend(waiting.into_iter().filter_map(|waits| waits.lose(error)));
    }
}

fn execute(conn: &mut Conn, sql: &str) -> Result<(), StoreError> {
    conn.batch_execute(sql).map_err(unavailable)
}

/// Every failure of a statement that controls transactions is temporary, unless the file is broken.
fn unavailable(error: diesel::result::Error) -> StoreError {
    match store_error(error) {
        StoreError::Failed(text) | StoreError::Conflict(text) => StoreError::Unavailable(text),
        other => other,
    }
}

impl Group {
    /// Runs a request, which then waits for the end of the transaction.
    fn run(&mut self, conn: &mut Conn, context: &Context, request: Request) -> Outcome {
        match request {
            Request::Job { job, done } => {
                let is_first = self.waiting.is_empty();
                (self.has_jobs, self.seen) = (true, LastSupplier::default());
                let outcome = match is_first {
                    true => run(conn, context, job),
                    false => in_savepoint(conn, |conn| run(conn, context, job)),
                };
                let result = if let Outcome::Undone(result) = &outcome { result.clone() } else { Ok(()) };
                self.waiting.push(Waiting::Job { done, result });
                // The writes of the others are kept.
                if matches!(outcome, Outcome::Undone(_)) && !is_first { Outcome::Kept } else { outcome }
            }
            Request::Account { creation, done, was_lost } => {
                let mut staging = Ok(Staging::Exists);
                let outcome = match was_lost {
                    false => stage(conn, context, &creation, &mut self.seen, &mut staging),
                    true => in_savepoint(conn, |conn| {
                        stage(conn, context, &creation, &mut self.seen, &mut staging)
                    }),
                };
                self.waiting.push(Waiting::Account { creation, done, was_lost, staging });
                match outcome {
                    // A savepoint for each account would cost too much (decision 0008): all are tried again,
                    // each in its own savepoint, so that only the faulty one fails.
                    Outcome::Undone(Err(error)) if !was_lost => Outcome::Lost(StoreError::Unavailable(
                        format!("an account could not be written: {error}"),
                    )),
                    Outcome::Undone(_) => Outcome::Kept,
                    outcome => outcome,
                }
            }
        }
    }
}

/// Runs a job in the open transaction.
fn run(conn: &mut Conn, context: &Context, job: WriteJob) -> Outcome {
    let mut tx = SqlTx::new(conn, context);
    let verdict = catch_unwind(AssertUnwindSafe(|| job(&mut tx)));
    if let Some(error) = tx.into_broken() {
        return Outcome::Lost(error);
    }
    match verdict {
        Ok(Verdict::Commit) => Outcome::Kept,
        Ok(Verdict::Rollback) => Outcome::Undone(Ok(())),
        Err(_) => Outcome::Undone(Err(StoreError::Failed("a job panicked".into()))),
    }
}

/// Stores an account in the open transaction.
fn stage(
    conn: &mut Conn,
    context: &Context,
    creation: &Creation,
    seen: &mut LastSupplier,
    staging: &mut Result<Staging, StoreError>,
) -> Outcome {
    let mut tx = SqlTx::new(conn, context);
    let run = catch_unwind(AssertUnwindSafe(|| stage_in(&mut tx, creation, seen)));
    if let Some(error) = tx.into_broken() {
        return Outcome::Lost(error);
    }
    *staging = run.unwrap_or_else(|_| Err(StoreError::Failed("a job panicked".into())));
    match staging {
        Ok(_) => Outcome::Kept,
        Err(error) => Outcome::Undone(Err(error.clone())),
    }
}

/// Runs a function in a savepoint: its writes can be undone without those of the transaction.
fn in_savepoint(conn: &mut Conn, run: impl FnOnce(&mut Conn) -> Outcome) -> Outcome {
    if let Err(error) = execute(conn, "SAVEPOINT job") {
        return Outcome::Lost(error);
    }
    let outcome = run(conn);
    let end = match &outcome {
        Outcome::Kept => "RELEASE job",
        Outcome::Undone(_) => "ROLLBACK TO job; RELEASE job",
        Outcome::Lost(_) => return outcome,
    };
    match execute(conn, end) {
        Ok(()) => outcome,
        Err(error) => Outcome::Lost(error),
    }
}

#[cfg(test)]
mod tests;
