use super::json_lines::JsonLines;
use crate::error::Error;
use crate::settings::{LogFormat, Values};
use std::fs::File;
use std::io::IsTerminal;
use std::panic::PanicHookInfo;
use std::sync::Mutex;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::fmt;
use tracing_subscriber::prelude::*;

/// The target of lines that are logged at every level: addresses, and the shutdown.
pub(crate) const ALWAYS: &str = "cutover::serve";

/// The destination of log lines.
pub(crate) enum LogTarget {
    StandardError,
    File(File),
}

/// Starts logging: our own lines at the level of the settings, those of libraries from warnings on, for they may hold
/// data that we keep out of ours.
///
/// # Errors
/// [`Error`] if this process logs already.
pub(crate) fn start_logs(settings: &Values, target: LogTarget) -> Result<(), Error> {
    let filter = Targets::new()
        .with_default(settings.log_level.min(LevelFilter::WARN))
        .with_target("cutover", settings.log_level)
        .with_target(ALWAYS, settings.log_level.max(LevelFilter::INFO));
    let terminal = std::io::stderr().is_terminal() && matches!(target, LogTarget::StandardError);
    let default = if terminal { LogFormat::Text } else { LogFormat::Json };
    let writer = match target {
        LogTarget::StandardError => fmt::writer::BoxMakeWriter::new(std::io::stderr),
        LogTarget::File(file) => fmt::writer::BoxMakeWriter::new(Mutex::new(file)),
    };
    let layer = fmt::layer().with_writer(writer).with_ansi(terminal);
    let layer = match settings.log_format.unwrap_or(default) {
        LogFormat::Text => layer.with_target(false).boxed(),
        LogFormat::Json => layer.event_format(JsonLines).boxed(),
    };
    let started = tracing_subscriber::registry().with(layer.with_filter(filter)).try_init();
    started.map_err(|error| Error::refused(format!("logging could not be started: {error}")))?;
    std::panic::set_hook(Box::new(log_panic));
    Ok(())
}

/// Logs the location of a panic without its message, which may hold personal data.
fn log_panic(info: &PanicHookInfo<'_>) {
    let at = info.location().map(ToString::to_string).unwrap_or_default();
    tracing::error!(at, "a thread panicked");
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::panic::{catch_unwind, set_hook, take_hook};

    /// Failure 22: the log of a panic holds its location and no data.
    #[test]
    fn a_panic_is_logged_by_its_location_alone() {
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
