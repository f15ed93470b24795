use super::stop::StopReason;
use crate::error::Error;
use std::sync::mpsc::Sender;
use std::time::Duration;
use tokio::runtime::{Builder, Runtime};

/// The conventional exit code after SIGINT.
const INTERRUPTED: i32 = 130;

/// Reports the first signal to stop and exits the process at the second. It listens on a thread of its own, so that the
/// second signal works during shutdown.
///
/// # Errors
/// [`Error`] if signals cannot be handled.
pub(crate) fn watch(sender: Sender<impl From<StopReason> + Send + 'static>) -> Result<(), Error> {
    let runtime = runtime()?;
    let mut signals = {
        let _guard = runtime.enter();
        Signals::new().map_err(failed)?
    };
    let listen = move || {
        runtime.block_on(async {
            let first = signals.next().await;
            // The receiver is gone if the server has ended by itself.
            let _ = sender.send(StopReason::Signal(first).into());
            signals.next().await;
            std::process::exit(INTERRUPTED);
        })
    };
    std::thread::Builder::new().name("signals".into()).spawn(listen).map(drop).map_err(failed)
}

fn runtime() -> Result<Runtime, Error> {
    Builder::new_current_thread().enable_all().build().map_err(failed)
}

fn failed(error: std::io::Error) -> Error {
    Error::refused(format!("signals cannot be handled: {error}"))
}

/// SIGHUP, which does not end the process any more once this exists. Other systems have no such signal.
pub(crate) struct Hangups {
    #[cfg(unix)]
    runtime: Runtime,
    #[cfg(unix)]
    signal: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Hangups {
    /// # Errors
    /// [`Error`] if the signal cannot be handled.
    pub(crate) fn new() -> Result<Self, Error> {
        use tokio::signal::unix::{SignalKind, signal};
        let runtime = runtime()?;
        let signal = {
            let _guard = runtime.enter();
            signal(SignalKind::hangup()).map_err(failed)?
        };
        Ok(Self { runtime, signal })
    }

    /// Waits for the signal; returns false after this time.
    pub(crate) fn wait(&mut self, within: Duration) -> bool {
        let Self { runtime, signal } = self;
        runtime.block_on(async { tokio::time::timeout(within, signal.recv()).await.is_ok() })
    }
}

#[cfg(not(unix))]
impl Hangups {
    /// # Errors
    /// None.
    pub(crate) fn new() -> Result<Self, Error> {
        Ok(Self {})
    }

    /// Waits for this time and returns false.
    pub(crate) fn wait(&mut self, within: Duration) -> bool {
        std::thread::sleep(within);
        false
    }
}

#[cfg(unix)]
struct Signals {
    terminate: tokio::signal::unix::Signal,
    interrupt: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Signals {
    fn new() -> std::io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Self { terminate: signal(SignalKind::terminate())?, interrupt: signal(SignalKind::interrupt())? })
    }

    async fn next(&mut self) -> &'static str {
        tokio::select! {
            _ = self.terminate.recv() => "SIGTERM",
            _ = self.interrupt.recv() => "SIGINT",
        }
    }
}

#[cfg(not(unix))]
struct Signals;

#[cfg(not(unix))]
impl Signals {
    fn new() -> std::io::Result<Self> {
        Ok(Self)
    }

    async fn next(&mut self) -> &'static str {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
        "Ctrl-C"
    }
}
