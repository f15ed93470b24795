//! The page of one account: the history of its import, the payload of the last attempt, and the imported data.

mod attempts;
mod blocks;
mod difference;
mod imported;
mod issue;
mod mask;
mod payload;
#[cfg(test)]
mod payload_tests;
mod value;

use super::links;
use super::page::{Frame, render, see_other, written};
use super::view::{Moment, Status};
use super::visit::{Stop, found, visited};
use super::visitor::Visitor;
use crate::call::{Answer, Call};
use crate::refusal::Refusal;
use crate::request::query::Query;
use actix_web::HttpResponse;
use askama::Template;
pub(super) use blocks::{Layout, Section};
use cutover_app::App;
use cutover_app::operator::{AccountView, OperatorError, ProcessReport, SentPayload};
use cutover_app::port::JobKind;
use cutover_core::{SupplierCode, Zone};
use cutover_process::{HistoryEntry, State};
use issue::Issue;
pub(super) use mask::Mask;
use payload::Payload;
pub(super) use value::Value;

pub(crate) use attempts::compare;

/// Maximum number of steps and findings shown; the command line shows all.
const MOST: usize = 100;

#[derive(Template)]
#[template(path = "console/account.html")]
struct Page {
    frame: Frame,
    supplier: String,
    supplier_link: String,
    link: String,
    number: String,
    status: Status,
    /// Set while the process may still change.
    is_live: bool,
    can_cancel: bool,
    can_retry: bool,
    can_erase: bool,
    /// Where it stands.
    sentence: String,
    facts: Vec<(&'static str, String)>,
    moments: Vec<(&'static str, Moment)>,
    error: Option<(String, String)>,
    steps: Vec<Step>,
    more_steps: usize,
    errors: Vec<Issue>,
    more_errors: usize,
    warnings: Vec<Issue>,
    more_warnings: usize,
    sent: Option<Sent>,
    /// The link to the comparison with the attempt before it, and its number.
    previous: Option<(String, u32)>,
    sections: Vec<Section>,
    is_revealed: bool,
}

/// The payload of the last attempt.
enum Sent {
    Payload(Payload),
    /// It cannot be read, with the reason.
    Unreadable(String),
}

/// A step in the history.
struct Step {
    at: Moment,
    event: String,
    status: Status,
    attempt: u32,
    actor: String,
}

impl Step {
    fn new(entry: &HistoryEntry, zone: Zone) -> Self {
        Self {
            at: Moment::new(entry.occurred_at, zone),
            // An unknown event is shown by its name.
            event: entry.event.known().map_or(entry.event.to_string(), |event| event.meaning().to_owned()),
            status: Status::new(&entry.to, entry.to.known().copied().unwrap_or(State::Pending)),
            attempt: entry.attempt,
            actor: entry.actor.to_string(),
        }
    }
}

/// `GET /console/suppliers/<supplier>/accounts/<number>/`: without personal data.
pub(crate) fn show(call: &mut Call) -> Answer<'_> {
    Box::pin(async move {
        Ok(visited(call, async |call, visitor| {
            let asked = call.query().to_owned();
            answer(call, visitor, &asked, Mask::Personal).await
        })
        .await)
    })
}

/// `POST /console/suppliers/<supplier>/accounts/<number>/reveal/`: with personal data. The access is logged.
pub(crate) fn reveal(call: &mut Call) -> Answer<'_> {
    Box::pin(async move {
        Ok(visited(call, async |call, visitor| {
            let asked = call.form().await?;
            answer(call, visitor, &asked, Mask::Nothing).await
        })
        .await)
    })
}

/// `GET /console/suppliers/<supplier>/accounts/<number>/reveal/`: redirects to the page without personal
/// data.
pub(crate) fn back(call: &mut Call) -> Answer<'_> {
    Box::pin(async move {
        let link = links::account(&call.parameter(0), &call.parameter(1));
        Ok(visited(call, async |_, _| Ok(see_other(&link))).await)
    })
}

async fn answer(call: &mut Call, visitor: &Visitor, asked: &str, mask: Mask) -> Result<HttpResponse, Stop> {
    let (caller, code, number) = (visitor.caller().clone(), call.parameter(0), call.parameter(1));
    let selected = selected(asked);
    let frame = Frame::of(visitor);
    let job = move |app: &App| {
        let supplier = found(app.as_caller(&caller).show_supplier(&code))?;
        let code = supplier.code.as_str();
        let view = match mask {
            Mask::Nothing => app.as_caller(&caller).reveal_account(code, &number),
            _ => app.as_caller(&caller).show_account(code, &number),
        };
        // An account that was never accepted has no page, but its faults are known.
        if let (Err(OperatorError::NotFound { .. }), Ok(of)) = (&view, number.parse())
            && app.refused_create(&caller, code, &of)?.is_some_and(|refused| !refused.is_empty())
        {
            return Ok(Err(links::refused(code, &number)));
        }
        let view = found(view)?;
        let account = view.report.account.as_ref().map(|account| account.number.to_string());
        // Laid out on this thread, off the event loop: large accounts take a while.
        let html = render(&laid_out(frame, &supplier.code, view, selected, mask)?)?;
        Ok(Ok((account, supplier.code, html)))
    };
    let (account, supplier, html) = match call.run(job).await? {
        Ok(shown) => shown,
        Err(link) => return Ok(see_other(&link)),
    };
    if mask == Mask::Nothing {
        log(call, visitor, supplier.as_str(), account.as_deref());
    }
    Ok(written(&mut HttpResponse::Ok(), html))
}

