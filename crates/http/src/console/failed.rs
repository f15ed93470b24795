//! The download of the failed accounts of a supplier (contract D14): faults as CSV, or payloads as NDJSON.

use super::links;
use super::page::guard;
use super::visit::{Stop, done, visited};
use crate::call::{Answer, Call};
use crate::endpoint::stream::{Page, Source, stream};
use crate::refusal::Refusal;
use crate::request::body::Held;
use crate::request::query::Query;
use actix_web::HttpResponse;
use actix_web::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE, HeaderValue};
use cutover_app::App;
use cutover_app::operator::{FailedAccounts, FailedCursor, FailedExport, FailedFormat};
use cutover_core::{Code, Word};
use cutover_process::State;
use std::sync::Arc;

/// Buffer for a page in bytes.
const ROOM: usize = 1 << 20;
/// The number of lists that a download counts as: its pages are larger.
const WEIGHT: usize = 8;

/// The form that asks for a download.
pub(super) struct Download {
    /// The path of the action.
    pub(super) action: String,
    /// The filter, which the form sends.
    pub(super) status: &'static str,
    pub(super) error_code: String,
}

/// Returns the form for the accounts of a filter; `None` if it selects others than failed ones, or by a warning.
pub(super) fn download(
    supplier: &str,
    status: Option<State>,
    error_code: Option<&Word<Code>>,
    has_warning_code: bool,
) -> Option<Download> {
    if has_warning_code || status.is_some_and(|status| !status.is_error()) {
        return None;
    }
    Some(Download {
        action: format!("{}failed/", links::supplier(supplier)),
        status: status.map_or("", State::as_str),
        error_code: error_code.map(Word::to_string).unwrap_or_default(),
    })
}

/// Reads the form. Without a format it is CSV.
fn wanted(supplier: String, form: &str) -> Result<(FailedAccounts, FailedFormat), Stop> {
    let mut form = Query::new(form);
    let text = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    let status = form.read("status", text).map(|status| status.parse::<State>()).transpose();
    let status = status.map_err(|_| Stop::NotDone("There is no such status.".into()))?;
    let error_code = form.read("error_code", text);
    let format = form.read("format", text).map(|format| format.parse()).transpose();
    let format = format.map_err(|_| Stop::NotDone("There is no such format.".into()))?;
    Ok((FailedAccounts { supplier, status, error_code }, format.unwrap_or(FailedFormat::Csv)))
}

/// `POST /console/suppliers/<supplier>/failed/`: streams a file. It has personal data, so this is recorded.
pub(crate) fn export(call: &mut Call) -> Answer<'_> {
    Box::pin(async move {
        Ok(visited(call, async |call, visitor| {
            let (caller, code) = (visitor.caller().clone(), call.parameter(0));
            let form = call.form().await?;
            let (wanted, format) = wanted(code, &form)?;
            let service = call.service().clone();
            let mut held = Held::new(service.lists.clone(), call.organisation());
            held.resize(WEIGHT)?;
            let begun = call
                .run(move |app| done(app.as_caller(&caller).begin_failed_export(&wanted, format)))
                .await?;
            let begun = begun.map_err(Stop::NotDone)?;
            let name = format!("{}-failed.{format}", begun.supplier);
            let first = begun.clone();
            let first = call.run_page(move |app| page(app, &first, None, Vec::new())).await?;
            let (request_id, key) = (call.request_id().unwrap_or_default(), &visitor.caller().key_prefix);
            tracing::info!(target: "cutover::audit", request_id, key, action = "export failed",
                supplier = begun.supplier, "done in the console");
            let (app, blocking) = (service.app.clone(), service.blocking.clone());
            let read = Arc::new(move |after, buffer| page(&app, &begun, Some(after), buffer));
            let organisation = call.organisation();
            let request_id = call.request_id();
            let source = Source { read, room: ROOM, blocking, organisation, _held: held, request_id };
            let mut response = HttpResponse::Ok();
            guard(&mut response);
            // A code has no quotes.
            let disposition = HeaderValue::from_str(&format!("attachment; filename=\"{name}\""));
            let disposition = disposition.unwrap_or(HeaderValue::from_static("attachment"));
            let media = match format {
                FailedFormat::Csv => "text/csv; charset=utf-8; header=present",
                FailedFormat::Ndjson => "application/x-ndjson",
            };
            response.insert_header((CONTENT_TYPE, media)).insert_header((CONTENT_DISPOSITION, disposition));
            Ok(response.streaming(stream(source, first)))
        })
        .await)
    })
}

fn page(
    app: &App,
    export: &FailedExport,
    after: Option<FailedCursor>,
    buffer: Vec<u8>,
) -> Result<Page<FailedCursor>, Refusal> {
    let page = app.failed_page(export, after, buffer)?;
    Ok(Page { items: page.bytes, next: page.next })
}
