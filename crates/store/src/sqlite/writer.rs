use super::connection::{Role, Target};
use super::dialect::Conn;
use super::queries::{SqlTx, store_error};
use super::wal::Wal;
use crate::arrivals::{Arrivals, Refused};
use crate::context::Context;
use cutover_app::fault::{self, Point};
use cutover_app::port::{
    Creation, SeenSupplier, Staging, StagingDone, StoreError, Verdict, WriteJob, stage_in,
};
use diesel::connection::SimpleConnection;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::sync_channel;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// How many jobs may wait. Callers are bounded elsewhere; this bounds them if they are not.
const QUEUE: usize = 1_024;
/// How many jobs one commit takes at most.
const GROUP: usize = 64;
/// Accounts wait for half as many as were on their way together the last time, as long as some still come: a commit
/// takes as long as it takes to store a dozen. The other half are received and checked meanwhile; to wait for all
/// leaves one processor idle in turn. For the next of them they wait so long, for all of them no longer than that.
const USUAL: Patience = Patience { next: Duration::from_micros(500), all: Duration::from_millis(5) };

/// How long accounts wait for others.
#[derive(Debug, Clone, Copy)]
struct Patience {
    next: Duration,
    all: Duration,
}

type Answer = Result<(), StoreError>;

/// Who hears what became of a job.
pub(super) type Done = Box<dyn FnOnce(Answer) + Send>;

/// What is to be written, and who waits for it to be durable.
enum Request {
    /// A job, which can be run once.
    Job { job: WriteJob, done: Done },
    /// A new account, which may be stored anew if the transaction that did is lost.
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

/// What was run, and waits for its transaction to be durable.
enum Waiting {
    Job {
        done: Done,
        answer: Answer,
    },
    Account {
        creation: Arc<Creation>,
        done: StagingDone,
        was_lost: bool,
        /// What became of it, if the transaction is not lost.
        staging: Result<Staging, StoreError>,
    },
}

impl Waiting {
    fn tell(self) {
        match self {
            Self::Job { done, answer } => done(answer),
            Self::Account { done, staging, .. } => done(staging),
        }
    }

    /// Its transaction was lost: it is to be tried once more, or is told.
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

/// The one that writes: a thread with its own connection.
pub(super) struct Writer {
    arrivals: Arc<Arrivals<Request>>,
    thread: Option<JoinHandle<()>>,
}

impl Writer {
    pub(super) fn start(target: Target, conn: Conn, context: Arc<Context>) -> std::io::Result<Self> {
        let arrivals = Arc::new(Arrivals::new(QUEUE));
        let mut desk = Desk::new(target, conn, context, arrivals.clone());
        let thread = std::thread::Builder::new().name("store-writer".into()).spawn(move || desk.work())?;
        Ok(Self { arrivals, thread: Some(thread) })
    }

    /// Runs a job; comes back once it is durable, undone or failed.
    pub(super) fn write(&self, job: WriteJob) -> Answer {
        let (done, answered) = sync_channel(1);
        self.submit(job, Box::new(move |answer| drop(done.send(answer))));
        answered.recv().unwrap_or_else(|_| Err(StoreError::Unavailable("the writer lost the write".into())))
    }

    /// Has a job run; `done` hears of it once it is durable, undone or failed.
    pub(super) fn submit(&self, job: WriteJob, done: Done) {
        self.send(Request::Job { job, done });
    }

    /// Has a new account stored; `done` hears of it. If the transaction is lost it is tried once more: others of
    /// the same account may have been told by then that there is one, and none of them is to come back in vain.
    pub(super) fn stage(&self, creation: Arc<Creation>, done: StagingDone) {
        self.send(Request::Account { creation, done, was_lost: false });
    }

