//! Many accounts in one request, one per line (contract D12).

mod answer;
#[cfg(feature = "fuzzing")]
pub(crate) mod fuzzing;
mod lines;
mod order;
mod source;
#[cfg(test)]
mod tests;
mod unpack;

use super::create_account::{create, no_slot_for_line, take_slot};
use super::{Endpoint, Kind};
use crate::answer::streamed_lines;
use crate::call::{Answer, Call};
use crate::openapi::{
    self, Body, Content, Operation, Parameter, boolean_schema, examples, own, refusals, response,
};
use crate::refusal::Refusal;
use crate::refusal::log_cause;
use crate::request::authorization;
use crate::request::body::Held;
use crate::request::query::{Query, boolean};
use crate::service::Service;
use crate::service::work::Work;
use actix_web::HttpResponse;
use actix_web::http::{Method, StatusCode};
use actix_web::rt::spawn;
use actix_web::rt::task::{JoinError, JoinHandle};
use actix_web::web::Bytes;
use answer::Answered;
use cutover_app::App;
use cutover_app::account::CheckAccount;
use cutover_model::account_number_in;
use futures_util::stream::{FuturesOrdered, unfold};
use futures_util::{FutureExt, Stream, StreamExt};
use order::{Order, Turn};
use source::{Line, Source, accepts};
use std::borrow::Cow;
use std::cell::RefCell;
use std::io;
use std::rc::Rc;
use std::sync::Arc;

/// Maximum number of lines under way.
const LINES: usize = 128;
/// Maximum number of bytes under way, unless a single line has more.
const BYTES: usize = 8 << 20;
/// Bytes of answers sent at once.
const CHUNK: usize = 16 << 10;

/// `POST /v2/data-import/accounts/bulk/`: 200 with a result for each line, in order, sent while further lines
/// arrive. Accounts answered with 201 are durable.
pub(crate) const ENDPOINT: Endpoint = Endpoint {
    method: Method::POST,
    template: "/v2/data-import/accounts/bulk/",
    kind: Kind::Api,
    handler: handle,
    operation: Some(Operation {
        id: "createAccounts",
        tag: openapi::ACCOUNTS,
        summary: "Accepts or validates many accounts, one per line",
        notes: "Lines are answered in order while further ones are sent, and those of one account take effect in their order. \
                A line that was answered 201 is durable; after a 503 on a line no further lines are processed: resume \
                from that line later.",
        query: &[Parameter {
            name: "validate_only",
            doc: "If true, the accounts are only validated. `true` or `false` in any case, `1` or `0`.",
            schema: || boolean_schema(false),
        }],
        body: Body::Other("application/x-ndjson", own::bulk_request, || {
            examples::of(examples::REQUESTS[0].2.as_bytes())
        }),
        answers: &[response(
            200,
            "One result per line, each with its own status.",
            Some(Content {
                media: "application/x-ndjson",
                schema: own::bulk_answer,
                examples: &[("usual", own::bulk_example)],
            }),
        )],
        refusals: refusals::of_bulk,
        ..Operation::BASE
    }),
};

fn handle(call: &mut Call) -> Answer<'_> {
    Box::pin(async move {
        call.caller().await?;
        let service = call.service().clone();
        let token = authorization::token(call.headers())?.to_owned();
        let is_packed = accepts(call.headers())?;
        let mut query = Query::new(call.query());
        let validate_only = query.read("validate_only", boolean).unwrap_or_default();
        query.finish()?;
        let held = Held::new(service.bodies.allowance.clone(), call.organisation());
        let (limit, patience) = (service.body_limit, service.bodies.time);
        let mut source = Source::new(call.take_unread().await, is_packed, limit, held, patience);
        tokio::select! {
            begun = source.begin() => begun?,
            // The stream cuts it off.
            () = service.stopping() => {}
        }
        let context = LineContext { service, token, request_id: call.request_id(), validate_only };
        // Validations change nothing, so they need no order.
        let order = (!validate_only).then(Order::default);
        Ok(streamed_lines(&mut HttpResponse::Ok(), stream(Bulk::new(source, context, order))))
    })
}

/// The context that all lines share.
#[derive(Clone)]
struct LineContext {
    service: Arc<Service>,
    /// Verified for each line: the request may outlive it or its key.
    token: String,
    request_id: Option<String>,
    validate_only: bool,
}

/// A bulk request: lines arrive and answers are sent.
struct Bulk {
    source: Source,
    context: LineContext,
    /// `None` if lines do not wait for each other.
    order: Option<Order>,
    /// Each line runs in its own task: it completes and releases its resources even if nobody reads the
    /// answer.
    under_way: FuturesOrdered<JoinHandle<Answered>>,
    /// Bytes of the lines under way.
    bytes: usize,
    /// Set once no further lines are taken; with an error, the connection is cut after the last answer.
    end: Option<io::Result<()>>,
}

