use super::options::WatchOptions;
use super::progress::MigrationProgress;
use super::view;
use crate::error::Error;
use crate::exit::Exit;
use crate::output::{document, print};
use crate::service::{Service, block_on};
use chrono::{DateTime, TimeDelta, Utc};
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::Value;
use std::io::{IsTerminal, stderr};
use std::time::{Duration, Instant};

/// Time to wait for a service that is away.
const PATIENCE: Duration = Duration::from_secs(300);

/// Shows the progress of a migration until nothing is pending or in progress. `now` is the current time.
///
/// # Errors
/// [`Error`] if the service does not answer.
pub(crate) fn run(options: &WatchOptions, now: DateTime<Utc>) -> Result<Exit, Error> {
    let service = options.target.service()?;
    let clock = Clock(now, Instant::now());
    let (progress, body) = block_on(watch(options, &service, &clock))??;
    let text = view::text(&options.supplier, &progress, clock.now());
    print(&if options.json { document(&body) } else { text })?;
    Ok(if progress.errored() > 0 { Exit::Faulty } else { Exit::Success })
}

/// Clock that runs from the time at which the program began.
struct Clock(DateTime<Utc>, Instant);

impl Clock {
    fn now(&self) -> DateTime<Utc> {
        self.0 + TimeDelta::from_std(self.1.elapsed()).unwrap_or_default()
    }
}

async fn watch(
    options: &WatchOptions,
    service: &Service,
    clock: &Clock,
) -> Result<(MigrationProgress, Value), Error> {
    let mut screen = Screen::new(options.json);
    loop {
        let (progress, body) = MigrationProgress::fetch(service, &options.supplier, PATIENCE).await?;
        if progress.open() == 0 {
            return Ok((progress, body));
        }
        screen.show(&options.supplier, progress, clock.now())?;
        tokio::time::sleep(Duration::from_secs(options.interval.get())).await;
    }
}

/// Display of the progress: redrawn in place on a terminal, elsewhere one line per change.
struct Screen {
    bar: Option<ProgressBar>,
    prints: bool,
    last: Option<MigrationProgress>,
}

impl Screen {
    fn new(json: bool) -> Self {
        let bar = stderr().is_terminal().then(|| ProgressBar::no_length().with_style(style()));
        Self { prints: bar.is_none() && !json, bar, last: None }
    }

    fn show(&mut self, supplier: &str, progress: MigrationProgress, now: DateTime<Utc>) -> Result<(), Error> {
        if let Some(bar) = &self.bar {
            bar.update(|state| {
                state.set_len(progress.all());
                state.set_pos(progress.all() - progress.open());
            });
            bar.set_message(view::text(supplier, &progress, now));
        } else if self.prints && self.last.as_ref() != Some(&progress) {
            print(&view::line(&progress, now))?;
        }
        self.last = Some(progress);
        Ok(())
    }
}

impl Drop for Screen {
    /// Clears the view, because the final output says the same.
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

fn style() -> ProgressStyle {
    ProgressStyle::with_template(TEMPLATE).unwrap_or_else(|_| ProgressStyle::default_bar())
}

const TEMPLATE: &str = "{msg}\n{wide_bar} {percent}%";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_template_is_valid() {
        assert!(ProgressStyle::with_template(TEMPLATE).is_ok());
    }
}