    fn send(&self, request: Request) {
        if let Err((request, why)) = self.arrivals.push(request) {
            let why = match why {
                Refused::Full => "too many writes are waiting",
                Refused::Closed => "the writer has ended",
            };
            request.refuse(StoreError::Unavailable(why.into()));
        }
    }
}

impl Drop for Writer {
    /// Finishes what was taken.
    fn drop(&mut self) {
        self.arrivals.close();
        if let Some(thread) = self.thread.take() {
            // Its panics are caught; if one was not, there is nothing left to be done here.
            let _ = thread.join();
        }
    }
}

/// What the writer's thread has before it.
struct Desk {
    target: Target,
    /// None after a failure; opened again when it is needed.
    conn: Option<Conn>,
    context: Arc<Context>,
    wal: Wal,
    arrivals: Arc<Arrivals<Request>>,
    /// What is to be tried once more, before what comes.
    lost: VecDeque<Request>,
    /// How many accounts were on their way at the same time, when that was last seen.
    crowd: usize,
    patience: Patience,
}

/// How a job left its transaction.
enum Left {
    Kept,
    Undone(Answer),
    /// The transaction is gone, with everything in it.
    Lost(StoreError),
}

/// One transaction.
#[derive(Default)]
struct Group {
    waiting: Vec<Waiting>,
    /// Of the accounts' supplier; a job may change it.
    seen: SeenSupplier,
    has_jobs: bool,
}

impl Desk {
    fn new(target: Target, conn: Conn, context: Arc<Context>, arrivals: Arc<Arrivals<Request>>) -> Self {
        let wal = Wal::new(&target);
        Self {
            target,
            conn: Some(conn),
            context,
            wal,
            arrivals,
            lost: VecDeque::new(),
            crowd: 1,
            patience: USUAL,
        }
    }

    fn work(&mut self) {
        while let Some(first) = self.first() {
            // Jobs are caught one by one; this is for what should not happen. Whoever waits is never
            // called, and finds that out.
            if catch_unwind(AssertUnwindSafe(|| self.group(first))).is_err() {
                self.conn = None;
            }
        }
    }

    /// The next that there is to do; waits for it.
    fn first(&mut self) -> Option<Request> {
        let lost = self.lost.pop_front();
        lost.or_else(|| if self.arrivals.wait_for_one() { self.arrivals.pop() } else { None })
    }

    /// One transaction: the first, those that are there by the time each one before is done, and those that are
    /// likely to come.
    fn group(&mut self, first: Request) {
        let mut conn = match self.begin() {
            Ok(conn) => conn,
            Err(error) => return self.refuse(first, &error),
        };
        let (mut group, begun) = (Group::default(), Instant::now());
        let mut next = Some(first);
        while let Some(request) = next {
            match group.run(&mut conn, &self.context, request) {
                Left::Kept => {}
                // The transaction was that of one job: nobody else's, so it ends with it.
                Left::Undone(_) => return self.end(conn, group, "ROLLBACK"),
                Left::Lost(error) => return self.fail(group.waiting, &error),
            }
            next = if group.waiting.len() < GROUP { self.another(&group, begun) } else { None };
        }
        self.crowd = group.waiting.len() + self.arrivals.len();
        self.end(conn, group, "COMMIT");
    }

    /// One more that is there, or is likely to come.
    fn another(&mut self, group: &Group, begun: Instant) -> Option<Request> {
        let there = self.lost.pop_front().or_else(|| self.arrivals.pop());
        let wanted = self.crowd.min(GROUP) / 2;
        let missing = wanted.saturating_sub(group.waiting.len());
        if there.is_some() || missing == 0 || group.has_jobs || begun.elapsed() >= self.patience.all {
            return there;
        }
        // Woken by half of them, it stores these while the others come.
        self.arrivals.wait_for(missing.div_ceil(2), self.patience.next);
        self.arrivals.pop()
    }

    /// Takes the connection, and the lock of the file.
    fn begin(&mut self) -> Result<Conn, StoreError> {
        let mut conn = match self.conn.take() {
            Some(conn) => conn,
            None => {
                let opened = self.target.connect(Role::Writer);
                opened.map_err(|e| StoreError::Unavailable(e.to_string()))?
            }
        };
        execute(&mut conn, "BEGIN IMMEDIATE")?;
        Ok(conn)
    }

    /// Ends the transaction and tells everybody; nobody is told before it is durable.
    fn end(&mut self, mut conn: Conn, group: Group, how: &str) {
        let about = |waits: &Waiting| matches!(waits, Waiting::Account { .. });
        let about = if group.waiting.iter().any(about) { "accounts" } else { "" };
        let is_lost = how == "COMMIT" && fault::fails(Point::Commit, about);
        let lost = || Err(StoreError::Unavailable("a test wants the transaction to be lost".into()));
        if let Err(error) = if is_lost { lost() } else { execute(&mut conn, how) } {
            // The connection is dropped, and with it whatever is left of the transaction.
            return self.fail(group.waiting, &error);
        }
        group.waiting.into_iter().for_each(Waiting::tell);
        self.wal.tend(&mut conn);
        self.conn = Some(conn);
    }

    /// Nothing can be written: everybody who waits is told now, not each after a wait of his own.
    fn refuse(&mut self, first: Request, error: &StoreError) {
        // Taken before anybody is told: what comes after an answer is to be tried.
        let lost = std::mem::take(&mut self.lost);
        let waiting: Vec<_> =
            std::iter::once(first).chain(lost).chain(self.arrivals.take_while(|_| true)).collect();
        waiting.into_iter().for_each(|request| request.refuse(error.clone()));
    }