/// Streams the answers. The client's pace in reading them limits the pace at which lines are taken.
fn stream(bulk: Bulk) -> impl Stream<Item = io::Result<Bytes>> {
    let bulk = Rc::new(RefCell::new(Some(bulk)));
    // The unread request must outlive the response: otherwise actix would read it to its end.
    let unread = bulk.clone();
    let answers = unfold(bulk, |kept| async move {
        let mut bulk = kept.borrow_mut().take()?;
        let next = bulk.next().await;
        *kept.borrow_mut() = Some(bulk);
        Some((next?, kept))
    });
    answers.inspect(move |_| drop(unread.clone()))
}

impl Bulk {
    fn new(source: Source, context: LineContext, order: Option<Order>) -> Self {
        Self { source, context, order, under_way: FuturesOrdered::new(), bytes: 0, end: None }
    }

    /// Returns the next answers; `None` after the last one.
    async fn next(&mut self) -> Option<io::Result<Bytes>> {
        loop {
            let takes_more = self.end.is_none() && self.under_way.len() < LINES && self.bytes < BYTES;
            tokio::select! {
                biased;
                () = self.context.service.stopping(), if takes_more => self.end = Some(Err(stopped())),
                // Reads what has arrived first: if the client is gone, sending an answer ends the request.
                line = self.source.next(), if takes_more => match line {
                    Ok(Some(line)) => {
                        self.begin(line);
                        // Other tasks of this thread run between two lines.
                        tokio::task::yield_now().await;
                    }
                    Ok(None) => self.end = Some(Ok(())),
                    Err(error) => self.end = Some(Err(error)),
                },
                Some(answered) = self.under_way.next(), if !self.under_way.is_empty() => {
                    // Lines stored in the same commit are ready in a moment and are sent together.
                    tokio::task::yield_now().await;
                    return Some(self.collect(answered));
                }
                else => {
                    let error = self.end.replace(Ok(()))?.err()?;
                    // Answers are sent first: an error cuts the connection at once.
                    tokio::task::yield_now().await;
                    return Some(Err(error));
                }
            }
        }
    }

    fn begin(&mut self, line: Line) {
        self.bytes += line.size();
        // If memory is full for this line it is for the next ones, and a body that is no gzip has no next ones.
        if matches!(line.body, Err(Refusal::Unavailable(_) | Refusal::NotJson(_))) {
            self.end.get_or_insert(Ok(()));
        }
        let account = account_number_in(&line.bytes).map(Cow::into_owned);
        let turn = self.order.as_mut().map(|order| order.turn(account.as_deref())).unwrap_or_default();
        self.under_way.push_back(spawn(answered(self.context.clone(), line, account, turn)));
    }

    /// Collects an answer and those that are ready after it.
    fn collect(&mut self, first: Result<Answered, JoinError>) -> io::Result<Bytes> {
        let mut text = Vec::new();
        let mut next = Some(first);
        while let Some(answered) = next {
            let answered = answered.map_err(io::Error::other)?;
            self.bytes -= answered.size;
            if answered.stops {
                self.end.get_or_insert(Ok(()));
            }
            answered.write(&mut text);
            let ready = if text.len() < CHUNK { self.under_way.next().now_or_never() } else { None };
            next = ready.flatten();
        }
        self.source.restart_deadline();
        Ok(text.into())
    }
}

/// Processes a line when it is its turn, and returns its answer.
async fn answered(context: LineContext, line: Line, account: Option<String>, mut turn: Turn) -> Answered {
    let (number, size) = (line.number, line.size());
    let taken = match turn.begin().await {
        Ok(()) => take(&context, line, &turn).await,
        Err(refusal) => Err(refusal),
    };
    let must_be_repeated = |refusal: &Refusal| refusal.status() == StatusCode::SERVICE_UNAVAILABLE;
    turn.end(!taken.as_ref().is_err_and(must_be_repeated));
    let refusal = taken.err();
    if let Some(refusal) = &refusal {
        log_cause(refusal, context.request_id.as_deref().unwrap_or_default(), "bulk");
    }
    // What precedes the fault of a text that is not JSON need not be its account.
    let account = account.filter(|_| !matches!(refusal, Some(Refusal::NotJson(_))));
    Answered::new(number, size, account, context.validate_only, refusal)
}

/// Creates or validates the account of a line.
async fn take(context: &LineContext, line: Line, turn: &Turn) -> Result<(), Refusal> {
    let service = &context.service;
    let _line = service.lines.acquire().await.map_err(|_| no_slot_for_line())?;
    let caller = service.authenticate(&context.token).await??;
    let body = line.body?;
    let organisation = Some(caller.organisation_id);
    if !context.validate_only {
        let check = CheckAccount::new(caller, context.request_id.clone()).dated(turn.times());
        create(service, organisation, check, body, Some(&service.line_slots)).await?;
        return Ok(());
    }
    let _slot = take_slot(Some(&service.line_slots), organisation).await?;
    let validate =
        move |app: &App, body: &[u8], found: Option<&_>| Ok(app.validate_account(&caller, body, found)?);
    service.run_with_documents(organisation, body, Work::Reads, validate).await?;
    Ok(())
}

fn stopped() -> io::Error {
    io::Error::new(io::ErrorKind::ConnectionAborted, "the service stops")
}
