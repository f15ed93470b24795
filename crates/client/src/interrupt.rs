use crate::error::Error;
use crate::exit::INTERRUPTED;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether the run is to end before its end; set once, by Ctrl-C.
#[derive(Debug, Clone, Default)]
pub(crate) struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Whether it is.
    pub(crate) fn is_asked_for(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Asks for it; whether nobody had before.
    fn ask(&self) -> bool {
        !self.0.swap(true, Ordering::Relaxed)
    }

    /// Has Ctrl-C (on Unix also SIGTERM and SIGHUP) set it and call `told`; the second one ends the process
    /// at once. Once in a process.
    ///
    /// # Errors
    /// [`Error`] if signals cannot be heard.
    pub(crate) fn on_signal(&self, told: impl Fn() + Send + 'static) -> Result<(), Error> {
        let stop = self.clone();
        let hear = move || {
            if stop.ask() { told() } else { std::process::exit(INTERRUPTED.into()) }
        };
        ctrlc::set_handler(hear).map_err(|error| Error::refused(format!("signals cannot be heard: {error}")))
    }
}

#[cfg(test)]
mod tests {
    use super::Stop;

    #[test]
    fn only_the_first_asks() {
        let stop = Stop::default();
        assert!(!stop.is_asked_for());
        assert!(stop.ask() && stop.is_asked_for() && !stop.ask());
    }
}
