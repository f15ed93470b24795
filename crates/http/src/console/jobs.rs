//! Bulk operations and their jobs (contract D14).

use super::actions::{Expected, MOST_EXPECTED, Warning, because};
use super::links;
use super::page::{Frame, page, see_other};
use super::view::{Moment, ROWS, grouped};
use super::visit::{Stop, done, found, visited};
use super::visitor::Visitor;
use crate::call::{Answer, Call};
use crate::request::query::Query;
use actix_web::HttpResponse;
use askama::Template;
use cutover_app::App;
use cutover_app::account::AccountFilter;
use cutover_app::operator::{BulkOutlook, BulkRequest, JobOwner, Operations, OperatorError};
use cutover_app::port::{Job, JobKind, JobState};
use cutover_core::Zone;
use cutover_process::State;

/// The path of the list of jobs.
const JOBS: &str = "/console/jobs/";

#[derive(Template)]
#[template(path = "console/jobs.html")]
struct List {
    frame: Frame,
    jobs: Vec<Row>,
    is_first: bool,
    /// The link to the next page.
    next: Option<String>,
}

#[derive(Template)]
#[template(path = "console/job.html")]
struct Page {
    frame: Frame,
    job: Row,
}

/// The confirmation of a bulk operation, with the number of accounts.
#[derive(Template)]
#[template(path = "console/bulk.html")]
struct Question {
    frame: Frame,
    title: String,
    text: &'static str,
    warning: Option<Warning>,
    yes: &'static str,
    is_grave: bool,
    /// Set if the operation asks for a reason.
    needs_reason: bool,
    /// The path of the action.
    action: String,
    /// The path of the page to return to.
    back: String,
    has_none: bool,
    /// The filter, which the form sends again.
    status: &'static str,
    is_undone: bool,
    error_code: String,
}

/// A job in the list and on its page.
struct Row {
    name: String,
    link: String,
    kind: &'static str,
    supplier: String,
    supplier_link: String,
    filter: String,
    label: &'static str,
    class: &'static str,
    matched: String,
    changed: String,
    skipped: String,
    /// Of an undo: accounts that could not be undone.
    failed: Option<String>,
    created: Moment,
    actor: String,
    ended: Option<Moment>,
    can_stop: bool,
    can_resume: bool,
}

impl Row {
    fn new(job: Job, zone: Zone) -> Self {
        let (label, class) = match job.state.known() {
            Some(JobState::Preparing) => ("Being prepared", "pending"),
            Some(JobState::Running) => ("Running", "in_progress"),
            Some(JobState::Stopped) => ("Stopped", "cancelled"),
            Some(JobState::Done) => ("Done", "processed"),
            None => ("Unknown", "pending"),
        };
        let kind = match job.kind.known() {
            Some(JobKind::Retry) => "Retry",
            Some(JobKind::Cancel) => "Cancel",
            Some(JobKind::Erase) => "Erase rehearsals",
            Some(JobKind::Undo) => "Undo imports",
            Some(JobKind::EraseSupplier) => "Erase supplier",
            None => "Other",
        };
        let count = |count: u64| grouped(&count.to_string());
        Self {
            link: links::job(&job.name),
            kind,
            supplier_link: links::supplier(&job.supplier),
            filter: filter(&job, zone),
            label,
            class,
            matched: count(job.matched),
            changed: count(job.changed),
            skipped: count(job.skipped),
            failed: (job.kind == JobKind::Undo).then(|| count(job.failed)),
            created: Moment::new(job.created_at, zone),
            ended: job.ended_at.map(|at| Moment::new(at, zone)),
            can_stop: job.state == JobState::Running,
            can_resume: job.state == JobState::Stopped,
            actor: job.actor,
            supplier: job.supplier,
            name: job.name,
        }
    }
}

fn filter(job: &Job, zone: Zone) -> String {
    let shown = |at| Moment::new(at, zone).shown;
    let mut parts = Vec::new();
    parts.extend(job.filter.status.as_ref().map(|status| format!("status {status}")));
    parts.extend(job.filter.is_undone.map(|is| if is { "undone" } else { "not undone" }.to_owned()));
    parts.extend(job.filter.error_code.as_ref().map(|code| format!("error {code}")));
    parts.extend(job.filter.before.map(|before| format!("before {}", shown(before))));
    parts.extend(
        job.filter
            .imported_since
            .filter(|_| job.filter.wave.is_none())
            .map(|since| format!("imported since {}", shown(since))),
    );
    parts.extend(job.filter.run.as_ref().map(|run| format!("imported by the run {run}")));
    parts.extend(job.filter.wave.map(|wave| format!("imported by wave {wave}")));
    parts.extend(job.filter.is_list.then(|| "a list of numbers".to_owned()));
    if parts.is_empty() { "–".to_owned() } else { parts.join(", ") }
}

