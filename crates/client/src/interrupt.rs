use crate::error::Error;
use crate::exit::INTERRUPTED;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Flag that asks the run to end early; set once, by Ctrl-C.
#[derive(Debug, Clone, Default)]
pub(crate) struct Stop(Arc<AtomicBool>);

impl Stop {
    /// True if it is set.
    pub(crate) fn is_asked_for(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Sets the flag and returns true if it was not set before.
    fn ask(&self) -> bool {
        !self.0.swap(true, Ordering::Relaxed)
    }

    /// Makes Ctrl-C (on Unix also SIGTERM and SIGHUP) set the flag and call `on_first`; the second signal
    /// ends the process at once. May be called once per process.
    ///
    /// # Errors
    /// [`Error`] if the signal handler cannot be installed.
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
