use crate::answer::streamed_lines;
use crate::call::{Answer, Call};
use crate::endpoint::stream::{Page, Source, stream};
use crate::endpoint::{Endpoint, Kind};
use crate::openapi::{self, Content, Operation, own, refusals, response};
use crate::refusal::Refusal;
use crate::request::body::Held;
use actix_web::HttpResponse;
use actix_web::http::Method;
use cutover_app::App;
use cutover_app::port::StoredCertificate;
use futures_util::stream::empty;
use std::sync::Arc;

/// Buffer for a page in bytes: a thousand leaves of some 300 bytes.
const ROOM: usize = 384 << 10;
/// The number of lists that such a stream counts as: its pages are larger.
const WEIGHT: usize = 8;

/// `GET …/certificate/<certificate>/leaves/`: the leaves of a certificate (contract D17).
pub(crate) const LEAVES: Endpoint = Endpoint {
    method: Method::GET,
    template: "/v2/data-import/import-suppliers/<supplier>/certificate/<certificate>/leaves/",
    kind: Kind::Api,
    handler: handle,
    operation: Some(Operation {
        id: "streamCertificateLeaves",
        tag: openapi::PROGRESS,
        summary: "Streams the leaves of a certificate",
        notes: "One line per account, by number, in the canonical form whose hash is a leaf of the tree. Of an account that was \
                erased only the hash is left. A response with fewer lines than the certificate has accounts was cut. The leaves \
                of the latest ten certificates of a supplier are kept.",
        answers: &[response(
            200,
            "The leaves.",
            Some(Content {
                media: "application/x-ndjson",
                schema: own::certificate_line,
                examples: &[("account", own::certificate_leaf_example), ("erased", own::erased_leaf_example)],
            }),
        )],
        refusals: refusals::of_leaves,
        ..Operation::BASE
    }),
};

/// The first page is read before the response begins, so that an early failure is a proper refusal.
fn handle(call: &mut Call) -> Answer<'_> {
    Box::pin(async move {
        let caller = call.caller().await?;
        let (supplier, name) = (call.parameter(0), call.parameter(1));
        let (service, organisation) = (call.service().clone(), call.organisation());
        let mut held = Held::new(service.lists.clone(), organisation);
        held.resize(WEIGHT)?;
        let begin = move |app: &App| {
            let certificate = app.certificate_with_leaves(&caller, &supplier, &name)?;
            let first = page(app, &certificate, 0)?;
            Ok((certificate, first))
        };
        let (certificate, first) = call.run_page(begin).await?;
        if call.is_head() {
            return Ok(streamed_lines(&mut HttpResponse::Ok(), empty()));
        }
        let (app, blocking) = (service.app.clone(), service.blocking.clone());
        let read = Arc::new(move |position, _| page(&app, &certificate, position));
        let request_id = call.request_id();
        let source = Source { read, room: ROOM, blocking, organisation, _held: held, request_id };
        Ok(streamed_lines(&mut HttpResponse::Ok(), stream(source, first)))
    })
}

fn page(app: &App, certificate: &StoredCertificate, position: i64) -> Result<Page<i64>, Refusal> {
    let page = app.certificate_leaves(certificate, position)?;
    Ok(Page { items: page.lines, next: page.next })
}
