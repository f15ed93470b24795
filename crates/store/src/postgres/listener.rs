use super::clock::Clock;
use super::connection::Target;
use super::dialect::{Conn, Db};
use crate::error::{Error, OpenError, Result};
use diesel::connection::SimpleConnection;
use diesel::prelude::*;
use diesel::sql_types::Integer;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// How often the connection is looked at for what arrived: no query, only a look at the socket.
const LOOK: Duration = Duration::from_millis(20);
/// How often others are told at most: who is told looks at all there is, and to tell takes a lock on the
/// whole database.
const TELL: Duration = Duration::from_millis(50);
/// How often the clock is set; a connection that is gone is found out then, too.
const SET: Duration = Duration::from_secs(5);
/// How long to wait before another connection is tried.
const REST: Duration = Duration::from_secs(1);

/// A connection that listens: to other processes that tell of work, and to the database's clock.
pub(super) struct Listener {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Default)]
struct Shared {
    orders: Mutex<Orders>,
    ordered: Condvar,
    is_listening: AtomicBool,
    /// Who is called.
    call: Mutex<Option<Box<dyn Fn() + Send + Sync>>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Orders {
    tell: bool,
    stop: bool,
}

statement! {
    OwnProcess {} -> Integer = "SELECT pg_backend_pid()"
}

impl Listener {
    pub(super) fn start(target: Target, clock: Arc<Clock>) -> std::io::Result<Self> {
        let shared = Arc::<Shared>::default();
        let theirs = shared.clone();
        let listen = move || theirs.listen(&target, &clock);
        let thread = std::thread::Builder::new().name("store-listener".into()).spawn(listen)?;
        Ok(Self { shared, thread: Some(thread) })
    }

    pub(super) fn on_work(&self, call: Box<dyn Fn() + Send + Sync>) {
        *self.shared.call.lock().unwrap_or_else(PoisonError::into_inner) = Some(call);
    }

    pub(super) fn notify_workers(&self) {
        self.shared.order(|orders| orders.tell = true);
    }

    pub(super) fn is_listening(&self) -> bool {
        self.shared.is_listening.load(Ordering::Relaxed)
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.shared.order(|orders| orders.stop = true);
        if let Some(thread) = self.thread.take() {
            // It has nothing left to tell.
            let _ = thread.join();
        }
    }
}

impl Shared {
    fn order(&self, order: impl FnOnce(&mut Orders)) {
        let mut orders = self.orders.lock().unwrap_or_else(PoisonError::into_inner);
        let before = *orders;
        order(&mut orders);
        // What was ordered already wakes nobody: of a thousand creates a second each tells.
        if *orders != before {
            self.ordered.notify_all();
        }
    }

    /// Waits for an order, at most so long; what is to be done. To tell of work can wait until it may be done.
    fn wait(&self, at_most: Duration, may_tell: bool) -> Orders {
        let orders = self.orders.lock().unwrap_or_else(PoisonError::into_inner);
        let idle = |orders: &mut Orders| !(orders.stop || orders.tell && may_tell);
        let waited = self.ordered.wait_timeout_while(orders, at_most, idle);
        let (mut orders, _) = waited.unwrap_or_else(PoisonError::into_inner);
        // A stop is for good.
        let tell = may_tell && std::mem::take(&mut orders.tell);
        Orders { tell, stop: orders.stop }
    }

    /// Listens until it is told to stop, on one connection after another.
    fn listen(&self, target: &Target, clock: &Clock) {
        loop {
            let ended = connect(target).map(|(conn, own)| self.listen_on(conn, own, clock));
            self.is_listening.store(false, Ordering::Relaxed);
            match ended {
                Ok(Ok(())) => return,
                Ok(Err(error)) => tracing::warn!(?error, "the connection that listens was lost"),
                Err(error) => tracing::warn!(%error, "there is no connection that listens"),
            }
            let until = Instant::now() + REST;
            while let Some(left) = until.checked_duration_since(Instant::now()).filter(|d| !d.is_zero()) {
                if self.wait(left, false).stop {
                    return;
                }
            }
        }
    }

    fn listen_on(&self, mut conn: Conn, own: i32, clock: &Clock) -> Result<()> {
        conn.batch_execute("LISTEN cutover_work")?;
        clock.set(&mut conn)?;
        self.is_listening.store(true, Ordering::Relaxed);
        // What was told while nobody listened.
        self.call();
        let (mut set, mut told) = (Instant::now(), None::<Instant>);
        loop {
            let Orders { tell, stop } = self.wait(LOOK, told.is_none_or(|at| at.elapsed() >= TELL));
            if stop {
                return Ok(());
            }
            if tell {
                conn.batch_execute("NOTIFY cutover_work")?;
                told = Some(Instant::now());
            }
            if set.elapsed() >= SET {
                clock.set(&mut conn)?;
                set = Instant::now();
            }
            if is_called(&mut conn, own)? {
                self.call();
            }
        }
    }

    fn call(&self) {
        if let Some(call) = &*self.call.lock().unwrap_or_else(PoisonError::into_inner) {
            call();
        }
    }
}

/// A connection, and the number by which its own notifications are known.
fn connect(target: &Target) -> std::result::Result<(Conn, i32), OpenError> {
    let mut conn = target.connect()?;
    let own = OwnProcess {}.get_result(&mut conn);
    Ok((conn, own.map_err(|e: diesel::result::Error| OpenError::Connect(e.to_string()))?))
}

/// Whether another process told of work.
fn is_called(conn: &mut Conn, own: i32) -> Result<bool> {
    let mut is_called = false;
    for notification in conn.notifications_iter() {
        is_called |= notification.map_err(Error::from)?.process_id != own;
    }
    Ok(is_called)
}