    /// Nothing of a transaction was kept, whatever its jobs thought.
    fn fail(&mut self, waiting: Vec<Waiting>, error: &StoreError) {
        tracing::warn!(%error, jobs = waiting.len(), "a transaction was lost");
        self.lost.extend(waiting.into_iter().filter_map(|waits| waits.lose(error)));
    }
}

fn execute(conn: &mut Conn, sql: &str) -> Result<(), StoreError> {
    let unavailable = |e: diesel::result::Error| match store_error(e) {
        // Of these statements every failure passes, unless the file is broken.
        StoreError::Failed(text) | StoreError::Conflict(text) => StoreError::Unavailable(text),
        other => other,
    };
    conn.batch_execute(sql).map_err(unavailable)
}

impl Group {
    /// Runs what was asked for; it waits for the end of the transaction then.
    fn run(&mut self, conn: &mut Conn, context: &Context, request: Request) -> Left {
        match request {
            Request::Job { job, done } => {
                let is_first = self.waiting.is_empty();
                (self.has_jobs, self.seen) = (true, SeenSupplier::default());
                let left = match is_first {
                    true => run(conn, context, job),
                    false => in_savepoint(conn, |conn| run(conn, context, job)),
                };
                let answer = if let Left::Undone(answer) = &left { answer.clone() } else { Ok(()) };
                self.waiting.push(Waiting::Job { done, answer });
                // What others wrote stays.
                if matches!(left, Left::Undone(_)) && !is_first { Left::Kept } else { left }
            }
            Request::Account { creation, done, was_lost } => {
                let mut staging = Ok(Staging::Exists);
                let left = match was_lost {
                    false => stage(conn, context, &creation, &mut self.seen, &mut staging),
                    true => in_savepoint(conn, |conn| {
                        stage(conn, context, &creation, &mut self.seen, &mut staging)
                    }),
                };
                self.waiting.push(Waiting::Account { creation, done, was_lost, staging });
                match left {
                    // Savepoints cost much and serve this alone (decision 0008): all are tried again, each in its own,
                    // and the one that fails does so alone.
                    Left::Undone(Err(error)) if !was_lost => Left::Lost(StoreError::Unavailable(format!(
                        "an account could not be written: {error}"
                    ))),
                    Left::Undone(_) => Left::Kept,
                    left => left,
                }
            }
        }
    }
}

/// Runs a job on its own in a transaction.
fn run(conn: &mut Conn, context: &Context, job: WriteJob) -> Left {
    let mut tx = SqlTx::new(conn, context);
    let verdict = catch_unwind(AssertUnwindSafe(|| job(&mut tx)));
    if let Some(error) = tx.into_broken() {
        return Left::Lost(error);
    }
    match verdict {
        Ok(Verdict::Commit) => Left::Kept,
        Ok(Verdict::Rollback) => Left::Undone(Ok(())),
        Err(_) => Left::Undone(Err(StoreError::Failed("a job panicked".into()))),
    }
}

/// Stores an account; says what became of it.
fn stage(
    conn: &mut Conn,
    context: &Context,
    creation: &Creation,
    seen: &mut SeenSupplier,
    staging: &mut Result<Staging, StoreError>,
) -> Left {
    let mut tx = SqlTx::new(conn, context);
    let run = catch_unwind(AssertUnwindSafe(|| stage_in(&mut tx, creation, seen)));
    if let Some(error) = tx.into_broken() {
        return Left::Lost(error);
    }
    *staging = run.unwrap_or_else(|_| Err(StoreError::Failed("a job panicked".into())));
    match staging {
        Ok(_) => Left::Kept,
        Err(error) => Left::Undone(Err(error.clone())),
    }
}

/// Runs something among others: what it writes can be undone without theirs.
fn in_savepoint(conn: &mut Conn, run: impl FnOnce(&mut Conn) -> Left) -> Left {
    if let Err(error) = execute(conn, "SAVEPOINT job") {
        return Left::Lost(error);
    }
    let left = run(conn);
    let end = match &left {
        Left::Kept => "RELEASE job",
        Left::Undone(_) => "ROLLBACK TO job; RELEASE job",
        Left::Lost(_) => return left,
    };
    match execute(conn, end) {
        Ok(()) => left,
        Err(error) => Left::Lost(error),
    }
}

#[cfg(test)]
mod tests;
