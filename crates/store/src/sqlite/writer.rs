use super::connection::{Role, Target};
use super::dialect::{self, Conn};
use super::queries::SqlTx;
use super::wal::Wal;
use crate::error::store_error;
use crate::sealed::Sealer;
use cutover_app::fault::{self, Point};
use cutover_app::port::{Creation, Staging, StagingDone, StoreError, Verdict, WriteJob, staging_job};
use diesel::connection::SimpleConnection;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::thread::JoinHandle;

/// How many jobs may wait. Callers are bounded elsewhere; this bounds them if they are not.
const QUEUE: usize = 1_024;
/// How many jobs one commit takes at most.
const GROUP: usize = 64;

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

    /// The job of it, and what waits for the end of the transaction then.
    fn begin(self) -> (WriteJob, Waiting) {
        match self {
            Self::Job { job, done } => (job, Waiting::Job(done)),
            Self::Account { creation, done, was_lost } => {
                let (job, staging) = staging_job(creation.clone());
                (job, Waiting::Account { creation, done, was_lost, staging: Box::new(staging) })
            }
        }
    }
}

/// What was run, and waits for its transaction to be durable.
enum Waiting {
    Job(Done),
    Account {
        creation: Arc<Creation>,
        done: StagingDone,
        was_lost: bool,
        /// What became of it, if the transaction was not lost.
        staging: Box<dyn FnOnce() -> Result<Staging, StoreError>>,
    },
}

impl Waiting {
    fn tell(self, answer: Answer) {
        match self {
            Self::Job(done) => done(answer),
            Self::Account { done, staging, .. } => done(answer.and_then(|()| staging())),
        }
    }

    /// Its transaction was lost: it is to be tried once more, or is told.
    fn lose(self, error: &StoreError) -> Option<Request> {
        match self {
            Self::Account { creation, done, was_lost: false, .. } => {
                Some(Request::Account { creation, done, was_lost: true })
            }
            lost => {
                lost.tell(Err(error.clone()));
                None
            }
        }
    }
}

/// The one that writes: a thread with its own connection.
pub(super) struct Writer {
    queue: Option<SyncSender<Request>>,
    thread: Option<JoinHandle<()>>,
}

impl Writer {
    pub(super) fn start(target: Target, conn: Conn, sealer: Sealer) -> std::io::Result<Self> {
        let (queue, requests) = sync_channel(QUEUE);
        let wal = Wal::new(&target);
        let mut desk = Desk { target, conn: Some(conn), sealer, wal, requests, lost: VecDeque::new() };
        let thread = std::thread::Builder::new().name("store-writer".into()).spawn(move || desk.work())?;
        Ok(Self { queue: Some(queue), thread: Some(thread) })
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
        let ended = || StoreError::Unavailable("the writer has ended".into());
        let Some(queue) = &self.queue else { return request.refuse(ended()) };
        match queue.try_send(request) {
            Ok(()) => {}
            Err(TrySendError::Full(request)) => {
                request.refuse(StoreError::Unavailable("too many writes are waiting".into()));
            }
            Err(TrySendError::Disconnected(request)) => request.refuse(ended()),
        }
    }
}

impl Drop for Writer {
    /// Finishes what was taken.
    fn drop(&mut self) {
        self.queue = None;
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
    sealer: Sealer,
    wal: Wal,
    requests: Receiver<Request>,
    /// What is to be tried once more, before what comes.
    lost: VecDeque<Request>,
}

/// How a job left its transaction.
enum Left {
    Kept,
    Undone(Answer),
    /// The transaction is gone, with everything in it.
    Lost(StoreError),
}

impl Desk {
    fn work(&mut self) {
        while let Some(first) = self.lost.pop_front().or_else(|| self.requests.recv().ok()) {
            // Jobs are caught one by one; this is for what should not happen. Whoever waits is never
            // called, and finds that out.
            if catch_unwind(AssertUnwindSafe(|| self.group(first))).is_err() {
                self.conn = None;
            }
        }
    }

