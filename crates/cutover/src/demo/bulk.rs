use super::accounts::Generated;
use super::client::Client;
use super::statistics::{Refusals, states};
use super::story::Story;
use crate::error::Error;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::{scope, sleep};
use std::time::{Duration, Instant};

const CONNECTIONS: usize = 4;
/// Time without any progress after which the demo fails.
const TIMEOUT: Duration = Duration::from_secs(30);
const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// The result of sending accounts.
pub(super) struct Sent {
    pub(super) accounts: usize,
    pub(super) refusals: Refusals,
}

/// Accounts that several connections send.
struct Queue<'c> {
    client: &'c Client,
    accounts: Mutex<Vec<Generated>>,
    sent: AtomicUsize,
    refusals: Mutex<Refusals>,
    /// Set after a failure: the senders stop.
    failed: AtomicBool,
}

/// Sends generated accounts over several connections, and waits until all are imported.
pub(super) fn send(story: &mut Story<'_>, count: usize) -> Result<Sent, Error> {
    story.out.chapter(&format!("12. {count} accounts over {CONNECTIONS} connections, imported as they come"));
    // Their documents are not written: there would be thousands of files.
    story.verify_documents(false)?;
    let mut accounts: Vec<Generated> = (0..count).map(|_| story.accounts.next()).collect();
    accounts.reverse();
    let queue = Queue {
        client: &story.client,
        accounts: Mutex::new(accounts),
        sent: AtomicUsize::new(0),
        refusals: Mutex::default(),
        failed: AtomicBool::new(false),
    };
    let begin = Instant::now();
    scope(|scope| {
        let senders: Vec<_> = (0..CONNECTIONS).map(|_| scope.spawn(|| queue.send_all())).collect();
        queue.watch(story, count)?;
        let join = |sender: std::thread::ScopedJoinHandle<'_, _>| {
            sender.join().unwrap_or_else(|_| Err(Error::refused("a sender panicked")))
        };
        senders.into_iter().try_for_each(join)
    })?;
    let refusals = queue.refusals.into_inner().unwrap_or_else(PoisonError::into_inner);
    let millis = begin.elapsed().as_millis();
    let text = format!("all in {}.{} s, {} refused", millis / 1_000, millis % 1_000 / 100, refusals.accounts);
    story.out.progress(count, count, &text, true);
    Ok(Sent { accounts: count, refusals })
}

impl Queue<'_> {
    fn send_all(&self) -> Result<(), Error> {
        while !self.failed.load(Ordering::Relaxed) {
            let Some(account) = lock(&self.accounts).pop() else { break };
            self.send(&account).inspect_err(|_| self.failed.store(true, Ordering::Relaxed))?;
            self.sent.fetch_add(1, Ordering::Relaxed);
        }
        Ok(())
    }

    fn send(&self, Generated { number, payload }: &Generated) -> Result<(), Error> {
        let reply = self.client.create(payload)?;
        if reply.status == 400 {
            let validated = self.client.validate(payload)?;
            lock(&self.refusals).add(number, validated.errors());
            return Ok(());
        }
        reply.expect(201).map(drop)
    }

    /// Prints the progress until every sent account has ended.
    fn watch(&self, story: &Story<'_>, count: usize) -> Result<(), Error> {
        let imported_before = states(story)?.get("PROCESSED").copied().unwrap_or(0);
        let (mut last, mut changed) = ((0, 0), Instant::now());
        loop {
            let sent = self.sent.load(Ordering::Relaxed);
            let counts = states(story)?;
            let of = |state: &str| counts.get(state).copied().unwrap_or(0);
            let unfinished = of("PENDING") + of("IN_PROGRESS");
            let (imported, refused) = (of("PROCESSED") - imported_before, lock(&self.refusals).accounts);
            let text = format!("{sent} of {count} sent, {imported} imported, {refused} refused");
            story.out.progress(sent.saturating_sub(unfinished), count, &text, false);
            if sent == count && unfinished == 0 || self.failed.load(Ordering::Relaxed) {
                return Ok(());
            }
            if last != (sent, unfinished) {
                (last, changed) = ((sent, unfinished), Instant::now());
            } else if changed.elapsed() > TIMEOUT {
                self.failed.store(true, Ordering::Relaxed);
                return Err(Error::refused("the import makes no progress; see server.log"));
            }
            sleep(POLL_INTERVAL);
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
