//! Bodies of answers, and their compression.

use actix_http::encoding::Encoder;
use actix_web::body::{BodySize, MessageBody};
use actix_web::http::StatusCode;
use actix_web::http::header::{
    ACCEPT_ENCODING, AcceptEncoding, CONTENT_TYPE, ContentEncoding, Encoding, Header, HeaderName,
    HeaderValue, VARY,
};
use actix_web::web::Bytes;
use actix_web::{HttpRequest, HttpResponse, HttpResponseBuilder};
use futures_util::Stream;
use serde::Serialize;
use std::io;

/// Smaller bodies are not worth packing.
const PACKED_FROM: u64 = 1_024;

/// The media type of lines of JSON (contract D12).
pub(crate) const NDJSON: HeaderValue = HeaderValue::from_static("application/x-ndjson");

fn is_json() -> (HeaderName, HeaderValue) {
    (CONTENT_TYPE, HeaderValue::from_static("application/json"))
}

/// A JSON body.
pub(crate) fn json(response: &mut HttpResponseBuilder, body: &impl Serialize) -> HttpResponse {
    match serde_json::to_vec(body) {
        Ok(body) => written_json(response, body),
        Err(error) => {
            tracing::error!(%error, "an answer could not be written");
            HttpResponse::InternalServerError().finish()
        }
    }
}

/// A body that already is JSON.
pub(crate) fn written_json(response: &mut HttpResponseBuilder, body: impl Into<Bytes>) -> HttpResponse {
    response.insert_header(is_json()).body(body.into())
}

/// A JSON body that is written while it is sent. If it fails, the connection is cut: what the client has
/// then is no JSON.
pub(crate) fn streamed_json(
    response: &mut HttpResponseBuilder,
    body: impl Stream<Item = io::Result<Bytes>> + 'static,
) -> HttpResponse {
    response.insert_header(is_json()).streaming(body)
}

/// The body `{}`, which says that all went well (contract 4.1).
pub(crate) fn empty_object(status: StatusCode) -> HttpResponse {
    HttpResponse::build(status).insert_header(is_json()).body(Bytes::from_static(b"{}"))
}

/// Packs a body that is worth it if the client takes gzip (contract D3).
pub(crate) fn pack(request: &HttpRequest, mut response: HttpResponse) -> HttpResponse {
    if response.headers().get(CONTENT_TYPE).is_some_and(|media| media == NDJSON) {
        // A line is for now: packed, it would be kept back until there are more.
        return response;
    }
    let is_large = match response.body().size() {
        BodySize::None => false,
        BodySize::Sized(size) => size >= PACKED_FROM,
        BodySize::Stream => true,
    };
    if !is_large {
        return response;
    }
    response.headers_mut().insert(VARY, HeaderValue::from_static("Accept-Encoding"));
    if !takes_gzip(request) {
        return response;
    }
    response.map_body(|head, body| Encoder::response(ContentEncoding::Gzip, head, body).boxed())
}

fn takes_gzip(request: &HttpRequest) -> bool {
    let supported = [Encoding::gzip(), Encoding::identity()];
    request.headers().contains_key(ACCEPT_ENCODING)
        && AcceptEncoding::parse(request)
            .is_ok_and(|accepted| accepted.negotiate(supported.iter()) == Some(Encoding::gzip()))
}
