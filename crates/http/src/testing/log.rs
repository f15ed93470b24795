//! The lines that a test logs.

use std::cell::RefCell;
use std::fmt::{Debug, Write};
use std::sync::Once;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

thread_local! {
    /// The lines that this thread logs, if they are kept.
    static KEPT: RefCell<Option<Vec<String>>> = const { RefCell::new(None) };
}

/// Keeps from now on the lines of this thread.
pub(crate) fn keep() {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| tracing::subscriber::set_global_default(Log).unwrap());
    KEPT.set(Some(Vec::new()));
}

/// Returns the lines of this thread since they are kept, each with its target first.
pub(crate) fn take() -> Vec<String> {
    KEPT.take().unwrap_or_default()
}

/// Keeps log lines of threads that ask for it. Installed for the whole program, since interest in an event is
/// cached for all threads.
struct Log;

struct Line(String);

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        write!(self.0, " {field}={value:?}").unwrap();
    }
}

impl Subscriber for Log {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut line = Line(event.metadata().target().to_owned());
        event.record(&mut line);
        KEPT.with_borrow_mut(|kept| kept.iter_mut().for_each(|lines| lines.push(line.0.clone())));
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}
