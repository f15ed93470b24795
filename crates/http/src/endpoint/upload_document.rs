//! Documents of a supplier that a client brings into the storage (contract D10).

use super::{Endpoint, Kind};
use crate::answer::json;
use crate::call::{Answer, Call};
use crate::openapi::{self, Body, Operation, examples, json_content, own, refusals, response, schema_of};
use crate::refusal::Refusal;
use crate::request::body::{self, Held};
use crate::request::digest;
use actix_web::HttpResponse;
use actix_web::http::Method;
use cutover_app::StoredDocument;
use cutover_app::port::DOCUMENT_PIECE;
use cutover_model::DocumentShown;

/// `PUT /v2/data-import/import-suppliers/<supplier>/documents/<path>/`: 201 once the document is stored, 200 if the same bytes
/// were there. The body is handed on as it arrives.
pub(crate) const ENDPOINT: Endpoint = Endpoint {
    method: Method::PUT,
    template: "/v2/data-import/import-suppliers/<supplier>/documents/<path>/",
    kind: Kind::Api,
    handler: handle,
    operation: Some(Operation {
        id: "uploadDocument",
        tag: openapi::DOCUMENTS,
        summary: "Stores a document",
        notes: "The body is the document, of any media type. A document is never replaced: the same bytes may be sent again, \
                other bytes under the path are a 409. With `Content-Digest: sha-256=:…:` (RFC 9530) a body that was damaged \
                on its way is refused.",
        body: Body::Other("application/octet-stream", own::bytes, || examples::of(b"\"%PDF-1.7 \"")),
        answers: &[
            response(
                200,
                "The same document is stored already.",
                json_content(schema_of!(DocumentShown), &[("usual", examples::document)]),
            ),
            response(
                201,
                "The document is stored durably.",
                json_content(schema_of!(DocumentShown), &[("usual", examples::document)]),
            ),
        ],
        refusals: refusals::of_document,
        ..Operation::BASE
    }),
};

fn handle(call: &mut Call) -> Answer<'_> {
    Box::pin(async move {
        let caller = call.caller().await?;
        let (supplier, path) = (call.parameter(0), call.parameter(1));
        let limit = call.service().document_limit;
        if limit == 0 {
            return Err(Refusal::DocumentsRefused(None));
        }
        let announced = body::announced(call.headers(), body::is_bytes, limit)?;
        let digest = digest::sha256(call.headers())?;
        let target = call.run(move |app| Ok(app.document_target(&caller, &supplier, &path)?)).await?;
        let mut held = Held::new(call.service().bodies.allowance.clone(), call.organisation());
        held.resize(announced.length().unwrap_or(limit).min(DOCUMENT_PIECE))?;
        let mut writer = call.service().app.write_document(target).await?;
        call.each_chunk(limit, async |chunk| Ok(writer.write(chunk).await?)).await?;
        Ok(answer(writer.finish(digest).await?))
    })
}

fn answer(stored: StoredDocument) -> HttpResponse {
    let sha256 = stored.digest.sha256.iter().map(|byte| format!("{byte:02x}")).collect();
    let mut response = if stored.is_new { HttpResponse::Created() } else { HttpResponse::Ok() };
    json(&mut response, &DocumentShown { bytes: stored.digest.size, sha256 })
}

#[cfg(test)]
mod tests {
    use crate::config::Config;
    use crate::service::Listener;
    use crate::testing::{Reply, TestService};
    use actix_web::dev::Payload;
    use actix_web::error::PayloadError;
    use actix_web::http::header::AUTHORIZATION;
    use actix_web::test::TestRequest;
    use actix_web::web::Bytes;
    use cutover_app::port::{ApiKeyRole, DOCUMENT_PIECE};
    use futures_util::stream;

    const DOCUMENTS: &str = "/v2/data-import/import-suppliers/ACME_ENERGY/documents/";
    const ROOT: &str = "/ACME_ENERGY";
    const PDF: &str = "%PDF-1.7";
    const PDF_DIGEST: &str = "sha-256=:hu26okgxut+gqLBLtBAUHi7kGCttABRJP+Jip6Mxwgs=:";

    fn put(path: &str, body: impl Into<Bytes>) -> TestRequest {
        TestRequest::put().uri(&format!("{DOCUMENTS}{path}")).set_payload(body)
    }

    async fn send(service: &TestService, path: &str, body: &'static str) -> Reply {
        service.send_as_acme(put(path, body)).await
    }

    #[actix_web::test]
    async fn a_document_is_stored_once_and_never_replaced() {
        let service = TestService::new();
        let stored = send(&service, "letters/a%20b.pdf", PDF).await;
        insta::assert_snapshot!(stored.line());
        assert_eq!(service.documents.content(ROOT, "letters/a b.pdf").unwrap(), PDF.as_bytes());
        let again = send(&service, "letters%2Fa%20b.pdf/", PDF).await;
        assert_eq!((again.status, again.text()), (200, stored.text()));
        let other = send(&service, "letters/a%20b.pdf", "%PDF-1.8").await;
        assert_eq!((other.status, &other.json()["code"]), (409, &"document_already_exists".into()));
        assert_eq!(service.documents.content(ROOT, "letters/a b.pdf").unwrap(), PDF.as_bytes());
    }

