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

/// Smaller bodies are not compressed.
const PACKED_FROM: u64 = 1_024;

/// The media type of newline-delimited JSON (contract D12).
pub(crate) const NDJSON: HeaderValue = HeaderValue::from_static("application/x-ndjson");

fn is_json() -> (HeaderName, HeaderValue) {
    (CONTENT_TYPE, HeaderValue::from_static("application/json"))
}

/// Returns a response with a JSON body.
pub(crate) fn json(response: &mut HttpResponseBuilder, body: &impl Serialize) -> HttpResponse {
    match serde_json::to_vec(body) {
        Ok(body) => written_json(response, body),
        Err(error) => {
            tracing::error!(%error, "a response could not be serialized");
            HttpResponse::InternalServerError().finish()
        }
    }
}

/// Returns a response whose body already is JSON.
pub(crate) fn written_json(response: &mut HttpResponseBuilder, body: impl Into<Bytes>) -> HttpResponse {
    response.insert_header(is_json()).body(body.into())
}

/// Returns a response whose JSON body is written while it is sent. On failure the connection is cut, which
/// leaves the client with invalid JSON.
pub(crate) fn streamed_json(
    response: &mut HttpResponseBuilder,
    body: impl Stream<Item = io::Result<Bytes>> + 'static,
) -> HttpResponse {
    response.insert_header(is_json()).streaming(body)
}

/// Returns a response whose lines of JSON are written while it is sent. On failure the connection is cut.
pub(crate) fn streamed_lines(
    response: &mut HttpResponseBuilder,
    body: impl Stream<Item = io::Result<Bytes>> + 'static,
) -> HttpResponse {
    response.insert_header((CONTENT_TYPE, NDJSON)).streaming(body)
}

/// Returns a response with the body `{}` (contract 4.1).
pub(crate) fn empty_object(status: StatusCode) -> HttpResponse {
    HttpResponse::build(status).insert_header(is_json()).body(Bytes::from_static(b"{}"))
}

/// Compresses a body that is large enough if the client accepts gzip (contract D3).
pub(crate) fn pack(request: &HttpRequest, mut response: HttpResponse) -> HttpResponse {
    if response.headers().get(CONTENT_TYPE).is_some_and(|media| media == NDJSON) {
        // Compression would hold lines back until there are more.
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
