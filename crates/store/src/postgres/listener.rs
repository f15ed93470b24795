use super::clock::Clock;
use super::connection::Target;
use super::dialect::{Conn, Db};
use crate::error::{OpenError, Result};
use diesel::connection::SimpleConnection;
use diesel::prelude::*;
use diesel::sql_types::Integer;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Interval at which the socket is checked for notifications, without a query.
const CHECK: Duration = Duration::from_millis(20);
/// Minimum interval between notifications. A notified worker takes all work there is, and NOTIFY locks the
/// whole database.
const NOTIFY: Duration = Duration::from_millis(50);
/// Interval at which the clock is set. A dead connection is noticed then, too.
const SET: Duration = Duration::from_secs(5);
/// Wait before another connection is opened.
const RETRY: Duration = Duration::from_secs(1);

/// A connection that receives notifications of work from other processes and measures the database's clock.
pub(super) struct Listener {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Default)]
struct Shared {
    orders: Mutex<Orders>,
    ordered: Condvar,
    is_listening: AtomicBool,
    /// Called when another process has notified of work.
    call: Mutex<Option<Box<dyn Fn() + Send + Sync>>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Orders {
    notify: bool,
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

    pub(super) fn notify_of_work(&self) {
        self.shared.order(|orders| orders.notify = true);
    }

    pub(super) fn is_listening(&self) -> bool {
        self.shared.is_listening.load(Ordering::Relaxed)
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.shared.order(|orders| orders.stop = true);
        if let Some(thread) = self.thread.take() {
            // A panic of the thread changes nothing here.
            let _ = thread.join();
        }
    }
}

impl Shared {
    fn order(&self, order: impl FnOnce(&mut Orders)) {
        let mut orders = self.orders.lock().unwrap_or_else(PoisonError::into_inner);
        let before = *orders;
        order(&mut orders);
        // A repeated order wakes nobody: each of a thousand creates a second gives one.
        if *orders != before {
            self.ordered.notify_all();
        }
    }

    /// Waits up to `at_most` for orders and takes them. An order to notify stays until `may_notify`.
    fn wait(&self, at_most: Duration, may_notify: bool) -> Orders {
        let orders = self.orders.lock().unwrap_or_else(PoisonError::into_inner);
        let idle = |orders: &mut Orders| !(orders.stop || orders.notify && may_notify);
        let waited = self.ordered.wait_timeout_while(orders, at_most, idle);
        let (mut orders, _) = waited.unwrap_or_else(PoisonError::into_inner);
        // An order to stop stays.
        let notify = may_notify && std::mem::take(&mut orders.notify);
        Orders { notify, stop: orders.stop }
    }

    /// Listens until the order to stop, and opens a new connection when one is lost.
    fn listen(&self, target: &Target, clock: &Clock) {
        loop {
            let ended = connect(target).map(|(conn, own)| self.listen_on(conn, own, clock));
            self.is_listening.store(false, Ordering::Relaxed);
            match ended {
                Ok(Ok(())) => return,
                Ok(Err(error)) => tracing::warn!(?error, "lost the connection for notifications"),
                Err(error) => tracing::warn!(%error, "cannot open the connection for notifications"),
            }
            let until = Instant::now() + RETRY;
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
        // There may have been notifications before.
        self.call();
        let (mut set, mut notified) = (Instant::now(), None::<Instant>);
        loop {
            let Orders { notify, stop } = self.wait(CHECK, notified.is_none_or(|at| at.elapsed() >= NOTIFY));
            if stop {
                return Ok(());
            }
            if notify {
                conn.batch_execute("NOTIFY cutover_work")?;
                notified = Some(Instant::now());
            }
            if set.elapsed() >= SET {
                clock.set(&mut conn)?;
                set = Instant::now();
            }
            if has_notification(&mut conn, own)? {
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

/// Opens a connection. Also returns the number of its server process, which its own notifications have.
fn connect(target: &Target) -> std::result::Result<(Conn, i32), OpenError> {
    let mut conn = target.connect()?;
    let own = OwnProcess {}.get_result(&mut conn);
    Ok((conn, own.map_err(|e: diesel::result::Error| OpenError::Connect(e.to_string()))?))
}

/// Returns true if another process has notified of work.
fn has_notification(conn: &mut Conn, own: i32) -> Result<bool> {
    Ok(conn.notifiers()?.iter().any(|process| *process != own))
}
