//! `POST /v1/graphql/`: obtains tokens (contract 5, D2).

#[cfg(test)]
mod tests;

use super::{Endpoint, Kind};
use crate::answer::json;
use crate::call::{Answer, Call};
use crate::graphql::answer;
use crate::openapi::{self, Access, Body, JSON, Operation, json_content, own, refusals, response};
use crate::refusal::Refusal;
use actix_web::HttpResponse;
use actix_web::http::Method;
use actix_web::http::header::{CACHE_CONTROL, HeaderValue};
use cutover_app::auth::AttemptKind;

/// The largest request in bytes; those of our own clients are under 1 KiB.
const MAX_BODY: usize = 16 << 10;

pub(crate) const POST: Endpoint = Endpoint {
    method: Method::POST,
    template: "/v1/graphql/",
    kind: Kind::Api,
    handler: handle,
    operation: Some(Operation {
        id: "obtainToken",
        tag: openapi::TOKENS,
        summary: "Obtains an access token",
        notes: "Takes the organisation's API key, or the refresh token of an earlier call, which works once. \
                A refused key is answered with 200 and `errors`, as usual in GraphQL.",
        access: Access::All,
        body: Body::Other(JSON, own::graphql_request, own::graphql_request_example),
        answers: &[response(
            200,
            "The result, or the errors.",
            json_content(own::graphql_answer, &[("usual", own::graphql_answer_example)]),
        )],
        refusals: refusals::of_sign_in,
        ..Operation::BASE
    }),
};

/// GET is refused, like batches (contract D2): an operation in a URL ends up in logs.
pub(crate) const GET: Endpoint = Endpoint {
    method: Method::GET,
    template: "/v1/graphql/",
    kind: Kind::Api,
    handler: refuse_get,
    operation: None,
};

/// Executes one operation; 200 with `errors` if it is refused. Counted by the client's address.
fn handle(call: &mut Call) -> Answer<'_> {
    Box::pin(async move {
        call.throttle_sign_in(AttemptKind::ObtainToken)?;
        let mut body = call.small_body(MAX_BODY).await?;
        let (response, obtained) = answer(&call.service().schema, body.unpack()?).await?;
        if let Some(obtained) = obtained {
            call.attempted(AttemptKind::ObtainToken, obtained.as_ref().map(|claims| &*claims.key));
            if let Ok(claims) = obtained {
                call.belongs_to(claims.org);
            }
        }
        let no_store = (CACHE_CONTROL, HeaderValue::from_static("no-store"));
        Ok(json(HttpResponse::Ok().insert_header(no_store), &response))
    })
}

fn refuse_get(_: &mut Call) -> Answer<'_> {
    Box::pin(async { Err(Refusal::Invalid("Send one operation as a JSON object by POST.")) })
}