/// A bulk operation of the console.
#[derive(Clone, Copy)]
struct Operation {
    kind: JobKind,
    word: &'static str,
    /// The question before and after the number of accounts.
    title: (&'static str, &'static str),
    text: &'static str,
    yes: &'static str,
    is_grave: bool,
}

const RETRY: Operation = Operation {
    kind: JobKind::Retry,
    word: "retry",
    title: ("Retry", "?"),
    text: "Another attempt is made for each, with the data that was sent last.",
    yes: "Retry",
    is_grave: false,
};
const CANCEL: Operation = Operation {
    kind: JobKind::Cancel,
    word: "cancel",
    title: ("Cancel the imports of", "?"),
    text: "They are taken out before they are imported. They can be retried, and sent again.",
    yes: "Cancel the imports",
    is_grave: true,
};

const ERASE: Operation = Operation {
    kind: JobKind::Erase,
    word: "erase-rehearsed",
    title: ("Erase the rehearsals of", "?"),
    text: "What is kept of them is removed for good, with their history. They can be sent again. Documents stay.",
    yes: "Erase",
    is_grave: true,
};

/// Returns the links to the operations on the accounts of a filter, with their labels.
pub(super) fn operations(supplier: &str, filter: &AccountFilter) -> Vec<(&'static str, String)> {
    let error_code = filter.error_code.as_ref();
    if filter.is_undone == Some(true) || filter.status == Some(State::Cancelled) {
        return of_cancelled(supplier, filter);
    }
    let (status, mut query) = (filter.status, String::new());
    if let Some(status) = status {
        query.push_str(&format!("&status={status}"));
    }
    if let Some(code) = error_code {
        query.push_str(&format!("&error_code={code}"));
    }
    let query = query.strip_prefix('&').map(|query| format!("?{query}")).unwrap_or_default();
    let link = |word| format!("{}{word}/{query}", links::supplier(supplier));
    match (status, error_code) {
        (None, None) => {
            vec![("Retry all that failed…", link("retry")), ("Cancel all that wait…", link("cancel"))]
        }
        (None, Some(_)) => vec![("Retry these…", link("retry"))],
        (Some(State::Processed), None) => {
            vec![("Undo imports…", format!("{}undo/", links::supplier(supplier)))]
        }
        (Some(status), code) => {
            let offers = [
                (JobKind::Retry.begins_from(status), "Retry these…", "retry"),
                // Only failed accounts have an error, and most of them have nothing to cancel.
                (JobKind::Cancel.begins_from(status) && code.is_none(), "Cancel these…", "cancel"),
                (JobKind::Erase.begins_from(status), "Erase these…", "erase-rehearsed"),
            ];
            offers
                .into_iter()
                .filter(|(is_offered, ..)| *is_offered)
                .map(|(_, label, word)| (label, link(word)))
                .collect()
        }
    }
}

/// Returns the links to the operations on cancelled accounts. One takes what somebody cancelled, another what was undone.
fn of_cancelled(supplier: &str, filter: &AccountFilter) -> Vec<(&'static str, String)> {
    let link = |undone: &str| format!("{}retry/?status=CANCELLED{undone}", links::supplier(supplier));
    let (cancelled, undone) = (link(""), link("&undone=true"));
    match (filter.status, filter.is_undone) {
        (None | Some(State::Cancelled), Some(true)) => vec![("Retry these…", undone)],
        (_, Some(false)) => vec![("Retry these…", cancelled)],
        (_, None) => vec![("Retry what was cancelled…", cancelled), ("Retry what was undone…", undone)],
        (Some(_), Some(true)) => Vec::new(),
    }
}

