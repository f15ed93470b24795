use super::certificate::{check, write};
use crate::cli::audit::since;
use crate::context::Context;
use crate::error::Error;
use crate::output::{Answer, pairs};
use chrono::{DateTime, Utc};
use clap::Args;
use cutover_app::App;
use cutover_app::operator::{ForcedRelease, Summary};
use cutover_http::summary_html;
use cutover_model::Timestamp;
use serde::Serialize;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct SummaryArgs {
    /// Code of the supplier
    code: String,
    /// Count what happened since this day (in UTC) or time only, for example 2026-11-21T20:00:00+11:00
    #[arg(long, value_name = "TIME", value_parser = since)]
    since: Option<DateTime<Utc>>,
    /// New file for the summary as a page, which can be printed
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
}

#[derive(Serialize)]
struct Shown {
    #[serde(flatten)]
    summary: Summary,
    #[serde(skip)]
    file: Option<String>,
}

fn time(at: &Timestamp) -> String {
    at.format("%Y-%m-%d %H:%M").to_string()
}

impl Answer for Shown {
    fn text(&self) -> String {
        let Summary { manifest, sent, imported, first_at, last_at, .. } = &self.summary;
        let declared = manifest.as_ref().map(|manifest| &manifest.declared);
        let money = |declared: Option<String>| {
            let declared = declared.unwrap_or_else(|| "nothing".to_owned());
            format!("{declared} declared, {} sent, {} imported", sent.ledger_balance, imported.ledger_balance)
        };
        let lasted = match (first_at, last_at) {
            (Some(first), Some(last)) => {
                format!("{} min, {} to {}", self.summary.duration_minutes, time(first), time(last))
            }
            _ => "no account has ended".to_owned(),
        };
        let mut lines = vec![
            ("supplier", self.summary.import_supplier.clone()),
            ("time zone", self.summary.time_zone.clone()),
            ("declared", declared.map_or("nothing".to_owned(), |totals| totals.accounts.to_string())),
            ("sent", sent.accounts.to_string()),
            ("imported", imported.accounts.to_string()),
            ("failed", self.summary.failed.to_string()),
            ("refused", self.summary.refused.to_string()),
            ("waiting", self.summary.waiting.to_string()),
            ("ledger balance", money(declared.map(|totals| totals.ledger_balance.clone()))),
            ("duration", lasted),
        ];
        let happened = self.summary.activity.iter().filter(|of| of.accounts > 0);
        lines.extend(happened.map(|of| ("counted", format!("{} {}", of.accounts, of.kind))));
        let forced = |release: &ForcedRelease| {
            let ForcedRelease { at, by, checks, because } = release;
            let because = because.as_deref().unwrap_or("no reason");
            ("forced release", format!("{} by {by}, although {checks}: {because}", time(at)))
        };
        lines.extend(self.summary.forced_releases.iter().map(forced));
        lines.extend(self.file.iter().map(|file| ("written", file.clone())));
        pairs(&lines)
    }
}

pub(super) fn run(app: &App, context: &Context, args: &SummaryArgs) -> Result<(), Error> {
    check(args.html.as_ref())?;
    let summary = app.as_command().summary(&args.code, args.since)?;
    let mut file = None;
    if let Some(path) = &args.html {
        let html = summary_html(&summary).map_err(|error| Error::refused(error.to_string()))?;
        file = Some(write(path, &html)?);
    }
    Ok(context.output.answer(&Shown { summary, file })?)
}
