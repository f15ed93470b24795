//! The lists of a supplier's import processes (contract 4.3, D7): streamed whole, or page by page.

pub(crate) mod cursor;
mod page;
pub(super) mod paging;
#[cfg(test)]
mod tests;
mod time;

use super::stream::{Source, stream};
use super::{Endpoint, Kind};
use crate::answer::{streamed_json, written_json};
use crate::call::{Answer, Call};
use crate::openapi::{self, Operation, Parameter, Response, json_content, own, refusals};
use crate::refusal::Refusal;
use crate::request::body::Held;
use crate::request::path::encode;
use actix_web::HttpResponse;
use actix_web::http::Method;
use actix_web::http::header::LINK;
use cutover_app::App;
use cutover_app::account::OpenList;
use cutover_app::auth::Caller;
use cutover_app::port::AccountList;
use cutover_model::describe::Json;
use futures_util::stream::empty;
use page::Page;
use paging::Paging;
use std::sync::Arc;

/// Items on the first page of a streamed list: few, so that the first byte is sent soon.
const FIRST: u32 = 200;
/// Items on the following pages: many, so that the fixed cost of a page does not matter.
const LATER: u32 = 4_000;
/// Buffer for such a page in bytes, at some 130 per item.
const ROOM: usize = 160 * LATER as usize;

/// Parameters that select a page (contract D7).
const PAGES: &[Parameter] = &[
    Parameter {
        name: "page_size",
        doc: "Maximum number of items on a page; 1,000 if only a cursor is given. Without both, the whole \
              list is streamed.",
        schema: || Json::object().with("type", "integer").with("minimum", 1_u32).with("maximum", 10_000_u32),
    },
    Parameter {
        name: "cursor",
        doc: "Start of the page, from the `Link` of the page before.",
        schema: || Json::object().with("type", "string"),
    },
];

/// The response: the whole list or a page.
const LIST: &[Response] = &[Response {
    status: 200,
    means: "The accounts in the order they were first sent; an empty array if there are none.",
    headers: &["Link"],
    content: json_content(own::list, &[("usual", own::list_example)]),
}];

/// The description that the three lists share.
const OPERATION: Operation = Operation {
    tag: openapi::PROGRESS,
    query: PAGES,
    answers: LIST,
    refusals: refusals::of_list,
    ..Operation::BASE
};

/// `GET /v1/data-import/all-account-import-processes/<supplier>/`: pending and imported accounts.
pub(crate) const ALL: Endpoint = Endpoint {
    method: Method::GET,
    template: "/v1/data-import/all-account-import-processes/<supplier>/",
    kind: Kind::Api,
    handler: all,
    operation: Some(Operation {
        id: "listAllAccounts",
        summary: "Lists pending and imported accounts",
        ..OPERATION
    }),
};

fn all(call: &mut Call) -> Answer<'_> {
    handle(call, AccountList::All)
}

/// `GET /v1/data-import/pending-account-import-processes/<supplier>/`: processes that have no account yet.
pub(crate) const PENDING: Endpoint = Endpoint {
    method: Method::GET,
    template: "/v1/data-import/pending-account-import-processes/<supplier>/",
    kind: Kind::Api,
    handler: pending,
    operation: Some(Operation {
        id: "listPendingAccounts",
        summary: "Lists accounts that are staged and not imported",
        ..OPERATION
    }),
};

fn pending(call: &mut Call) -> Answer<'_> {
    handle(call, AccountList::Pending)
}

/// `GET /v1/data-import/imported-account-import-processes/<supplier>/`: processes that have one.
pub(crate) const IMPORTED: Endpoint = Endpoint {
    method: Method::GET,
    template: "/v1/data-import/imported-account-import-processes/<supplier>/",
    kind: Kind::Api,
    handler: imported,
    operation: Some(Operation {
        id: "listImportedAccounts",
        summary: "Lists imported accounts",
        ..OPERATION
    }),
};