/// Reads the filter of a link or a form. Values that are none are left out of the links, and match nothing here.
fn request(kind: JobKind, supplier: String, query: &str) -> Result<BulkRequest, Stop> {
    let mut query = Query::new(query);
    let text = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    let status = query.read("status", text).map(|status| status.parse::<State>()).transpose();
    let status = status.map_err(|_| Stop::NotDone("There is no such status.".into()))?;
    let is_undone = query.read("undone", |text| (text == "true").then_some(())).is_some();
    let error_code = query.read("error_code", text);
    Ok(BulkRequest { kind, supplier, status, is_undone, error_code, before: None, numbers: None })
}

fn ask(call: &mut Call, what: Operation) -> Answer<'_> {
    Box::pin(async move {
        Ok(visited(call, async |call, visitor| {
            let (caller, code) = (visitor.caller().clone(), call.parameter(0));
            let request = request(what.kind, code, call.query())?;
            let counted = request.clone();
            let job = move |app: &App| {
                let by = app.as_caller(&caller);
                done(by.count_bulk(&counted).and_then(|count| Ok((count, by.bulk_outlook(&counted)?))))
            };
            let (count, outlook) = call.run(job).await?.map_err(Stop::NotDone)?;
            let back = links::supplier(&request.supplier);
            let accounts = if count == 1 { "account" } else { "accounts" };
            let question = Question {
                frame: Frame::of(visitor),
                title: format!("{} {} {accounts}{}", what.title.0, grouped(&count.to_string()), what.title.1),
                text: what.text,
                warning: fail_again(&outlook, count),
                yes: what.yes,
                is_grave: what.is_grave,
                needs_reason: what.kind.removes(),
                action: format!("{back}{}/", what.word),
                back: format!("{back}#accounts"),
                has_none: count == 0,
                status: request.status.map_or("", State::as_str),
                is_undone: request.is_undone,
                error_code: request.error_code.unwrap_or_default(),
            };
            Ok(page(&mut HttpResponse::Ok(), &question)?)
        })
        .await)
    })
}

/// Returns the warning that accounts would fail again.
fn fail_again(outlook: &BulkOutlook, count: u64) -> Option<Warning> {
    let number = |count: u64| grouped(&count.to_string());
    let of = match outlook.checked == count {
        true => format!("of {}", number(count)),
        false => format!("of the first {}", number(outlook.checked)),
    };
    let expected = |(code, accounts): &(String, u64)| Expected {
        link: links::explanation(code),
        code: code.clone(),
        at: format!("{} {}", number(*accounts), if *accounts == 1 { "account" } else { "accounts" }),
        detail: String::new(),
    };
    (outlook.failing > 0).then(|| Warning {
        text: format!(
            "{} {of} would fail again: their payloads, the rules and the stored data have been checked just now, \
             without documents.",
            number(outlook.failing)
        ),
        errors: outlook.codes.iter().take(MOST_EXPECTED).map(expected).collect(),
        more: outlook.codes.len().saturating_sub(MOST_EXPECTED),
    })
}

fn begin(call: &mut Call, what: Operation) -> Answer<'_> {
    Box::pin(async move {
        Ok(visited(call, async |call, visitor| {
            let (caller, code) = (visitor.caller().clone(), call.parameter(0));
            let form = call.form().await?;
            let request = request(what.kind, code, &form)?;
            let because = because(&form);
            let begin = move |app: &App| {
                let by = app.as_caller(&caller);
                done(match what.kind.removes() {
                    true => by.begin_bulk_erasure(&request, &because.unwrap_or_default(), JobOwner::Workers),
                    false => by.begin_bulk(&request, JobOwner::Workers),
                })
            };
            let begun = call.run(begin).await?;
            let job = begun.map_err(Stop::NotDone)?;
            log(call, visitor, what.word, &job);
            Ok(see_other(&links::job(&job.name)))
        })
        .await)
    })
}

/// `GET /console/suppliers/<supplier>/retry/`: counts the accounts, and asks for confirmation.
pub(crate) fn ask_retry(call: &mut Call) -> Answer<'_> {
    ask(call, RETRY)
}

/// `POST /console/suppliers/<supplier>/retry/`: begins a job.
pub(crate) fn retry(call: &mut Call) -> Answer<'_> {
    begin(call, RETRY)
}

/// `GET /console/suppliers/<supplier>/cancel/`: counts the accounts, and asks for confirmation.
pub(crate) fn ask_cancel(call: &mut Call) -> Answer<'_> {
    ask(call, CANCEL)
}

