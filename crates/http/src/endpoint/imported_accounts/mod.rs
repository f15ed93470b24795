//! All imported accounts of a supplier, streamed (contract D19).

mod cursor;
#[cfg(test)]
mod tests;

use super::stream::{Page, Source, stream};
use super::{Endpoint, Kind};
use crate::answer::streamed_lines;
use crate::call::{Answer, Call};
use crate::event_id as position;
use crate::openapi::{self, Content, Operation, Parameter, own, refusals, response};
use crate::refusal::Refusal;
use crate::request::body::Held;
use crate::request::query::Query;
use actix_web::HttpResponse;
use actix_web::http::Method;
use cutover_app::App;
use cutover_app::account::ImportCursor;
use cutover_app::auth::Caller;
use cutover_model::describe::Json;
use futures_util::stream::empty;
use std::sync::Arc;

/// Accounts on the first page: few, so that the first byte is sent soon.
const FIRST: u32 = 8;
/// Maximum number of accounts on the following pages.
const LATER: u32 = 64;
/// Buffer for such a page in bytes, at some 6 KiB per account.
const ROOM: usize = 384 << 10;
/// The number of lists that such a stream counts as: its pages are larger.
const WEIGHT: usize = 8;

/// `GET /v2/data-import/imported-accounts/<supplier>/`: all imported accounts of a supplier (contract D19).
pub(crate) const ENDPOINT: Endpoint = Endpoint {
    method: Method::GET,
    template: "/v2/data-import/imported-accounts/<supplier>/",
    kind: Kind::Api,
    handler: handle,
    operation: Some(Operation {
        id: "streamImportedAccounts",
        tag: openapi::EVENTS,
        summary: "Streams all imported accounts of a supplier",
        notes: "For keys of the role `reader`. One account per line, in the order of the imports, as \
                `getImportedAccount` returns it. The last line has the event after which the feed goes on: both \
                together leave no account out. A response without that line was cut; go on with the cursor of the \
                last complete line.",
        query: &[Parameter {
            name: "after",
            doc: "Only accounts after the one that had this `cursor`.",
            schema: || Json::object().with("type", "string"),
        }],
        answers: &[response(
            200,
            "The accounts, then the end.",
            Some(Content {
                media: "application/x-ndjson",
                schema: own::imported_line,
                examples: &[("account", own::imported_line_example), ("end", own::imported_end_example)],
            }),
        )],
        refusals: refusals::of_imported,
        ..Operation::BASE
    }),
};

/// The first page is read before the response begins, so that an early failure is a proper refusal.
fn handle(call: &mut Call) -> Answer<'_> {
    Box::pin(async move {
        let caller = call.caller_for(cutover_app::port::Access::ReadAccounts).await?;
        let supplier = call.parameter(0);
        let mut query = Query::new(call.query());
        let after = query.read("after", cursor::decode);
        query.finish()?;
        let (service, organisation) = (call.service().clone(), call.organisation());
        let mut held = Held::new(service.lists.clone(), organisation);
        held.resize(WEIGHT)?;
        let (by, code) = (caller.clone(), supplier.clone());
        let first = call.run_page(move |app| page(app, &by, &code, after, FIRST, Vec::new())).await?;
        if call.is_head() {
            return Ok(streamed_lines(&mut HttpResponse::Ok(), empty()));
        }
        let (app, blocking) = (service.app.clone(), service.blocking.clone());
        let read = Arc::new(move |after, buffer| page(&app, &caller, &supplier, Some(after), LATER, buffer));
        let request_id = call.request_id();
        let source = Source { read, room: ROOM, blocking, organisation, _held: held, request_id };
        Ok(streamed_lines(&mut HttpResponse::Ok(), stream(source, first)))
    })
}

/// Reads a page of lines into an empty buffer; the last page has the last line.
fn page(
    app: &App,
    caller: &Caller,
    supplier: &str,
    after: Option<ImportCursor>,
    limit: u32,
    mut lines: Vec<u8>,
) -> Result<Page<ImportCursor>, Refusal> {
    let found = app.imported_accounts(caller, supplier, after, limit)?;
    for (cursor, account) in &found.accounts {
        line(&mut lines, &[b"{\"cursor\":\"", cursor::encode(*cursor).as_bytes(), b"\",\"account\":"]);
        line(&mut lines, &[&on_one_line(account.to_json(found.zone)), b"}\n"]);
    }
    let last = found.accounts.last().map(|(cursor, _)| *cursor);
    let next = last.filter(|_| found.has_more);
    if next.is_none() {
        let events_after = position::encode(found.events_after);
        line(&mut lines, &[b"{\"end\":true,\"events_after\":\"", events_after.as_bytes(), b"\"}\n"]);
    }
    Ok(Page { items: lines, next })
}

/// Replaces line breaks by spaces. Free content is kept as it was sent; strings have no line breaks of their own.
fn on_one_line(mut json: Vec<u8>) -> Vec<u8> {
    json.iter_mut().filter(|byte| matches!(byte, b'\n' | b'\r')).for_each(|byte| *byte = b' ');
    json
}

fn line(lines: &mut Vec<u8>, parts: &[&[u8]]) {
    parts.iter().for_each(|part| lines.extend_from_slice(part));
}
