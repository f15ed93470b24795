//! Actions of the operator on suppliers and processes: confirmed on a page of their own, then performed.

use super::links;
use super::page::{Frame, page, see_other};
use super::visit::{Stop, done, found, visited};
use super::visitor::Visitor;
use crate::call::{Answer, Call};
use actix_web::HttpResponse;
use askama::Template;
use cutover_app::App;
use cutover_app::auth::Caller;
use cutover_app::operator::OperatorError;
use cutover_core::SupplierStatus;

/// The confirmation of an action; a page, so that it works without scripts.
#[derive(Template)]
#[template(path = "console/confirm.html")]
struct Question<'a> {
    frame: Frame,
    title: String,
    text: &'a str,
    /// The label of the button that confirms.
    yes: &'a str,
    is_grave: bool,
    /// The path of the action.
    action: String,
    /// The path of the page to return to.
    back: String,
}

/// An action on a supplier.
#[derive(Clone, Copy)]
struct SupplierAction {
    word: &'static str,
    status: SupplierStatus,
    yes: &'static str,
    text: &'static str,
}

const PAUSE: SupplierAction = SupplierAction {
    word: "pause",
    status: SupplierStatus::Paused,
    yes: "Pause",
    text: "New accounts are refused, and pending ones wait, until it is resumed. An import under way is finished.",
};
const RESUME: SupplierAction = SupplierAction {
    word: "resume",
    status: SupplierStatus::Ongoing,
    yes: "Resume",
    text: "New accounts are taken again, and pending ones are imported.",
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

fn ask(call: &mut Call, what: SupplierAction) -> Answer<'_> {
    Box::pin(async move {
        Ok(visited(call, async |call, visitor| {
            let (caller, code) = (visitor.caller().clone(), call.parameter(0));
            let supplier = call.run(move |app| found(app.own_supplier(&caller, &code))).await?;
            let back = links::supplier(supplier.code.as_str());
            let question = Question {
                frame: Frame::of(visitor),
                title: format!("{} {}?", what.yes, supplier.code),
                text: what.text,
                yes: what.yes,
                is_grave: false,
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
            let job = move |app: &App| done(app.set_own_supplier_status(&caller, &code, what.status));
            let supplier = call.run(job).await?.map_err(Stop::NotDone)?;
            let code = supplier.code.as_str();
            log(call, visitor, what.word, code, None);
            Ok(see_other(&links::supplier(code)))
        })
        .await)
    })
}

/// An action on a process.
#[derive(Clone, Copy)]
struct ProcessAction {
    word: &'static str,
    yes: &'static str,
    text: &'static str,
    is_grave: bool,
    /// Performs the action and returns the id of the process.
    act: fn(&App, &Caller, &str, &str) -> Result<i64, OperatorError>,
}

const CANCEL: ProcessAction = ProcessAction {
    word: "cancel",
    yes: "Cancel the import",
    text: "The account is taken out before it is imported. It can be retried, and sent again.",
    is_grave: true,
    act: App::cancel_own_process,
};
const RETRY: ProcessAction = ProcessAction {
    word: "retry",
    yes: "Retry",
    text: "Another attempt is made with the data that was sent last.",
    is_grave: false,
    act: App::retry_own_process,
};

/// `GET /console/suppliers/<supplier>/accounts/<number>/cancel/`: asks for confirmation.
pub(crate) fn ask_cancel(call: &mut Call) -> Answer<'_> {
    ask_about(call, CANCEL)
}

/// `POST /console/suppliers/<supplier>/accounts/<number>/cancel/`: cancels a pending process.
pub(crate) fn cancel(call: &mut Call) -> Answer<'_> {
    act_on(call, CANCEL)
}

/// `GET /console/suppliers/<supplier>/accounts/<number>/retry/`: asks for confirmation.
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
                let code = found(app.own_supplier(&caller, &code))?.code;
                let report = found(app.show_own_process(&caller, code.as_str(), &number))?;
                Ok((code, report.external_account_number))
            };
            let (code, number) = call.run(job).await?;
            let back = links::account(code.as_str(), &number);
            let question = Question {
                frame: Frame::of(visitor),
                title: format!("{}: {number}?", what.yes),
                text: what.text,
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

fn act_on(call: &mut Call, what: ProcessAction) -> Answer<'_> {
    Box::pin(async move {
        Ok(visited(call, async |call, visitor| {
            let caller = visitor.caller().clone();
            let (code, number) = (call.parameter(0), call.parameter(1));
            let back = links::account(&code, &number);
            let supplier = code.clone();
            let job = move |app: &App| done((what.act)(app, &caller, &supplier, &number));
            let process = call.run(job).await?.map_err(Stop::NotDone)?;
            log(call, visitor, what.word, &code, Some(process));
            Ok(see_other(&back))
        })
        .await)
    })
}

/// Logs an action by ids only.
fn log(call: &Call, visitor: &Visitor, action: &str, supplier: &str, process: Option<i64>) {
    let (request_id, key) = (call.request_id().unwrap_or_default(), &visitor.caller().key_prefix);
    tracing::info!(target: "cutover::audit", request_id, key, action, supplier, process, "done in the console");
}
