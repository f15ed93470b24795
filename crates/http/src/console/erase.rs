//! Erasing an account (contract D11), confirmed on a page that asks for the reason.

use super::actions::{because, log};
use super::links;
use super::page::{Frame, page, see_other};
use super::view::{Moment, grouped};
use super::visit::{Stop, done, found, visited};
use super::visitor::Visitor;
use crate::call::{Answer, Call};
use crate::refusal::Refusal;
use actix_web::HttpResponse;
use askama::Template;
use cutover_app::App;
use cutover_app::port::Supplier;

/// The question, with what stays elsewhere.
#[derive(Template)]
#[template(path = "console/erase.html")]
struct Page {
    frame: Frame,
    number: String,
    /// The path of the page to return to.
    back: String,
    /// When payload and history were moved to an archive.
    archived: Option<Moment>,
    /// Number of documents that the account names; `None` if they are not known.
    documents: Option<String>,
}

/// Returns a supplier and the number of its account, as they are stored.
async fn own(call: &mut Call, visitor: &Visitor) -> Result<(Supplier, String), Refusal> {
    let (caller, code, number) = (visitor.caller().clone(), call.parameter(0), call.parameter(1));
    let job = move |app: &App| {
        let supplier = found(app.as_caller(&caller).show_supplier(&code))?;
        let report = found(app.as_caller(&caller).show_process(supplier.code.as_str(), &number))?;
        Ok((supplier, report.external_account_number))
    };
    call.run(job).await
}

/// `GET /console/suppliers/<supplier>/accounts/<number>/erase/`: says what stays, and asks for the reason.
pub(crate) fn ask(call: &mut Call) -> Answer<'_> {
    Box::pin(async move {
        Ok(visited(call, async |call, visitor| {
            let (Supplier { code, settings, .. }, number) = own(call, visitor).await?;
            let zone = settings.time_zone;
            let (caller, named) = (visitor.caller().clone(), (code.clone(), number.clone()));
            let job = move |app: &App| done(app.as_caller(&caller).erasable(named.0.as_str(), &named.1));
            let what = call.run(job).await?.map_err(Stop::NotDone)?;
            let question = Page {
                frame: Frame::of(visitor).in_zone(zone),
                back: links::account(code.as_str(), &number),
                number,
                archived: what.archived_at.map(|at| Moment::new(at, zone)),
                // Their paths may be personal.
                documents: what.documents.map(|paths| grouped(&paths.len().to_string())),
            };
            Ok(page(&mut HttpResponse::Ok(), &question)?)
        })
        .await)
    })
}

/// `POST /console/suppliers/<supplier>/accounts/<number>/erase/`: removes all data of the account.
pub(crate) fn erase(call: &mut Call) -> Answer<'_> {
    Box::pin(async move {
        Ok(visited(call, async |call, visitor| {
            let (Supplier { code, .. }, number) = own(call, visitor).await?;
            let form = call.form().await?;
            let because = because(&form).ok_or_else(|| Stop::NotDone("An erasure needs a reason.".into()))?;
            let (caller, named) = (visitor.caller().clone(), code.clone());
            let job = move |app: &App| {
                done(app.as_caller(&caller).erase_account(named.as_str(), &number, &because))
            };
            let erased = call.run(job).await?.map_err(Stop::NotDone)?;
            log(call, visitor, "erase", code.as_str(), Some(erased.what.process_id));
            Ok(see_other(&links::supplier(code.as_str())))
        })
        .await)
    })
}
