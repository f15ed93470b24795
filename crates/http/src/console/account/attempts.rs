//! The page that compares the last two attempts at an account.

use super::super::links;
use super::super::page::{Frame, render, written};
use super::super::view::{Moment, Status};
use super::super::visit::{found, visited};
use super::difference::{self, Change, Errors};
use super::issue::{self, Issue};
use super::{MOST, read};
use crate::call::{Answer, Call};
use crate::refusal::Refusal;
use actix_web::HttpResponse;
use askama::Template;
use cutover_app::operator::{Attempt, Attempts, References, SentPayload};
use cutover_core::Zone;
use cutover_process::State;

/// Maximum number of changed members shown.
const MOST_CHANGES: usize = 500;

#[derive(Template)]
#[template(path = "console/difference.html")]
struct Page {
    frame: Frame,
    supplier: String,
    supplier_link: String,
    link: String,
    number: String,
    sides: [Side; 2],
    /// `None` if a payload cannot be read.
    changes: Option<Vec<Row>>,
    more_changes: usize,
    errors: [Group; 3],
    /// Set while the errors of the last attempt are unknown: it has no result yet.
    has_no_result: bool,
}

/// An attempt.
struct Side {
    title: String,
    status: Status,
    at: Moment,
    error: Option<String>,
}

/// A member that changed.
struct Row {
    path: String,
    /// Before and after.
    values: [Shown; 2],
}

/// A value of a changed member.
enum Shown {
    Absent,
    Masked,
    Text(String),
}

/// Errors that were fixed, stay or are new.
struct Group {
    id: &'static str,
    title: &'static str,
    none: &'static str,
    count: usize,
    issues: Vec<Issue>,
    more: usize,
}

/// `GET /console/suppliers/<supplier>/accounts/<number>/difference/`: what changed between the last two attempts, without
/// personal data.
pub(crate) fn compare(call: &mut Call) -> Answer<'_> {
    Box::pin(async move {
        Ok(visited(call, async |call, visitor| {
            let (caller, code, number) = (visitor.caller().clone(), call.parameter(0), call.parameter(1));
            let frame = Frame::of(visitor);
            let job = move |app: &cutover_app::App| {
                let code = found(app.as_caller(&caller).show_supplier(&code))?.code;
                let attempts = found(app.as_caller(&caller).attempts(code.as_str(), &number))?;
                render(&Page::new(frame, code.as_str(), attempts.ok_or(Refusal::NotFound)?))
            };
            let html = call.run(job).await?;
            Ok(written(&mut HttpResponse::Ok(), html))
        })
        .await)
    })
}

impl Page {
    fn new(frame: Frame, supplier: &str, attempts: Attempts) -> Self {
        let Attempts { external_account_number, before, after, zone } = attempts;
        let has_no_result = after.state.known().is_some_and(|state| !state.is_outcome());
        let (changes, more_changes) = match changes(&before.payload, &after.payload) {
            Some((rows, more)) => (Some(rows), more),
            None => (None, 0),
        };
        let errors = difference::errors(&before.issues.errors, &after.issues.errors);
        Self {
            frame: frame.in_zone(zone),
            supplier: supplier.to_owned(),
            supplier_link: links::supplier(supplier),
            link: links::account(supplier, &external_account_number),
            number: external_account_number,
            sides: [Side::new(&before, false, zone), Side::new(&after, has_no_result, zone)],
            changes,
            more_changes,
            errors: groups(&errors),
            has_no_result,
        }
    }
}

impl Side {
    fn new(attempt: &Attempt, is_waiting: bool, zone: Zone) -> Self {
        let state = attempt.state.known().copied().unwrap_or(State::Pending);
        Self {
            title: if is_waiting { "Now".to_owned() } else { format!("Attempt {}", attempt.number) },
            status: Status::new(&attempt.state, state),
            at: Moment::new(attempt.at, zone),
            error: attempt.error.as_ref().map(|error| error.code.to_string()),
        }
    }
}

/// Returns the rows of changed members, and the number of further ones; `None` if a payload cannot be read.
fn changes(before: &SentPayload, after: &SentPayload) -> Option<(Vec<Row>, usize)> {
    let (SentPayload::Json(before), SentPayload::Json(after)) = (before, after) else { return None };
    let (before, after) = (read(before)?, read(after)?);
    let changes = difference::changes(&before, &after);
    let rows = changes.iter().take(MOST_CHANGES).map(Row::new).collect();
    Some((rows, changes.len().saturating_sub(MOST_CHANGES)))
}

impl Row {
    fn new(change: &Change<'_>) -> Self {
        let shown = |value| match value {
            None => Shown::Absent,
            Some(value) => difference::shown(value, change.mask).map_or(Shown::Masked, Shown::Text),
        };
        Self { path: change.path.clone(), values: [change.before, change.after].map(shown) }
    }
}

fn groups(errors: &Errors<'_>) -> [Group; 3] {
    let group = |id, title, none, issues: &[&cutover_app::port::StoredIssue]| Group {
        id,
        title,
        none,
        count: issues.len(),
        issues: issues
            .iter()
            .take(MOST)
            .enumerate()
            .map(|(n, issue)| issue::Issue::new(format!("{id}-{n}"), None, issue, &References::default()))
            .collect(),
        more: issues.len().saturating_sub(MOST),
    };
    [
        group("new", "New errors", "No error is new.", &errors.new),
        group("stay", "Errors that stay", "No error stays.", &errors.stay),
        group("fixed", "Fixed errors", "No error is fixed.", &errors.fixed),
    ]
}
