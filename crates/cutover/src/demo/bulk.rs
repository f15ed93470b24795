use super::client::Client;
use super::generate::Generated;
use super::stage::Stage;
use super::story::Story;
use super::summary::{Refusals, States};
use crate::error::Error;
use cutover_app::App;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread::{scope, sleep};
use std::time::{Duration, Instant};

/// How many connections send.
const CONNECTIONS: usize = 4;
/// How long nothing may happen until the demo gives up.
const PATIENCE: Duration = Duration::from_secs(30);
const GLANCE: Duration = Duration::from_millis(100);

/// A queue of accounts and what became of sending them.
struct Sending<'h> {
    app: &'h App,
    supplier: &'h str,
    client: &'h Client,
    imported_before: usize,
    queue: Mutex<Vec<Generated>>,
    sent: AtomicUsize,
    refusals: Mutex<Refusals>,
    gave_up: AtomicBool,
}

/// What sending many came to.
pub(super) struct Sent {
    pub(super) accounts: usize,
    pub(super) refusals: Refusals,
}

/// Sends many accounts over several connections while the worker imports; ends when all have ended.
pub(super) fn send(story: &mut Story<'_>, count: usize) -> Result<Sent, Error> {
    let (house, stage) = (story.house, story.stage);
    stage.chapter(&format!("12. {count} accounts over {CONNECTIONS} connections, imported as they come"));
    // Theirs are not written: they would be thousands of files.
    story.verify_documents(false)?;
    let mut queue: Vec<Generated> = (0..count).map(|_| story.accounts.account()).collect();
    queue.reverse();
    let sending = Sending {
        app: &house.app,
        supplier: &house.supplier,
        client: &story.client,
        imported_before: States::read(&house.app, &house.supplier)?.imported(),
        queue: Mutex::new(queue),
        sent: AtomicUsize::new(0),
        refusals: Mutex::default(),
        gave_up: AtomicBool::new(false),
    };
    let begin = Instant::now();
    scope(|scope| {
        let senders: Vec<_> = (0..CONNECTIONS).map(|_| scope.spawn(|| sending.work())).collect();
        sending.watch(count, stage)?;
        senders
            .into_iter()
            .try_for_each(|s| s.join().unwrap_or_else(|_| Err(Error::refused("a sender failed"))))
    })?;
    let refusals = sending.refusals.into_inner().unwrap_or_else(PoisonError::into_inner);
    let seconds = begin.elapsed().as_millis();
    let text =
        format!("all in {}.{} s, {} refused", seconds / 1_000, seconds % 1_000 / 100, refusals.accounts());
    stage.progressed(count, count, &text);
    Ok(Sent { accounts: count, refusals })
}

impl Sending<'_> {
    fn work(&self) -> Result<(), Error> {
        loop {
            let next = self.queue.lock().unwrap_or_else(PoisonError::into_inner).pop();
            let Some(account) = next.filter(|_| !self.gave_up.load(Ordering::Relaxed)) else { return Ok(()) };
            let result = self.send(&account);
            if result.is_err() {
                self.gave_up.store(true, Ordering::Relaxed);
                return result;
            }
            self.sent.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn send(&self, account: &Generated) -> Result<(), Error> {
        let body = account.payload.to_string();
        let reply = self.client.create(&body)?;
        match reply.status {
            201 => Ok(()),
            400 => {
                let errors = self.client.validate(&body)?.errors();
                let mut refusals = self.refusals.lock().unwrap_or_else(PoisonError::into_inner);
                refusals.add(&account.number, &errors);
                Ok(())
            }
            status => Err(Error::refused(format!("the service answered {status} {}", reply.code()))),
        }
    }

    /// Shows how far it is until everything sent has ended.
    fn watch(&self, count: usize, stage: Stage) -> Result<(), Error> {
        let (mut last, mut moved) = ((0, 0), Instant::now());
        loop {
            let sent = self.sent.load(Ordering::Relaxed);
            let states = States::read(self.app, self.supplier)?;
            let refused = self.refusals.lock().unwrap_or_else(PoisonError::into_inner).accounts();
            let (imported, unfinished) = (states.imported() - self.imported_before, states.unfinished());
            let text = format!("{sent} of {count} sent, {imported} imported, {refused} refused");
            stage.progress(sent.saturating_sub(unfinished), count, &text);
            if sent == count && unfinished == 0 || self.gave_up.load(Ordering::Relaxed) {
                return Ok(());
            }
            if last != (sent, unfinished) {
                (last, moved) = ((sent, unfinished), Instant::now());
            } else if moved.elapsed() > PATIENCE {
                self.gave_up.store(true, Ordering::Relaxed);
                return Err(Error::refused("nothing moves any more; server.log may say why"));
            }
            sleep(GLANCE);
        }
    }
}
