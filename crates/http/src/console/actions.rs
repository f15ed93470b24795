//! What the operator does to suppliers and processes: asked about on a page of its own, and then done.

use super::links;
use super::page::{Frame, page, see_other};
use super::visit::{Stop, Visitor, done, found, visited};
use crate::call::{Answer, Call};
use actix_web::HttpResponse;
use askama::Template;
use cutover_core::SupplierStatus;

/// The question before something is done; a page, so that it needs no script.
#[derive(Template)]
#[template(path = "console/confirm.html")]
struct Question<'a> {
    frame: Frame,
    title: String,
    text: &'a str,
    /// What is done, in the words of the button.
    yes: &'a str,
    is_grave: bool,
    /// Where it is done.
    action: String,
    /// Where one comes from.
    back: String,
}

/// What can be done to a supplier.
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

/// `GET /console/suppliers/<supplier>/pause/`: asks whether to.
pub(crate) fn ask_pause(call: &mut Call) -> Answer<'_> {
    ask(call, PAUSE)
}

/// `POST /console/suppliers/<supplier>/pause/`: no account is taken or imported any more.
pub(crate) fn pause(call: &mut Call) -> Answer<'_> {
    act(call, PAUSE)
}

/// `GET /console/suppliers/<supplier>/resume/`: asks whether to.
pub(crate) fn ask_resume(call: &mut Call) -> Answer<'_> {
    ask(call, RESUME)
}

/// `POST /console/suppliers/<supplier>/resume/`: accounts are taken and imported again.
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
            let job =
                move |app: &cutover_app::App| done(app.set_own_supplier_status(&caller, &code, what.status));
            let supplier = call.run(job).await?.map_err(Stop::NotDone)?;
            let code = supplier.code.as_str();
            log(call, visitor, what.word, code);
            Ok(see_other(&links::supplier(code)))
        })
        .await)
    })
}

/// Keeps who did what; ids alone, nothing of an account.
fn log(call: &Call, visitor: &Visitor, action: &str, supplier: &str) {
    let (request_id, key) = (call.request_id().unwrap_or_default(), &visitor.caller().key_prefix);
    tracing::info!(target: "cutover::audit", request_id, key, action, supplier, "done in the console");
}
