//! The summary of a migration, as a page to print and as a file.

use super::links;
use super::page::{Frame, page};
use super::tables::{TableFigures, declared_tables};
use super::view::{duration, field_of_time, grouped, time};
use super::visit::{found, visited};
use crate::call::{Answer, Call};
use crate::request::query::Query;
use actix_web::HttpResponse;
use askama::Template;
use chrono::TimeDelta;
use cutover_app::App;
use cutover_app::operator::{ForcedRelease, Summary};
use cutover_model::{ControlTotals, Timestamp};

/// Height of the chart, in units of its drawing.
const HEIGHT: u64 = 1_000;
/// Width of a bar with the gap after it.
const STEP: u64 = 10;

#[derive(Template)]
#[template(path = "console/summary.html")]
struct Page {
    frame: Frame,
    link: String,
    zone: String,
    /// The time of the filter, as a field for times shows it.
    since: String,
    /// The query of the filter, for links.
    query: String,
    summary: Shown,
}

/// A summary as a page of its own, without scripts and without anything from elsewhere.
#[derive(Template)]
#[template(path = "summary.html")]
struct File {
    summary: Shown,
}

/// A summary for display.
struct Shown {
    code: String,
    status: String,
    at: String,
    zone: String,
    since: Option<String>,
    sent: String,
    imported: String,
    failed: String,
    has_failed: bool,
    refused: String,
    has_refused: bool,
    waiting: String,
    declared: Option<String>,
    /// The time from the first to the last end, and both.
    lasted: Option<String>,
    /// The beginnings of the first and the last bar.
    charted: Option<(String, String)>,
    totals: Vec<[String; 5]>,
    activity: Vec<(&'static str, String)>,
    /// Time, actor, checks and reason of each forced release.
    forced: Vec<(String, String, String, String)>,
    bar_minutes: u64,
    bars: Vec<Bar>,
    /// Width of the drawing.
    width: u64,
    /// Accounts of the highest bar.
    most: String,
}

/// A bar: accounts, and their place in the drawing.
struct Bar {
    at: String,
    imported: u64,
    failed: u64,
    x: u64,
    imported_top: u64,
    imported_height: u64,
    failed_top: u64,
    failed_height: u64,
}

fn shown_time(at: &Timestamp) -> String {
    at.format("%Y-%m-%d %H:%M").to_string()
}

/// Words for what happened, by the word of its kind.
fn words(kind: &'static str) -> &'static str {
    match kind {
        "accepted" => "Accepted",
        "queued_again" => "Sent again or retried",
        "imported" => "Imported",
        "dry_run_passed" => "Dry run passed",
        "failed" => "Failed",
        "dry_run_failed" => "Dry run failed",
        "refused" => "Refused",
        "cancelled" => "Cancelled",
        "undone" => "Import undone",
        other => other,
    }
}

impl From<&Summary> for Shown {
    fn from(summary: &Summary) -> Self {
        let number = |number: u64| grouped(&number.to_string());
        let minutes = i64::try_from(summary.duration_minutes).unwrap_or(i64::MAX / 60_000);
        let lasted = summary.first_at.as_ref().map(|_| duration(TimeDelta::minutes(minutes)));
        let ends = summary.bars.first().zip(summary.bars.last());
        let charted = ends.map(|(first, last)| (shown_time(&first.at), shown_time(&last.at)));
        let most = summary.bars.iter().map(|bar| bar.imported + bar.failed).max().unwrap_or_default();
        Self {
            code: summary.import_supplier.clone(),
            status: summary.status.clone(),
            at: shown_time(&summary.at),
            zone: summary.time_zone.clone(),
            since: summary.since.as_ref().map(shown_time),
            sent: number(summary.sent.accounts),
            imported: number(summary.imported.accounts),
            failed: number(summary.failed),
            has_failed: summary.failed > 0,
            refused: number(summary.refused),
            has_refused: summary.refused > 0,
            waiting: number(summary.waiting),
            declared: summary.manifest.as_ref().map(|manifest| number(manifest.declared.accounts)),
            lasted,
            charted,
            totals: totals(summary),
            activity: summary.activity.iter().map(|of| (words(of.kind), number(of.accounts))).collect(),
            forced: summary.forced_releases.iter().map(forced).collect(),
            bar_minutes: summary.bar_minutes,
            bars: bars(summary, most),
            width: STEP * (summary.bars.len() as u64).max(1),
            most: number(most),
        }
    }
}

fn forced(release: &ForcedRelease) -> (String, String, String, String) {
    let ForcedRelease { at, by, checks, because } = release;
    let because = because.clone().unwrap_or_else(|| "–".to_owned());
    (shown_time(at), by.clone(), checks.clone(), because)
}

/// Returns the name of each figure, and what was declared, sent, the difference, and what is imported.
fn totals(summary: &Summary) -> Vec<[String; 5]> {
    let manifest = summary.manifest.as_ref();
    let none = || "–".to_owned();
    let row = |name: &str, of: fn(&ControlTotals) -> String| {
        let declared = manifest.map_or_else(none, |manifest| grouped(&of(&manifest.declared)));
        [name.to_owned(), declared, grouped(&of(&summary.sent)), grouped(&of(&summary.imported))]
    };
    let rows = [
        row("Accounts", |totals| totals.accounts.to_string()),
        row("Balance of their ledgers", |totals| totals.ledger_balance.clone()),
        row("Readings", |totals| totals.readings.to_string()),
        row("Transactions", |totals| totals.transactions.to_string()),
        row("Documents", |totals| totals.documents.to_string()),
    ];
    let differences = match manifest.map(|manifest| &manifest.difference) {
        Some(of) => [
            grouped(&of.accounts.to_string()),
            grouped(&of.ledger_balance),
            grouped(&of.readings.to_string()),
            grouped(&of.transactions.to_string()),
            grouped(&of.documents.to_string()),
        ],
        None => [none(), none(), none(), none(), none()],
    };
    let joined = |([name, declared, sent, imported], difference): ([String; 4], String)| {
        [name, declared, sent, difference, imported]
    };
    let of_table =
        |table: TableFigures| [table.name, table.declared, table.sent, table.difference, table.imported];
    let tables = manifest.into_iter().flat_map(declared_tables).map(of_table);
    rows.into_iter().zip(differences).map(joined).chain(tables).collect()
}

/// Returns the bars in the drawing: imports below failures. `most` is the number of accounts of the highest.
fn bars(summary: &Summary, most: u64) -> Vec<Bar> {
    // A number of accounts, even a single one, is to be seen.
    let height = |accounts: u64| {
        let share = u128::from(accounts) * u128::from(HEIGHT) / u128::from(most.max(1));
        if accounts == 0 { 0 } else { u64::try_from(share).unwrap_or(HEIGHT).max(HEIGHT / 100) }
    };
    let bar = |(place, bar): (u64, &cutover_app::operator::SummaryBar)| {
        let (imported_height, failed_height) = (height(bar.imported), height(bar.failed));
        let imported_top = HEIGHT - imported_height;
        Bar {
            at: shown_time(&bar.at),
            imported: bar.imported,
            failed: bar.failed,
            x: place * STEP,
            imported_top,
            imported_height,
            failed_top: imported_top.saturating_sub(failed_height),
            failed_height,
        }
    };
    (0..).zip(&summary.bars).map(bar).collect()
}

/// Returns a summary as an HTML page.
///
/// # Errors
/// If it could not be written.
pub fn summary_html(summary: &Summary) -> Result<String, askama::Error> {
    File { summary: summary.into() }.render()
}

/// `GET /console/suppliers/<supplier>/summary/`: what the migration came to.
pub(crate) fn show(call: &mut Call) -> Answer<'_> {
    Box::pin(async move {
        Ok(visited(call, async |call, visitor| {
            let (caller, code, query) =
                (visitor.caller().clone(), call.parameter(0), call.query().to_owned());
            let job = move |app: &App| {
                let by = app.as_caller(&caller);
                let zone = found(by.show_supplier(&code))?.settings.time_zone;
                let since = Query::new(&query).read("since", |text| time(text, zone));
                Ok((found(by.summary(&code, since))?, since, zone))
            };
            let (summary, since, zone) = call.run_page(job).await?;
            let since = since.map(|since| field_of_time(since, zone)).unwrap_or_default();
            let shown = Page {
                frame: Frame::of(visitor).in_zone(zone),
                link: links::supplier(&summary.import_supplier),
                zone: zone.name().to_owned(),
                query: links::since(&since),
                since,
                summary: (&summary).into(),
            };
            Ok(page(&mut HttpResponse::Ok(), &shown)?)
        })
        .await)
    })
}