fn imported(call: &mut Call) -> Answer<'_> {
    handle(call, AccountList::Imported)
}

fn handle(call: &mut Call, list: AccountList) -> Answer<'_> {
    Box::pin(async move {
        let caller = call.caller().await?;
        let supplier = call.parameter(0);
        match Paging::of(call.query())? {
            None => whole(call, caller, supplier, list).await,
            Some(paging) => one_page(call, caller, supplier, list, paging).await,
        }
    })
}

/// Parses a query and writes it again (feature `fuzzing`).
///
/// # Errors
/// [`Refusal::Parameters`].
#[cfg(feature = "fuzzing")]
pub(crate) fn same_query(query: &str) -> Result<String, Refusal> {
    let Some(Paging { size, after }) = Paging::of(query)? else { return Ok(String::new()) };
    let cursor = after.map(|after| format!("&cursor={}", cursor::encode(after)));
    Ok(format!("page_size={size}{}", cursor.unwrap_or_default()))
}

/// Streams the whole list. The first page is read before the response begins, so that an early failure is a
/// proper refusal.
async fn whole(
    call: &Call,
    caller: Caller,
    supplier: String,
    list: AccountList,
) -> Result<HttpResponse, Refusal> {
    let begin = move |app: &App| {
        let list = find(app, &caller, &supplier, list)?;
        Ok((list, page::read(app, &list, None, FIRST, Vec::new())?))
    };
    let (list, first) = call.run(begin).await?;
    if first.next.is_none() {
        return Ok(written_json(&mut HttpResponse::Ok(), array(first)));
    }
    if call.is_head() {
        return Ok(streamed_json(&mut HttpResponse::Ok(), empty()));
    }
    let service = call.service();
    let mut held = Held::new(service.lists.clone(), call.organisation());
    held.resize(1)?;
    let (app, blocking) = (service.app.clone(), service.blocking.clone());
    let read = Arc::new(move |after, buffer| {
        let mut page = page::read(&app, &list, Some(after), LATER, buffer)?;
        if page.next.is_none() {
            page.items.push(b']');
        }
        Ok(page)
    });
    let source = Source {
        read,
        room: ROOM,
        blocking,
        organisation: call.organisation(),
        _held: held,
        request_id: call.request_id(),
    };
    let first = Page { items: opened(first.items), ..first };
    Ok(streamed_json(&mut HttpResponse::Ok(), stream(source, first)))
}

/// Answers one page, with a link to the next one if there is one.
async fn one_page(
    call: &Call,
    caller: Caller,
    supplier: String,
    list: AccountList,
    Paging { size, after }: Paging,
) -> Result<HttpResponse, Refusal> {
    let read = move |app: &App| {
        let list = find(app, &caller, &supplier, list)?;
        let page = page::read(app, &list, after, size, Vec::new())?;
        let mut more = false;
        if page.next.is_some() {
            let goes_on = app.list_page(&list, page.next, 1, |_| more = true)?.is_some();
            more |= goes_on;
        }
        Ok((page, more))
    };
    let (page, more) = call.run(read).await?;
    let mut response = HttpResponse::Ok();
    if let Some(last) = page.next.filter(|_| more) {
        let path = encode(call.path());
        let cursor = cursor::encode(last);
        response.insert_header((LINK, format!("<{path}?page_size={size}&cursor={cursor}>; rel=\"next\"")));
    }
    Ok(written_json(&mut response, array(page)))
}

fn find(app: &App, caller: &Caller, supplier: &str, list: AccountList) -> Result<OpenList, Refusal> {
    app.open_list(caller, supplier, list)?.ok_or(Refusal::NotFound)
}

/// Begins an array with these items.
fn opened(mut items: Vec<u8>) -> Vec<u8> {
    match items.first_mut() {
        Some(comma) => *comma = b'[',
        None => items.push(b'['),
    }
    items
}

/// Returns an array of these items.
fn array(page: Page) -> Vec<u8> {
    let mut items = opened(page.items);
    items.push(b']');
    items
}
