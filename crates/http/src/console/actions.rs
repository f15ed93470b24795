//! Actions of the operator on suppliers and processes: confirmed on a page of their own, then performed. The page says if
//! an action is likely to be of no use.

use super::links;
use super::page::{Frame, page, see_other};
use super::visit::{Stop, done, found, visited};
use super::visitor::Visitor;
use crate::call::{Answer, Call};
use crate::refusal::Refusal;
use crate::request::query::Query;
use actix_web::HttpResponse;
use askama::Template;
use cutover_app::auth::Caller;
use cutover_app::operator::{Operations, OperatorError, SupplierChange, Unfinished};
use cutover_app::port::StoredIssue;
use cutover_app::{App, FoundDocuments, Step};
use cutover_core::SupplierStatus;
use cutover_model::ProcessStatus;

/// The confirmation of an action; a page, so that it works without scripts.
#[derive(Template)]
#[template(path = "console/confirm.html")]
struct Question<'a> {
    frame: Frame,
    title: String,
    text: &'a str,
    warning: Option<Warning>,
    /// The label of the button that confirms.
    yes: &'a str,
    is_grave: bool,
    /// The path of the action.
    action: String,
    /// The path of the page to return to.
    back: String,
}

/// A reason against an action.
pub(super) struct Warning {
    pub(super) text: String,
    /// Errors that an account would have again.
    pub(super) errors: Vec<Expected>,
    /// Number of errors beyond those shown.
    pub(super) more: usize,
}

/// An error that is to be expected.
pub(super) struct Expected {
    pub(super) code: String,
    pub(super) link: Option<String>,
    /// Its path, or the number of accounts that have it.
    pub(super) at: String,
    pub(super) detail: String,
}

/// An action on a supplier.
#[derive(Clone, Copy)]
struct SupplierAction {
    word: &'static str,
    status: SupplierStatus,
    /// True if accounts that are not finished speak against it.
    ends: bool,
    yes: &'static str,
    text: &'static str,
}

const PAUSE: SupplierAction = SupplierAction {
    word: "pause",
    status: SupplierStatus::Paused,
    ends: false,
    yes: "Pause",
    text: "New accounts are refused, and pending ones wait, until it is resumed. An import under way is finished.",
};
const RESUME: SupplierAction = SupplierAction {
    word: "resume",
    status: SupplierStatus::Ongoing,
    ends: false,
    yes: "Resume",
    text: "New accounts are taken again, and pending ones are imported.",
};

const COMPLETE: SupplierAction = SupplierAction {
    word: "complete",
    status: SupplierStatus::Complete,
    ends: true,
    yes: "Complete",
    text: "The migration is over: new accounts are refused, and nothing more is imported. It can be resumed.",
};

/// `GET /console/suppliers/<supplier>/pause/`: asks for confirmation.
pub(crate) fn ask_pause(call: &mut Call) -> Answer<'_> {
    ask(call, PAUSE)
}

/// `POST /console/suppliers/<supplier>/pause/`: stops accepting and importing accounts.
pub(crate) fn pause(call: &mut Call) -> Answer<'_> {
    act(call, PAUSE)
}

/// `GET /console/suppliers/<supplier>/resume/`: asks for confirmation.
pub(crate) fn ask_resume(call: &mut Call) -> Answer<'_> {
    ask(call, RESUME)
}

/// `POST /console/suppliers/<supplier>/resume/`: accepts and imports accounts again.
pub(crate) fn resume(call: &mut Call) -> Answer<'_> {
    act(call, RESUME)
}

/// `GET /console/suppliers/<supplier>/complete/`: asks for confirmation, with the number of accounts that are not imported.
pub(crate) fn ask_complete(call: &mut Call) -> Answer<'_> {
    ask(call, COMPLETE)
}

/// `POST /console/suppliers/<supplier>/complete/`: ends the migration.
pub(crate) fn complete(call: &mut Call) -> Answer<'_> {
    act(call, COMPLETE)
}

