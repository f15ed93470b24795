use super::readiness;
use super::shown::{HeldShown, Shown, with_command};
use crate::context::Context;
use crate::error::Error;
use crate::output::{Answer, ZonedTime};
use chrono::{DateTime, Utc};
use clap::Args;
use cutover_app::operator::{Forecast, ForecastPart, Release, Released, in_words};
use cutover_core::Zone;
use serde::Serialize;

#[derive(Debug, Args)]
pub(crate) struct ReleaseArgs {
    /// Code of the supplier
    code: String,
    /// Release although a check of its readiness says stop; needs a reason
    #[arg(long, requires = "because")]
    force: bool,
    /// Begin the next wave although the running one has not ended, or too many of its accounts have failed; needs a
    /// reason
    #[arg(long, requires = "because")]
    next_wave: bool,
    /// When the last reason of the hold was added, as `supplier show` prints it; refused if another one was added since
    #[arg(long, value_name = "TIME", value_parser = crate::cli::audit::since)]
    held_since: Option<DateTime<Utc>>,
    /// Reason, for the audit trail
    #[arg(long, value_name = "TEXT")]
    because: Option<String>,
}

/// The time that accounts need.
#[derive(Serialize)]
struct Part {
    accounts: u64,
    seconds: Option<i64>,
    finish_at: Option<ZonedTime>,
}

impl Part {
    fn new(part: &ForecastPart, zone: Zone) -> Self {
        Self {
            accounts: part.accounts,
            seconds: part.time.map(|time| time.num_seconds()),
            finish_at: part.finish_at.map(|at| ZonedTime::local(at, zone)),
        }
    }

    fn text(&self) -> String {
        let accounts = format!("{} accounts", self.accounts);
        match (self.seconds, &self.finish_at) {
            (Some(seconds), Some(at)) => {
                let time = in_words(chrono::TimeDelta::seconds(seconds));
                format!("{accounts}, {time}, until {at}")
            }
            _ => format!("{accounts}; no rate is known yet"),
        }
    }
}

#[derive(Serialize)]
struct Wave {
    number: u32,
    #[serde(flatten)]
    part: Part,
}

/// A forecast, as it is shown.
#[derive(Serialize)]
struct ForecastShown {
    rate_per_minute: Option<String>,
    wave: Option<Wave>,
    whole: Part,
}

impl ForecastShown {
    fn new(forecast: &Forecast, zone: Zone) -> Self {
        let wave =
            |(number, part): &(u32, ForecastPart)| Wave { number: *number, part: Part::new(part, zone) };
        Self {
            rate_per_minute: forecast.rate_per_minute.map(|rate| rate.to_string()),
            wave: forecast.wave.as_ref().map(wave),
            whole: Part::new(&forecast.whole, zone),
        }
    }

    fn text(&self) -> String {
        let mut lines = Vec::new();
        lines.extend(self.rate_per_minute.as_ref().map(|rate| format!("Rate     {rate} a minute")));
        lines.extend(self.wave.as_ref().map(|wave| format!("Wave {:<3} {}", wave.number, wave.part.text())));
        lines.push(format!("Whole    {}", self.whole.text()));
        lines.join("\n")
    }
}

/// A supplier after a release, with the hold that ended and the forecast.
#[derive(Serialize)]
struct Done {
    #[serde(flatten)]
    supplier: Shown,
    ended: Option<HeldShown>,
    forecast: ForecastShown,
}

impl Answer for Done {
    fn text(&self) -> String {
        let ended = match &self.ended {
            Some(ended) => format!("Ended    the hold {}", ended.text()),
            None => "It was not held.".to_owned(),
        };
        format!("{ended}\n{}\n\n{}", self.forecast.text(), self.supplier.text())
    }
}

pub(super) fn run(context: &Context, args: ReleaseArgs) -> Result<(), Error> {
    let ReleaseArgs { code, force, next_wave, held_since, because } = args;
    let app = readiness::open(context)?;
    if let Some(hold) = app.as_command().show_hold(&code)?.filter(|_| held_since.is_none()) {
        let zone = app.as_command().show_supplier(&code)?.settings.time_zone;
        return Err(Error::refused(format!("{code} is held {}", with_command(&code, &hold, zone))));
    }
    let services = readiness::probe(&app, &code)?;
    let release = Release { because, is_forced: force, is_next_wave: next_wave, held_since };
    let Released { supplier, ended, forecast } =
        app.as_command().release_supplier(&code, &release, &services)?;
    let zone = supplier.settings.time_zone;
    let (ended, forecast) =
        (ended.map(|hold| HeldShown::of(&hold, zone)), ForecastShown::new(&forecast, zone));
    let supplier = super::shown(&app, &code)?;
    Ok(context.output.answer(&Done { supplier, ended, forecast })?)
}