/// `POST /console/suppliers/<supplier>/cancel/`: begins a job.
pub(crate) fn cancel(call: &mut Call) -> Answer<'_> {
    begin(call, CANCEL)
}

/// `GET /console/suppliers/<supplier>/erase-rehearsed/`: counts the accounts, and asks for the reason.
pub(crate) fn ask_erase(call: &mut Call) -> Answer<'_> {
    ask(call, ERASE)
}

/// `POST /console/suppliers/<supplier>/erase-rehearsed/`: begins a job.
pub(crate) fn erase(call: &mut Call) -> Answer<'_> {
    begin(call, ERASE)
}

/// `GET /console/jobs/`: the jobs of the organisation, the last first, in pages.
pub(crate) fn list(call: &mut Call) -> Answer<'_> {
    Box::pin(async move {
        Ok(visited(call, async |call, visitor| {
            let caller = visitor.caller().clone();
            let job = move |app: &App| {
                let by = app.as_caller(&caller);
                Ok((by.jobs(None)?, by.common_zone(None)?))
            };
            let before = Query::new(call.query()).read("before", |text| Some(text.to_owned()));
            let (jobs, zone) = call.run(job).await?;
            let is_first = before.is_none();
            let begin = before.map_or(0, |name| place_after(&jobs, &name));
            let has_more = jobs.len() > begin + ROWS;
            let shown = jobs.into_iter().skip(begin).take(ROWS);
            let jobs: Vec<_> = shown.map(|job| Row::new(job, zone)).collect();
            let last = jobs.last().filter(|_| has_more);
            let list = List {
                frame: Frame::of(visitor).in_zone(zone),
                is_first,
                next: last.map(|last| format!("{JOBS}?before={}", links::segment(&last.name))),
                jobs,
            };
            Ok(page(&mut HttpResponse::Ok(), &list)?)
        })
        .await)
    })
}

/// Returns the place of the first job after the one with this name; the end if there is none.
fn place_after(jobs: &[Job], name: &str) -> usize {
    jobs.iter().position(|job| job.name == name).map_or(jobs.len(), |place| place + 1)
}

/// `GET /console/jobs/<job>/`: a job and its counts.
pub(crate) fn show(call: &mut Call) -> Answer<'_> {
    Box::pin(async move {
        Ok(visited(call, async |call, visitor| {
            let (caller, name) = (visitor.caller().clone(), call.parameter(0));
            let job = move |app: &App| {
                let by = app.as_caller(&caller);
                let job = found(by.show_job(&name))?;
                let zone = by.zone_of(&job.supplier)?;
                Ok((job, zone))
            };
            let (job, zone) = call.run(job).await?;
            let frame = Frame::of(visitor).in_zone(zone);
            Ok(page(&mut HttpResponse::Ok(), &Page { frame, job: Row::new(job, zone) })?)
        })
        .await)
    })
}

type Act = fn(&Operations<'_>, &str) -> Result<Job, OperatorError>;

fn act<'c>(call: &'c mut Call, word: &'static str, act: Act) -> Answer<'c> {
    Box::pin(async move {
        Ok(visited(call, async |call, visitor| {
            let (caller, name) = (visitor.caller().clone(), call.parameter(0));
            let changed = call.run(move |app| done(act(&app.as_caller(&caller), &name))).await?;
            let job = changed.map_err(Stop::NotDone)?;
            log(call, visitor, word, &job);
            Ok(see_other(&links::job(&job.name)))
        })
        .await)
    })
}

/// `POST /console/jobs/<job>/stop/`: stops a job after its current batch.
pub(crate) fn stop(call: &mut Call) -> Answer<'_> {
    act(call, "stop", |by, job| by.stop_job(job))
}

/// `POST /console/jobs/<job>/resume/`: lets a stopped job go on.
pub(crate) fn resume(call: &mut Call) -> Answer<'_> {
    act(call, "resume", |by, job| by.resume_job(job))
}

/// Logs an action by ids only.
pub(super) fn log(call: &Call, visitor: &Visitor, action: &str, job: &Job) {
    let (request_id, key) = (call.request_id().unwrap_or_default(), &visitor.caller().key_prefix);
    let (supplier, job) = (&job.supplier, &job.name);
    tracing::info!(target: "cutover::audit", request_id, key, action, supplier, job, "done in the console");
}
