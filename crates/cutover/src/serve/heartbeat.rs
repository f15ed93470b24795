use crate::error::Error;
use crate::settings::Settings;
use cutover_app::App;
use cutover_app::nodes::{HEARTBEAT, NodeDescription, REFUSED_INTERVAL, RETRY};
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::Instant;

/// Records in the database that this process serves it, and the creates that it refuses, until it is dropped.
pub(super) struct Heartbeat {
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Heartbeat {
    /// Records the process, then keeps the record fresh on a thread.
    ///
    /// # Errors
    /// [`Error`] if it could not be recorded.
    pub(super) fn start(app: Arc<App>, settings: &Settings, keys: Vec<String>) -> Result<Self, Error> {
        let node = app.add_node(NodeDescription {
            role: settings.values.role.as_str().to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            encryption_keys: keys,
        })?;
        let (stop, stopped) = channel::<()>();
        let beat = move || {
            let (mut pause, mut due) = (REFUSED_INTERVAL, Instant::now() + HEARTBEAT);
            while stopped.recv_timeout(pause) == Err(RecvTimeoutError::Timeout) {
                let is_due = Instant::now() >= due;
                let recorded = if is_due { app.renew_node(&node) } else { app.record_refused_of(&node) };
                pause = REFUSED_INTERVAL;
                match recorded {
                    Ok(()) if is_due => due = Instant::now() + HEARTBEAT,
                    Ok(()) => {}
                    Err(error) => {
                        tracing::warn!(%error, "the record of this process could not be renewed");
                        (pause, due) = (RETRY, Instant::now());
                    }
                }
            }
            if let Err(error) = app.remove_node(&node) {
                tracing::warn!(%error, "the record of this process could not be removed");
            }
        };
        let thread = thread::Builder::new().name("heartbeat".into()).spawn(beat)?;
        Ok(Self { stop: Some(stop), thread: Some(thread) })
    }
}

impl Drop for Heartbeat {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            // Its errors are in the log.
            let _ = thread.join();
        }
    }
}
