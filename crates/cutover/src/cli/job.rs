use crate::context::Context;
use crate::error::Error;
use crate::output::{Answer, Row, ZonedTime, pairs, plain};
use clap::{Args, Subcommand};
use cutover_app::App;
use cutover_app::port::{Job, JobKind, JobState};
use cutover_core::Zone;
use serde::Serialize;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

pub(super) const EXAMPLES: &str = "\
Examples:
  cutover job list
  cutover job show job_4f2d9c0b7e3a1568 --json
  cutover job stop job_4f2d9c0b7e3a1568        after its current batch
  cutover job resume job_4f2d9c0b7e3a1568      where it was stopped, until it ends

A job is a bulk operation, such as `cutover process retry ACME --yes`, an undo, or the erasure of a supplier. It goes on when its command ends: any server
with workers takes it over. What a stopped job has changed stays changed.";

/// Interval between two lines of progress.
const PROGRESS: Duration = Duration::from_secs(1);

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// List jobs, the last first
    List {
        /// Only those of this organisation
        #[arg(long, value_name = "NAME")]
        organisation: Option<String>,
    },
    /// Show a job
    Show(Named),
    /// Stop a job after its current batch
    Stop(Named),
    /// Resume a stopped job, and work on it until it ends
    Resume(Named),
}

#[derive(Debug, Args)]
pub(crate) struct Named {
    /// Id of the job, job_…
    id: String,
}

#[derive(Serialize)]
struct Shown {
    /// The zone of the times in the text.
    #[serde(skip)]
    zone: Zone,
    id: String,
    kind: String,
    supplier: String,
    state: String,
    matched: u64,
    changed: u64,
    skipped: u64,
    /// Of an undo: accounts that could not be undone.
    failed: u64,
    status: Option<String>,
    /// Of cancelled processes: those whose import was undone, or the others.
    undone: Option<bool>,
    error_code: Option<String>,
    before: Option<ZonedTime>,
    /// Of an undo.
    since: Option<ZonedTime>,
    run: Option<String>,
    wave: Option<u32>,
    has_numbers: bool,
    /// The reason of an undo or of an erasure.
    because: Option<String>,
    /// Of an erasure: number of removed rows by table.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    removed: BTreeMap<String, u64>,
    created_at: ZonedTime,
    created_by: String,
    ended_at: Option<ZonedTime>,
}

impl Shown {
    /// Shows a job, with its times in a zone.
    fn new(job: Job, zone: Zone) -> Self {
        let time = |at| ZonedTime::common(at, zone);
        Self {
            zone,
            id: job.name,
            kind: job.kind.to_string(),
            supplier: job.supplier,
            state: job.state.to_string(),
            matched: job.matched,
            changed: job.changed,
            skipped: job.skipped,
            failed: job.failed,
            status: job.filter.status.map(|status| status.to_string()),
            undone: job.filter.is_undone,
            error_code: job.filter.error_code,
            before: job.filter.before.map(time),
            since: job.filter.imported_since.filter(|_| job.filter.wave.is_none()).map(time),
            run: job.filter.run,
            wave: job.filter.wave,
            has_numbers: job.filter.is_list,
            because: job.because,
            removed: job.removed,
            created_at: time(job.created_at),
            created_by: job.actor,
            ended_at: job.ended_at.map(time),
        }
    }

    /// Shows a job in the zone of its supplier.
    fn one(app: &App, job: Job) -> Result<Self, Error> {
        let zone = app.as_command().zone_of(&job.supplier)?;
        Ok(Self::new(job, zone))
    }

    fn filter(&self) -> String {
        let mut filter: Vec<String> = Vec::new();
        filter.extend(self.status.as_ref().map(|status| format!("status {status}")));
        filter.extend(self.undone.map(|undone| if undone { "undone" } else { "not undone" }.to_owned()));
        filter.extend(self.error_code.as_ref().map(|code| format!("error {code}")));
        filter.extend(self.before.as_ref().map(|before| format!("before {before}")));
        filter.extend(self.since.as_ref().map(|since| format!("imported since {since}")));
        filter.extend(self.run.as_ref().map(|run| format!("imported by the run {run}")));
        filter.extend(self.wave.map(|wave| format!("imported by wave {wave}")));
        filter.extend(self.has_numbers.then(|| "a list of numbers".to_owned()));
        if filter.is_empty() { "-".to_owned() } else { plain(&filter.join(", ")) }
    }
}

