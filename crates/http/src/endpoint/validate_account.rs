use super::{Endpoint, Kind};
use crate::answer::empty_object;
use crate::call::{Answer, Call};
use crate::openapi::{self, ACCOUNT_BODY, Operation, empty_response, refusals};
use crate::service::work::Work;
use actix_web::http::Method;
use actix_web::http::StatusCode;

/// `POST /v2/data-import/accounts/validate/`: 200 `{}`, or every fault of the payload (contract 4.1, 7.1).
pub(crate) const ENDPOINT: Endpoint = Endpoint {
    method: Method::POST,
    template: "/v2/data-import/accounts/validate/",
    kind: Kind::Api,
    handler: handle,
    operation: Some(Operation {
        id: "validateAccount",
        tag: openapi::ACCOUNTS,
        summary: "Checks an account and lists every fault at once",
        notes: "Applies the same rules as create and stores nothing. The supplier's status is ignored.",
        body: ACCOUNT_BODY,
        answers: &[empty_response(200, "The account is valid.")],
        refusals: refusals::of_validate,
        ..Operation::BASE
    }),
};

fn handle(call: &mut Call) -> Answer<'_> {
    Box::pin(async move {
        let caller = call.caller().await?;
        let body = call.body().await?;
        let validate = call.run_with_documents(body, Work::Reads, move |app, body, found| {
            Ok(app.validate_account(&caller, body, found)?)
        });
        validate.await?;
        Ok(empty_object(StatusCode::OK))
    })
}

#[cfg(test)]
mod tests {
    use crate::config::Config;
    use crate::testing::{ACCOUNT, ELECTRICITY, TestService, gzip};
    use actix_web::http::header::{AUTHORIZATION, CONTENT_ENCODING, CONTENT_TYPE};
    use actix_web::test::TestRequest;
    use cutover_app::operator::SupplierChange;
    use cutover_app::port::StoreError;
    use cutover_core::SupplierStatus;
    use cutover_testkit::memory::Fault;

    const PATH: &str = "/v2/data-import/accounts/validate/";

    #[actix_web::test]
    async fn a_valid_account_is_answered_with_an_empty_object() {
        let service = TestService::new();
        let reply = service.post(PATH, ACCOUNT).await;
        assert_eq!(reply.line(), "200 {}");
        assert_eq!(reply.header("content-type"), "application/json");
        assert_eq!(service.post(PATH.trim_end_matches('/'), ACCOUNT).await.line(), "200 {}");
        let wrapped = format!("{{\"payload\": {ACCOUNT}, \"task_params\": {{\"is_dry_run\": true}}}}");
        assert_eq!(service.post(PATH, wrapped).await.line(), "200 {}");
        let complete = SupplierChange { status: Some(SupplierStatus::Complete), ..SupplierChange::default() };
        service.set_supplier(complete);
        assert_eq!(service.post(PATH, ACCOUNT).await.line(), "200 {}", "only creates ask for the status");
    }

    #[actix_web::test]
    async fn every_fault_is_listed() {
        let account =
            ACCOUNT.replace("\"ONLINE\"", "7").replace("\"last_billed_to_date\"", "\"lsat_billed\"");
        let reply = TestService::new().post(PATH, account).await;
        assert_eq!(reply.status, 400);
        insta::assert_json_snapshot!(reply.json());
    }

    #[actix_web::test]
    async fn another_organisations_supplier_is_unknown() {
        let service = TestService::new();
        let of = |supplier: &str| ACCOUNT.replace("ACME_ENERGY", supplier);
        let (anothers, none) =
            (service.post(PATH, of("OTHER")).await, service.post(PATH, of("NOBODY")).await);
        assert_eq!(anothers.line(), none.line());
        assert_eq!(none.json()["errors"][0]["code"], "import_supplier_not_found");
    }

    #[actix_web::test]
    async fn documents_are_looked_up_if_the_supplier_verifies_them() {
        let service = TestService::new();
        assert_eq!((service.post(PATH, ELECTRICITY).await.status, service.documents.look_ups()), (200, 0));
        service.verify_documents();
        assert_eq!((service.post(PATH, ACCOUNT).await.status, service.documents.look_ups()), (200, 0));
        let missing = service.post(PATH, ELECTRICITY).await;
        assert_eq!(missing.json()["errors"][0]["code"], "path_does_not_exist_in_file_store");
        service.documents.set_down(true);
        let down = service.post(PATH, ELECTRICITY).await;
        assert_eq!((down.status, down.header("retry-after")), (503, "2"));
        assert!(!down.text().contains("on purpose"));
    }

