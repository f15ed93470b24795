//! Undoing imports (contract D18).

use super::actions::because;
use super::links;
use super::page::{Frame, page, see_other};
use super::view::{grouped, time};
use super::visit::{Stop, done, found, visited};
use super::visitor::Visitor;
use crate::call::{Answer, Call};
use crate::request::query::Query;
use actix_web::HttpResponse;
use askama::Template;
use chrono::{DateTime, SecondsFormat, Utc};
use cutover_app::operator::{AccountGroup, JobOwner, UndoRequest, UndoScope, Undoable};
use cutover_app::port::KeptBecause;
use cutover_core::Zone;

/// Runs that are offered: the last ones.
const RUNS: u32 = 25;

/// The question which imports are to be undone, and then the confirmation with the number of accounts.
#[derive(Template)]
#[template(path = "console/undo.html")]
struct Page {
    frame: Frame,
    title: String,
    /// The path of the action.
    action: String,
    /// The path of the page to return to.
    back: String,
    /// The name and the value of the field that chooses, as the form sends it again; empty until it is chosen.
    chosen: (&'static str, String),
    /// The zone of the time that is asked for.
    zone: &'static str,
    /// The names of runs.
    runs: Vec<String>,
    found: Option<Found>,
}

struct Found {
    has_none: bool,
    undo: Group,
    kept: Vec<Group>,
}

/// Accounts that are treated alike.
struct Group {
    what: &'static str,
    count: String,
    examples: String,
}

impl Group {
    fn new(what: &'static str, group: AccountGroup) -> Self {
        let more = if group.count > group.examples.len() as u64 { ", …" } else { "" };
        let examples = format!("{}{more}", group.examples.join(", "));
        Self { what, count: grouped(&group.count.to_string()), examples }
    }
}

impl From<Undoable> for Found {
    fn from(found: Undoable) -> Self {
        let kept = |(reason, group)| {
            let what = match reason {
                KeptBecause::Billed => "Billed",
                KeptBecause::Changed => "Something was added since",
                KeptBecause::Archived => "Archived",
            };
            Group::new(what, group)
        };
        Self {
            has_none: found.undo.count == 0,
            undo: Group::new("Unchanged since the import", found.undo),
            kept: found.kept.into_iter().map(kept).collect(),
        }
    }
}

/// Reads the choice of a query or a form, one of three; `None` if there is none. A time is one in the zone of the supplier.
fn chosen(text: &str, zone: Zone) -> Result<Option<UndoScope>, Stop> {
    let value =
        |name| Query::new(text).read(name, |text| Some(text.to_owned())).filter(|text| !text.is_empty());
    if let Some(run) = value("run") {
        return Ok(Some(UndoScope::Run(run)));
    }
    if let Some(wave) = value("wave") {
        let wave = wave.parse().map_err(|_| Stop::NotDone("A wave is a number.".into()))?;
        return Ok(Some(UndoScope::Wave(wave)));
    }
    value("since").map(|text| since(&text, zone).map(UndoScope::Since)).transpose()
}

/// Reads a time: in a zone, as fields for times send it, or with an offset.
fn since(text: &str, zone: Zone) -> Result<DateTime<Utc>, Stop> {
    time(text, zone).ok_or_else(no_choice)
}

fn no_choice() -> Stop {
    Stop::NotDone("Choose since when.".into())
}

/// Returns the field of a form that chooses the same again.
fn field(which: &UndoScope) -> (&'static str, String) {
    match which {
        UndoScope::Since(since) => ("since", since.to_rfc3339_opts(SecondsFormat::AutoSi, true)),
        UndoScope::Run(run) => ("run", run.clone()),
        UndoScope::Wave(wave) => ("wave", wave.to_string()),
        UndoScope::Numbers(_) => ("number", String::new()),
    }
}

/// Returns the zone of a supplier. Refuses one that the visitor's organisation does not have.
async fn zone_of(call: &Call, visitor: &Visitor, code: &str) -> Result<Zone, Stop> {
    let (caller, code) = (visitor.caller().clone(), code.to_owned());
    let supplier = call.run(move |app| found(app.as_caller(&caller).show_supplier(&code))).await?;
    Ok(supplier.settings.time_zone)
}

/// `GET /console/suppliers/<supplier>/undo/`: asks for a time, a run or a wave, and then counts the accounts and asks for confirmation.
pub(crate) fn ask(call: &mut Call) -> Answer<'_> {
    Box::pin(async move {
        Ok(visited(call, async |call, visitor| {
            let (caller, code) = (visitor.caller().clone(), call.parameter(0));
            let zone = zone_of(call, visitor, &code).await?;
            let which = chosen(call.query(), zone)?;
            let back = links::supplier(&code);
            let mut question = Page {
                frame: Frame::of(visitor),
                title: "Undo imports".to_owned(),
                action: format!("{back}undo/"),
                back: format!("{back}#accounts"),
                chosen: ("", String::new()),
                zone: zone.name(),
                runs: Vec::new(),
                found: None,
            };
            if let Some(which) = which {
                question.chosen = field(&which);
                let request = UndoRequest { supplier: code, which };
                let found = call.run(move |app| done(app.as_caller(&caller).undoable(&request))).await?;
                let found = Found::from(found.map_err(Stop::NotDone)?);
                question.title = match found.undo.count.as_str() {
                    "1" => "Undo the import of 1 account?".to_owned(),
                    count => format!("Undo the imports of {count} accounts?"),
                };
                question.found = Some(found);
            } else {
                let runs = call.run(move |app| found(app.as_caller(&caller).runs(&code, None, RUNS))).await?;
                question.runs = runs.runs.into_iter().map(|report| report.run.name).collect();
            }
            Ok(page(&mut HttpResponse::Ok(), &question)?)
        })
        .await)
    })
}

/// `POST /console/suppliers/<supplier>/undo/`: begins a job.
pub(crate) fn begin(call: &mut Call) -> Answer<'_> {
    Box::pin(async move {
        Ok(visited(call, async |call, visitor| {
            let (caller, supplier) = (visitor.caller().clone(), call.parameter(0));
            let zone = zone_of(call, visitor, &supplier).await?;
            let form = call.form().await?;
            let which = chosen(&form, zone)?.ok_or_else(no_choice)?;
            let because = because(&form).ok_or_else(|| Stop::NotDone("An undo needs a reason.".into()))?;
            let request = UndoRequest { supplier, which };
            let begin = move |app: &cutover_app::App| {
                done(app.as_caller(&caller).begin_undo(&request, &because, JobOwner::Workers))
            };
            let begun = call.run(begin).await?;
            let job = begun.map_err(Stop::NotDone)?;
            super::jobs::log(call, visitor, "undo", &job);
            Ok(see_other(&links::job(&job.name)))
        })
        .await)
    })
}
