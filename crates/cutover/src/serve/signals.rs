use super::Ending;
use crate::error::Error;
use std::sync::mpsc::Sender;

/// The exit code of a process that was ended by SIGINT.
const INTERRUPTED: i32 = 130;

/// Tells of the first signal to stop, and ends the process at the second. On a thread of its own, so
/// that it hears while everything else stops.
///
/// # Errors
/// [`Error`] if signals cannot be heard.
pub(crate) fn watch(sender: Sender<Ending>) -> Result<(), Error> {
    let failed = |error: std::io::Error| Error::refused(format!("signals cannot be heard: {error}"));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(failed)?;
    let mut signals = {
        let _guard = runtime.enter();
        Signals::new().map_err(failed)?
    };
    let hear = move || {
        runtime.block_on(async {
            let first = signals.next().await;
            // Nobody waits for it any more if the server ended by itself.
            let _ = sender.send(Ending::Signal(first));
            signals.next().await;
            std::process::exit(INTERRUPTED);
        })
    };
    std::thread::Builder::new().name("signals".into()).spawn(hear).map(drop).map_err(failed)
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