    #[actix_web::test]
    async fn large_documents_are_written_in_pieces() {
        let service =
            TestService::with(Config { document_limit: 2 * DOCUMENT_PIECE + 7, ..Config::default() });
        let body: Vec<u8> = (0..2 * DOCUMENT_PIECE + 7).map(|at| (at % 251) as u8).collect();
        assert_eq!(service.send_as_acme(put("large.pdf", body.clone())).await.status, 201);
        assert!(service.documents.content(ROOT, "large.pdf").unwrap() == body);
        assert_eq!(service.send_as_acme(put("larger.pdf", [&body[..], b"x"].concat())).await.status, 413);
        assert_eq!(service.documents.content(ROOT, "larger.pdf"), None);
        assert_eq!(service.documents.uploads(), 0);
    }

    #[actix_web::test]
    async fn damaged_and_empty_documents_are_refused() {
        let service = TestService::new();
        let with = |body: &'static str| put("a.pdf", body).insert_header(("content-digest", PDF_DIGEST));
        let damaged = service.send_as_acme(with("%PDF-1.8")).await;
        assert_eq!((damaged.status, &damaged.json()["code"]), (400, &"content_digest_mismatch".into()));
        let faulty = put("a.pdf", PDF).insert_header(("repr-digest", "sha-256=:AA=:"));
        assert_eq!(service.send_as_acme(faulty).await.status, 400);
        let empty = send(&service, "a.pdf", "").await;
        assert_eq!((empty.status, &empty.json()["errors"][0]["code"]), (400, &"invalid".into()));
        assert_eq!(service.documents.content(ROOT, "a.pdf"), None);
        assert_eq!(service.send_as_acme(with(PDF)).await.status, 201);
    }

    #[actix_web::test]
    async fn unsafe_paths_are_refused_before_the_body() {
        let service = TestService::new();
        for path in ["../a.pdf", "a/%2E%2E/b", "/a.pdf", "a//b.pdf", "a%5Cb", "a%00b", "%20a.pdf", "a%252Fb"]
        {
            let refused = send(&service, path, PDF).await;
            let code = refused.json()["errors"][0]["code"].clone();
            assert_eq!((refused.status, code), (400, "invalid_document_path".into()), "{path}");
        }
        let long = "x".repeat(1_025);
        assert_eq!(send(&service, &long, PDF).await.json()["errors"][0]["attr"], "path");
        assert_eq!(service.documents.look_ups(), 0);
    }

    #[actix_web::test]
    async fn others_suppliers_are_not_found_and_readers_may_not_write() {
        let service = TestService::new();
        for supplier in ["OTHER", "NOBODY", "%20"] {
            let path = DOCUMENTS.replace("ACME_ENERGY", supplier) + "a.pdf";
            let refused = service.send_as_acme(TestRequest::put().uri(&path).set_payload(PDF)).await;
            assert_eq!((refused.status, &refused.json()["code"]), (404, &"not_found".into()), "{supplier}");
        }
        let reader = format!("Token {}", service.token_as("Acme", ApiKeyRole::Reader));
        assert_eq!(service.send(put("a.pdf", PDF).insert_header((AUTHORIZATION, reader))).await.status, 403);
    }

    #[actix_web::test]
    async fn storage_that_takes_nothing_is_told_from_one_that_is_down() {
        let service = TestService::new();
        service.documents.set_read_only(true);
        let refused = send(&service, "a.pdf", PDF).await;
        assert_eq!((refused.status, &refused.json()["code"]), (403, &"document_uploads_refused".into()));
        service.documents.set_down(true);
        assert_eq!(send(&service, "a.pdf", PDF).await.status, 503);
        let none = TestService::with(Config { document_limit: 0, ..Config::default() });
        assert_eq!(send(&none, "a.pdf", PDF).await.json()["code"], "document_uploads_refused");
    }

    #[actix_web::test]
    async fn a_broken_upload_leaves_nothing() {
        let service = TestService::new();
        let request = TestRequest::put().uri(&format!("{DOCUMENTS}a.pdf"));
        let mut request = request.insert_header(service.authorization()).to_request();
        let chunks = [Ok(Bytes::from_static(b"%PDF")), Err(PayloadError::Incomplete(None))];
        *request.payload() = Payload::Stream { payload: Box::pin(stream::iter(chunks)) };
        assert_eq!(service.answer_to(Listener::Public, request).await.status(), 400);
        assert_eq!((service.documents.content(ROOT, "a.pdf"), service.documents.uploads()), (None, 0));
        assert_eq!(send(&service, "a.pdf", PDF).await.status, 201);
    }
}
