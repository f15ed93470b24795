use crate::error::Error;
use crate::exit::INTERRUPTED;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Flag that asks the run to end early; set once, by Ctrl-C.
#[derive(Debug, Clone, Default)]
pub(crate) struct StopFlag(Arc<AtomicBool>);

impl StopFlag {
    /// True if it is set.
    pub(crate) fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Sets the flag and returns true if it was not set before.
    fn set(&self) -> bool {
        !self.0.swap(true, Ordering::Relaxed)
    }

    /// Makes Ctrl-C (on Unix also SIGTERM and SIGHUP) set the flag and call `on_first`; the second signal
    /// ends the process at once. May be called once per process.
    ///
    /// # Errors
    /// [`Error`] if the signal handler cannot be installed.
    pub(crate) fn on_signal(&self, on_first: impl Fn() + Send + 'static) -> Result<(), Error> {
        let stop = self.clone();
        let handler = move || {
            if stop.set() { on_first() } else { std::process::exit(INTERRUPTED.into()) }
        };
        ctrlc::set_handler(handler)
            .map_err(|error| Error::refused(format!("no signal handler can be installed: {error}")))
    }
}

#[cfg(test)]
mod tests {
    use super::StopFlag;

    #[test]
    fn only_the_first_call_sets_it() {
        let stop = StopFlag::default();
        assert!(!stop.is_set());
        assert!(stop.set() && stop.is_set() && !stop.set());
    }
}