    /// One transaction: the job, and those that are there by the time each one before is done.
    fn group(&mut self, first: Request) {
        let mut conn = match self.begin() {
            Ok(conn) => conn,
            Err(error) => return self.refuse(first, &error),
        };
        let mut waiting = Vec::new();
        let mut next = Some(first);
        while let Some(request) = next {
            let is_first = waiting.is_empty();
            let (job, waits) = request.begin();
            let run = if is_first { run } else { run_in_savepoint };
            match run(&mut conn, &self.sealer, job) {
                Left::Kept => waiting.push((waits, Ok(()))),
                // The transaction was its own: nobody else's, so it ends with it.
                Left::Undone(undone) if is_first => {
                    return self.end(conn, vec![(waits, undone)], "ROLLBACK");
                }
                Left::Undone(undone) => waiting.push((waits, undone)),
                Left::Lost(error) => {
                    waiting.push((waits, Ok(())));
                    return self.fail(waiting, &error);
                }
            }
            next = if waiting.len() < GROUP { self.another() } else { None };
        }
        self.end(conn, waiting, "COMMIT");
    }

    /// One more that is there.
    fn another(&mut self) -> Option<Request> {
        self.lost.pop_front().or_else(|| self.requests.try_recv().ok())
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
    fn end(&mut self, mut conn: Conn, waiting: Vec<(Waiting, Answer)>, how: &str) {
        let about = |(waits, _): &(Waiting, Answer)| matches!(waits, Waiting::Account { .. });
        let about = if waiting.iter().any(about) { "accounts" } else { "" };
        let is_lost = how == "COMMIT" && fault::fails(Point::Commit, about);
        let lost = || Err(StoreError::Unavailable("a test wants the transaction to be lost".into()));
        if let Err(error) = if is_lost { lost() } else { execute(&mut conn, how) } {
            // The connection is dropped, and with it whatever is left of the transaction.
            return self.fail(waiting, &error);
        }
        for (waits, answer) in waiting {
            waits.tell(answer);
        }
        self.wal.tend(&mut conn);
        self.conn = Some(conn);
    }

    /// Nothing can be written: everybody who waits is told now, not each after a wait of his own.
    fn refuse(&mut self, first: Request, error: &StoreError) {
        // Taken before anybody is told: what comes after an answer is to be tried.
        let lost = std::mem::take(&mut self.lost);
        let waiting: Vec<_> = std::iter::once(first).chain(lost).chain(self.requests.try_iter()).collect();
        waiting.into_iter().for_each(|request| request.refuse(error.clone()));
    }

    /// Nothing of a transaction was kept, whatever its jobs thought.
    fn fail(&mut self, waiting: Vec<(Waiting, Answer)>, error: &StoreError) {
        tracing::warn!(%error, jobs = waiting.len(), "a transaction was lost");
        self.lost.extend(waiting.into_iter().filter_map(|(waits, _)| waits.lose(error)));
    }
}

fn execute(conn: &mut Conn, sql: &str) -> Result<(), StoreError> {
    let unavailable = |e: diesel::result::Error| match store_error(e.into(), dialect::meaning) {
        // Of these statements every failure passes, unless the file is broken.
        StoreError::Failed(text) | StoreError::Conflict(text) => StoreError::Unavailable(text),
        other => other,
    };
    conn.batch_execute(sql).map_err(unavailable)
}

/// Runs a job on its own in a transaction.
fn run(conn: &mut Conn, sealer: &Sealer, job: WriteJob) -> Left {
    let mut tx = SqlTx::new(conn, sealer);
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

/// Runs a job among others: what it writes can be undone without theirs.
fn run_in_savepoint(conn: &mut Conn, sealer: &Sealer, job: WriteJob) -> Left {
    if let Err(error) = execute(conn, "SAVEPOINT job") {
        return Left::Lost(error);
    }
    let left = run(conn, sealer, job);
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