fn ask(call: &mut Call, what: SupplierAction) -> Answer<'_> {
    Box::pin(async move {
        Ok(visited(call, async |call, visitor| {
            let (caller, code) = (visitor.caller().clone(), call.parameter(0));
            let job = move |app: &App| {
                let supplier = found(app.as_caller(&caller).show_supplier(&code))?;
                let open =
                    if what.ends { app.unfinished_accounts(&supplier)? } else { Unfinished::default() };
                Ok((supplier, open))
            };
            let (supplier, open) = call.run(job).await?;
            let back = links::supplier(supplier.code.as_str());
            let warning = (!open.is_none()).then(|| Warning {
                text: format!("Not all accounts are finished: {}.", open.sentence()),
                errors: Vec::new(),
                more: 0,
            });
            let question = Question {
                frame: Frame::of(visitor),
                title: format!("{} {}?", what.yes, supplier.code),
                text: what.text,
                is_grave: warning.is_some(),
                warning,
                yes: what.yes,
                action: format!("{back}{}/", what.word),
                back,
            };
            Ok(page(&mut HttpResponse::Ok(), &question)?)
        })
        .await)
    })
}

fn act(call: &mut Call, what: SupplierAction) -> Answer<'_> {
    Box::pin(async move {
        Ok(visited(call, async |call, visitor| {
            let (caller, code) = (visitor.caller().clone(), call.parameter(0));
            let change = SupplierChange { status: Some(what.status), ..SupplierChange::default() };
            let job = move |app: &App| done(app.as_caller(&caller).set_supplier(&code, change));
            let supplier = call.run(job).await?.map_err(Stop::NotDone)?;
            let code = supplier.code.as_str();
            log(call, visitor, what.word, code, None);
            Ok(see_other(&links::supplier(code)))
        })
        .await)
    })
}

/// Acts on the process of a supplier and a number, and returns its id and its new status.
type Act = fn(&Operations<'_>, &str, &str) -> Result<(i64, ProcessStatus), OperatorError>;

/// An action on a process.
#[derive(Clone, Copy)]
struct ProcessAction {
    word: &'static str,
    yes: &'static str,
    text: &'static str,
    is_grave: bool,
    act: Act,
}

const CANCEL: ProcessAction = ProcessAction {
    word: "cancel",
    yes: "Cancel the import",
    text: "The account is taken out before it is imported. It can be retried, and sent again.",
    is_grave: true,
    act: |by, supplier, number| by.cancel_process(supplier, number),
};
const RETRY: ProcessAction = ProcessAction {
    word: "retry",
    yes: "Retry",
    text: "Another attempt is made with the data that was sent last.",
    is_grave: false,
    act: |by, supplier, number| by.retry_process(supplier, number),
};

/// `GET /console/suppliers/<supplier>/accounts/<number>/cancel/`: asks for confirmation.
pub(crate) fn ask_cancel(call: &mut Call) -> Answer<'_> {
    ask_about(call, CANCEL)
}

/// `POST /console/suppliers/<supplier>/accounts/<number>/cancel/`: cancels a pending process.
pub(crate) fn cancel(call: &mut Call) -> Answer<'_> {
    act_on(call, CANCEL)
}

/// `GET /console/suppliers/<supplier>/accounts/<number>/retry/`: asks for confirmation, and shows the errors that the
/// account would have again.
pub(crate) fn ask_retry(call: &mut Call) -> Answer<'_> {
    ask_about(call, RETRY)
}

/// `POST /console/suppliers/<supplier>/accounts/<number>/retry/`: starts another attempt.
pub(crate) fn retry(call: &mut Call) -> Answer<'_> {
    act_on(call, RETRY)
}