impl Row for Shown {
    const HEADS: &'static [&'static str] =
        &["ID", "KIND", "SUPPLIER", "STATE", "MATCHED", "CHANGED", "SKIPPED", "CREATED"];
    const TIMES: &'static [&'static str] = &["CREATED"];
    const EMPTY: &'static str = "There are no jobs.";

    fn cells(&self) -> Vec<String> {
        vec![
            self.id.clone(),
            plain(&self.kind),
            plain(&self.supplier),
            plain(&self.state),
            self.matched.to_string(),
            self.changed.to_string(),
            self.skipped.to_string(),
            self.created_at.to_string(),
        ]
    }
}

impl Answer for Shown {
    fn text(&self) -> String {
        let ended = self.ended_at.as_ref().map_or_else(|| "-".to_owned(), ToString::to_string);
        pairs(&[
            ("id", self.id.clone()),
            ("kind", plain(&self.kind)),
            ("supplier", plain(&self.supplier)),
            ("filter", self.filter()),
            ("state", plain(&self.state)),
            ("matched", self.matched.to_string()),
            ("changed", self.changed.to_string()),
            ("skipped", self.skipped.to_string()),
            ("failed", self.failed.to_string()),
            ("created", format!("{} by {}", self.created_at, plain(&self.created_by))),
            ("ended", ended),
            ("time zone", self.zone.name().to_owned()),
        ])
    }
}

/// The counts of a job that has ended.
#[derive(Serialize)]
struct Counts {
    matched: u64,
    changed: u64,
    skipped: u64,
}

impl Answer for Counts {
    fn text(&self) -> String {
        let Self { matched, changed, skipped } = self;
        format!("{changed} of {matched} were changed, {skipped} were skipped.")
    }
}

/// The counts of an undo that has ended.
#[derive(Serialize)]
struct UndoCounts {
    undone: u64,
    kept: u64,
    failed: u64,
}

impl Answer for UndoCounts {
    fn text(&self) -> String {
        let Self { undone, kept, failed } = self;
        format!("{undone} imports were undone, {kept} accounts were kept, {failed} failed.")
    }
}

pub(super) fn run(context: &Context, command: Command) -> Result<(), Error> {
    let (app, output) = (context.app()?, context.output);
    match command {
        Command::List { organisation } => {
            let jobs = app.as_command().jobs(organisation.as_deref())?;
            let zone = app.as_command().common_zone(organisation.as_deref())?;
            output.list_in(&jobs.into_iter().map(|job| Shown::new(job, zone)).collect::<Vec<_>>(), zone)?;
        }
        Command::Show(Named { id }) => output.answer(&Shown::one(&app, app.as_command().show_job(&id)?)?)?,
        Command::Stop(Named { id }) => output.answer(&Shown::one(&app, app.as_command().stop_job(&id)?)?)?,
        Command::Resume(Named { id }) => {
            let job = app.as_command().resume_job(&id)?;
            work(&app, context, &job.name, None)?;
        }
    }
    Ok(())
}

/// Works on a job until it ends, shows its progress, and prints its counts.
pub(super) fn work(app: &App, context: &Context, name: &str, claim: Option<i64>) -> Result<(), Error> {
    let ended = run_to_end(app, context, name, claim)?;
    if ended.state != JobState::Done {
        return Err(Error::refused(format!(
            "{name} was stopped after {} of {}: resume it with `cutover job resume {name}`",
            ended.changed + ended.skipped + ended.failed,
            ended.matched
        )));
    }
    let Job { matched, changed, skipped, failed, .. } = ended;
    if ended.kind == JobKind::Undo {
        context.output.answer(&UndoCounts { undone: changed, kept: skipped, failed })?;
        return match failed {
            0 => Ok(()),
            _ => {
                Err(Error::refused(format!("{failed} accounts could not be undone: the log has the reasons")))
            }
        };
    }
    Ok(context.output.answer(&Counts { matched, changed, skipped })?)
}

/// Works on a job until it ends or is stopped, and shows its progress.
pub(super) fn run_to_end(app: &App, context: &Context, name: &str, claim: Option<i64>) -> Result<Job, Error> {
    let mut shown = Instant::now();
    Ok(app.as_command().run_job(name, claim, |job| {
        if !context.output.is_json() && shown.elapsed() >= PROGRESS {
            shown = Instant::now();
            eprintln!("{}: {} of {}", job.name, job.changed + job.skipped + job.failed, job.matched);
        }
    })?)
}
