use super::json_lines::JsonLines;
use crate::error::Error;
use crate::settings::{LogFormat, LogSettings};
use std::fs::File;
use std::io::IsTerminal;
use std::panic::PanicHookInfo;
use std::sync::Mutex;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::fmt;
use tracing_subscriber::prelude::*;

/// The target of what is always said: where it listens, and that it stops.
pub(super) const ALWAYS: &str = "cutover::serve";

/// Where log lines go.
pub(crate) enum LogTarget {
    StandardError,
    File(File),
}

/// Begins to log: our own lines at the level of the settings, those of others from warnings on, for
/// they may hold what we keep out of ours.
///
/// # Errors
/// [`Error`] if this process logs already.
pub(crate) fn start_logs(settings: LogSettings, target: LogTarget) -> Result<(), Error> {
    let filter = Targets::new()
        .with_default(settings.level.min(LevelFilter::WARN))
        .with_target("cutover", settings.level)
        .with_target(ALWAYS, settings.level.max(LevelFilter::INFO));
    let terminal = std::io::stderr().is_terminal() && matches!(target, LogTarget::StandardError);
    let default = if terminal { LogFormat::Text } else { LogFormat::Json };
    let writer = match target {
        LogTarget::StandardError => fmt::writer::BoxMakeWriter::new(std::io::stderr),
        LogTarget::File(file) => fmt::writer::BoxMakeWriter::new(Mutex::new(file)),
    };
    let layer = fmt::layer().with_writer(writer).with_ansi(terminal);
    let layer = match settings.format.unwrap_or(default) {
        LogFormat::Text => layer.with_target(false).boxed(),
        LogFormat::Json => layer.event_format(JsonLines).boxed(),
    };
    let started = tracing_subscriber::registry().with(layer.with_filter(filter)).try_init();
    started.map_err(|error| Error::refused(format!("logging could not be started: {error}")))?;
    std::panic::set_hook(Box::new(log_panic));
    Ok(())
}

/// Logs where a thread panicked. Not the message: it may hold what was being worked on.
fn log_panic(info: &PanicHookInfo<'_>) {
    let at = info.location().map(ToString::to_string).unwrap_or_default();
    tracing::error!(at, "a thread panicked");
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::panic::{catch_unwind, set_hook, take_hook};

    /// Failure 22: whatever a thread was working on when it panicked, its place alone is logged.
    #[test]
    fn a_panic_is_told_by_its_place_alone() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("log");
        let writer = Mutex::new(File::create(&path).unwrap());
        let log = fmt().json().with_writer(writer).with_max_level(LevelFilter::TRACE).finish();
        let before = take_hook();
        set_hook(Box::new(log_panic));
        let caught = tracing::subscriber::with_default(log, || {
            catch_unwind(|| {
                let account = "CANARY";
                panic!("the account of {account} cannot be");
            })
        });
        set_hook(before);
        assert!(caught.is_err());
        let logged = std::fs::read_to_string(path).unwrap();
        assert!(logged.contains("a thread panicked") && logged.contains("logs.rs:"), "{logged}");
        assert!(!logged.contains("CANARY"), "{logged}");
    }
}