fn ask_about(call: &mut Call, what: ProcessAction) -> Answer<'_> {
    Box::pin(async move {
        Ok(visited(call, async |call, visitor| {
            let caller = visitor.caller().clone();
            let (code, number) = (call.parameter(0), call.parameter(1));
            let job = move |app: &App| {
                let code = found(app.as_caller(&caller).show_supplier(&code))?.code;
                let report = found(app.as_caller(&caller).show_process(code.as_str(), &number))?;
                Ok((code, report.external_account_number))
            };
            let (code, number) = call.run(job).await?;
            let back = links::account(code.as_str(), &number);
            let errors = match what.word {
                "retry" => expected(call, visitor.caller(), code.as_str(), &number).await?,
                _ => Vec::new(),
            };
            let question = Question {
                frame: Frame::of(visitor),
                title: format!("{}: {number}?", what.yes),
                text: what.text,
                warning: fails_again(&errors),
                yes: what.yes,
                is_grave: what.is_grave,
                action: format!("{back}{}/", what.word),
                back,
            };
            Ok(page(&mut HttpResponse::Ok(), &question)?)
        })
        .await)
    })
}

/// Returns the errors that an attempt would find now. None if document storage does not answer.
async fn expected(
    call: &Call,
    caller: &Caller,
    code: &str,
    number: &str,
) -> Result<Vec<StoredIssue>, Refusal> {
    let ask = |documents: Option<FoundDocuments>| {
        let (caller, code, number) = (caller.clone(), code.to_owned(), number.to_owned());
        call.run(move |app| found(app.as_caller(&caller).retry_outlook(&code, &number, documents.as_ref())))
    };
    let wanted = match ask(None).await? {
        Step::Done(errors) => return Ok(errors),
        Step::Documents(wanted) => wanted,
    };
    let Ok(documents) = call.service().app.look_up(&wanted).await else { return Ok(Vec::new()) };
    match ask(Some(documents)).await? {
        Step::Done(errors) => Ok(errors),
        // The settings change at this very moment.
        Step::Documents(_) => Ok(Vec::new()),
    }
}

/// Returns the warning that an account would fail again.
fn fails_again(errors: &[StoredIssue]) -> Option<Warning> {
    let expected = |error: &StoredIssue| Expected {
        link: links::explanation(&error.code),
        code: error.code.clone(),
        at: error.attr.clone(),
        detail: error.detail.clone(),
    };
    (!errors.is_empty()).then(|| Warning {
        text: "It would fail again: its payload, the rules and the stored data have been checked just now, and they give \
               these errors."
            .to_owned(),
        errors: errors.iter().take(MOST_EXPECTED).map(expected).collect(),
        more: errors.len().saturating_sub(MOST_EXPECTED),
    })
}

/// Maximum number of expected errors shown.
pub(super) const MOST_EXPECTED: usize = 10;

fn act_on(call: &mut Call, what: ProcessAction) -> Answer<'_> {
    Box::pin(async move {
        Ok(visited(call, async |call, visitor| {
            let caller = visitor.caller().clone();
            let (code, number) = (call.parameter(0), call.parameter(1));
            let back = links::account(&code, &number);
            let supplier = code.clone();
            let job = move |app: &App| done((what.act)(&app.as_caller(&caller), &supplier, &number));
            let (process, _) = call.run(job).await?.map_err(Stop::NotDone)?;
            log(call, visitor, what.word, &code, Some(process));
            Ok(see_other(&back))
        })
        .await)
    })
}

/// Reads the reason of a form; `None` if it is blank.
pub(super) fn because(form: &str) -> Option<String> {
    let text = Query::new(form).read("because", |text| Some(text.trim().to_owned()));
    text.filter(|text| !text.is_empty())
}

/// Logs an action by ids only.
pub(super) fn log(call: &Call, visitor: &Visitor, action: &str, supplier: &str, process: Option<i64>) {
    let (request_id, key) = (call.request_id().unwrap_or_default(), &visitor.caller().key_prefix);
    tracing::info!(target: "cutover::audit", request_id, key, action, supplier, process, "done in the console");
}