/// Logs access to personal data, by ids only.
fn log(call: &Call, visitor: &Visitor, supplier: &str, account: Option<&str>) {
    let (request_id, key) = (call.request_id().unwrap_or_default(), &visitor.caller().key_prefix);
    tracing::info!(
        target: "cutover::audit", request_id, key, action = "reveal", supplier, account, "done in the console"
    );
}

/// Reads the list that is to show another page than its first, and the number of that page.
pub(super) fn selected(asked: &str) -> Option<(String, usize)> {
    let mut query = Query::new(asked);
    let part = query.read("part", |part| Some(part.to_owned()));
    part.zip(query.read("page", |page| page.parse().ok()))
}

fn laid_out(
    frame: Frame,
    supplier: &SupplierCode,
    view: AccountView,
    selected: Option<(String, usize)>,
    mask: Mask,
) -> Result<Page, Refusal> {
    let AccountView { report, sent, previous } = view;
    let link = links::account(supplier.as_str(), &report.external_account_number);
    let layout = Layout { link: &link, title: "Account", selected, mask };
    let members =
        report.account.as_ref().map(|account| imported::members(account, report.zone)).transpose()?;
    let sections = members.map(|members| layout.sections(members)).unwrap_or_default();
    let Findings { errors, warnings, sent } = Findings::new(&report, sent, mask);
    let state = report.stored_status.known().copied();
    let can_be_submitted_again = state.is_some_and(|state| state.has_ended() && !state.is_final());
    Ok(Page {
        frame: frame.in_zone(report.zone),
        supplier: supplier.to_string(),
        supplier_link: links::supplier(supplier.as_str()),
        is_live: !state.is_some_and(State::is_final),
        can_cancel: state.is_some_and(|state| JobKind::Cancel.begins_from(state)),
        can_retry: can_be_submitted_again && report.archived_at.is_none(),
        can_erase: state.is_some_and(|state| state != State::InProgress),
        status: match report.is_undone {
            true => Status::undone(),
            false => Status::new(&report.stored_status, report.status.status),
        },
        sentence: report.sentence.clone(),
        facts: facts(&report),
        moments: moments(&report),
        steps: report.history.iter().rev().take(MOST).map(|entry| Step::new(entry, report.zone)).collect(),
        more_steps: beyond(&report.history),
        errors,
        more_errors: beyond(&report.issues.errors),
        warnings,
        more_warnings: beyond(&report.issues.warnings),
        sent,
        previous: previous.map(|attempt| (format!("{link}difference/"), attempt)),
        sections,
        is_revealed: mask == Mask::Nothing,
        error: report.status.latest_error.map(|error| (error.code.to_string(), error.detail.into_owned())),
        number: report.external_account_number,
        link,
    })
}

fn facts(report: &ProcessReport) -> Vec<(&'static str, String)> {
    let account = report.status.service_identifier.as_ref().map(ToString::to_string);
    vec![("Imported as", account.unwrap_or_else(|| "–".to_owned())), ("Attempt", report.attempt.to_string())]
}

fn moments(report: &ProcessReport) -> Vec<(&'static str, Moment)> {
    let status = &report.status;
    let mut moments =
        vec![("Created", status.created_at.0.to_utc()), ("Changed", status.modified_at.0.to_utc())];
    moments.extend(report.billed_at.map(|at| ("Billed", at)));
    moments.extend(report.archived_at.map(|at| ("Archived", at)));
    moments.into_iter().map(|(name, at)| (name, Moment::new(at, report.zone))).collect()
}

/// The first issues of an account, and its payload, which has marks where they are.
struct Findings {
    errors: Vec<Issue>,
    warnings: Vec<Issue>,
    sent: Option<Sent>,
}

impl Findings {
    fn new(report: &ProcessReport, sent: SentPayload, mask: Mask) -> Self {
        let ProcessReport { issues, references, .. } = report;
        let (errors, warnings) = (first(&issues.errors), first(&issues.warnings));
        let sent = shown(sent, &payload::marks(errors, warnings), mask);
        let anchor = |id: &str| match &sent {
            Some(Sent::Payload(payload)) => payload.anchor(id),
            _ => None,
        };
        Self {
            errors: issue::all("error", errors, references, anchor),
            warnings: issue::all("warning", warnings, references, anchor),
            sent,
        }
    }
}

/// Lays out the payload of the last attempt.
fn shown(sent: SentPayload, marks: &[(&str, payload::Mark)], mask: Mask) -> Option<Sent> {
    match sent {
        SentPayload::None => None,
        SentPayload::Unreadable(reason) => Some(Sent::Unreadable(reason)),
        SentPayload::Json(json) => Some(match read(&json) {
            Some(root) => Sent::Payload(Payload::new(&root, marks, mask)),
            None => Sent::Unreadable("it is not JSON".to_owned()),
        }),
    }
}

/// Reads an accepted payload. It is valid JSON of bounded depth.
fn read(json: &[u8]) -> Option<Value> {
    Value::read(std::str::from_utf8(json).ok()?).ok()
}

/// Returns the items that are shown.
fn first<T>(items: &[T]) -> &[T] {
    &items[..items.len().min(MOST)]
}

/// Returns the number of items beyond those shown.
fn beyond<T>(items: &[T]) -> usize {
    items.len().saturating_sub(MOST)
}