    #[actix_web::test]
    async fn invalid_json_is_reported_with_its_position() {
        let service = TestService::new();
        let deep = "[".repeat(100_000);
        for body in [
            &b""[..],
            b"nope",
            b"{\n  \"a\": }",
            b"\xEF\xBB\xBF{}",
            b"{} x",
            b"{}{}",
            b"{\"a\":\"\\ud800\"}",
            b"\xff\xfe{\0}\0",
            deep.as_bytes(),
        ] {
            let reply = service.post(PATH, body.to_vec()).await;
            assert_eq!((reply.status, &reply.json()["code"]), (400, &"parse_error".into()), "{body:?}");
        }
        insta::assert_json_snapshot!(service.post(PATH, "{\n  \"a\": }").await.json());
    }

    #[actix_web::test]
    async fn compressed_and_plain_bodies_are_limited() {
        let service = TestService::with(Config { body_limit: 10_000, rate_limit: 0, ..Config::default() });
        let post = || TestRequest::post().uri(PATH);
        let large = format!("{ACCOUNT}{}", " ".repeat(10_000));
        assert_eq!(service.post(PATH, large.clone()).await.status, 413);
        let packed =
            |body: &str| post().insert_header((CONTENT_ENCODING, "gzip")).set_payload(gzip(body.as_bytes()));
        assert_eq!(service.send_as_acme(packed(&large)).await.status, 413);
        assert_eq!(service.send_as_acme(packed(ACCOUNT)).await.line(), "200 {}");
        let twice = packed(ACCOUNT).append_header((CONTENT_ENCODING, "gzip"));
        assert_eq!(service.send_as_acme(twice).await.json()["code"], "unsupported_media_type");
        let text = post().insert_header((CONTENT_TYPE, "text/plain")).set_payload(ACCOUNT);
        assert_eq!(service.send_as_acme(text).await.json()["code"], "unsupported_media_type");
    }

    #[actix_web::test]
    async fn without_a_valid_token_nothing_is_read() {
        let service = TestService::new();
        let post = || TestRequest::post().uri(PATH).insert_header((CONTENT_TYPE, "text/plain"));
        let nothing = service.send(post()).await;
        assert_eq!(nothing.header("www-authenticate"), "Token");
        assert_eq!((nothing.status, nothing.json()["code"].as_str()), (401, Some("not_authenticated")));
        let token = service.token();
        let forged = format!("{}x", &token[..token.len() - 1]);
        let answers = ["Token a.b.c", &format!("Token {forged}"), &format!("Bearer {token}x"), "Basic YTpi"]
            .map(|header| service.send(post().insert_header((AUTHORIZATION, header.to_owned()))));
        for reply in futures_util::future::join_all(answers).await {
            assert_eq!(reply.header("www-authenticate"), "Token");
            assert_eq!((reply.status, reply.json()["code"].as_str()), (401, Some("authentication_failed")));
        }
    }

    #[actix_web::test]
    async fn an_organisation_above_its_rate_is_throttled() {
        let service = TestService::with(Config { rate_limit: 1, ..Config::default() });
        let mut reply = service.post(PATH, ACCOUNT).await;
        for _ in 0..100 {
            if reply.status == 429 {
                break;
            }
            reply = service.post(PATH, ACCOUNT).await;
        }
        assert_eq!(reply.json()["code"], "throttled");
        assert_eq!(reply.header("retry-after"), "1");
    }

    #[actix_web::test]
    async fn internal_errors_reveal_no_details() {
        let service = TestService::new();
        assert_eq!(service.post(PATH, ACCOUNT).await.status, 200);
        let token = service.token();
        let post = || {
            let header = (AUTHORIZATION, format!("Token {token}"));
            TestRequest::post().uri(PATH).insert_header(header).set_payload(ACCOUNT)
        };
        let secret = || "disk at /secret".to_owned();
        // The settings of the supplier are read again.
        service.clock.advance(chrono::Duration::milliseconds(10));
        service.store.set_fault(Some(Fault::Error(StoreError::Unavailable(secret()))));
        let unavailable = service.send(post()).await;
        assert_eq!(unavailable.header("retry-after"), "2");
        service.store.set_fault(Some(Fault::Error(StoreError::Corrupt(secret()))));
        let failed = service.send(post()).await;
        service.store.set_fault(Some(Fault::Panic));
        let panicked = service.send(post()).await;
        assert_eq!(failed.line(), panicked.line());
        insta::assert_snapshot!([unavailable.line(), failed.line()].join("\n"));
        service.store.set_fault(None);
        assert_eq!(service.send(post()).await.status, 200);
    }
}
