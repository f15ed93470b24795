use super::{Endpoint, Kind};
use crate::answer::written_json;
use crate::call::{Answer, Call};
use crate::openapi::{self, ACCOUNT_BODY, Operation, examples, json_content, own, refusals, response};
use crate::service::work::Work;
use actix_web::HttpResponse;
use actix_web::http::Method;

/// `POST /v1/data-import/validate-account/`: 200 with the account as it was sent, or every fault of the payload (contract D12).
/// Clients of comparable services call validate by this name.
pub(crate) const ENDPOINT: Endpoint = Endpoint {
    method: Method::POST,
    template: "/v1/data-import/validate-account/",
    kind: Kind::Api,
    handler: handle,
    operation: Some(Operation {
        id: "validateAccountAndEcho",
        tag: openapi::ACCOUNTS,
        summary: "Checks an account and answers with it",
        notes: "The same check as that of validate in version 2, for clients of comparable services.",
        body: ACCOUNT_BODY,
        answers: &[response(
            200,
            "The account is valid: it, as it was sent.",
            json_content(own::account_as_sent, &[("usual", examples::account)]),
        )],
        refusals: refusals::of_validate,
        ..Operation::BASE
    }),
};

fn handle(call: &mut Call) -> Answer<'_> {
    Box::pin(async move {
        let caller = call.caller().await?;
        let body = call.body().await?;
        let validate = call.run_with_documents(body, Work::Reads, move |app, body, found| {
            Ok(app.validate_account(&caller, body, found)?.map(|()| body.to_vec()))
        });
        Ok(written_json(&mut HttpResponse::Ok(), validate.await?))
    })
}

#[cfg(test)]
mod tests {
    use crate::testing::{ACCOUNT, ELECTRICITY, TestService, gzip};
    use actix_web::http::header::CONTENT_ENCODING;
    use actix_web::test::TestRequest;

    const PATH: &str = "/v1/data-import/validate-account/";
    const VERSION_2: &str = "/v2/data-import/accounts/validate/";

    #[actix_web::test]
    async fn a_valid_account_is_answered_as_it_was_sent() {
        let service = TestService::new();
        let wrapped = format!(" {{\"payload\": {ACCOUNT}, \"task_params\": {{\"is_dry_run\": true}}}}\n");
        for body in [ACCOUNT, ELECTRICITY, &wrapped] {
            let reply = service.post(PATH, body.to_owned()).await;
            assert_eq!((reply.status, reply.header("content-type")), (200, "application/json"));
            assert_eq!(reply.text(), body);
        }
        let packed = TestRequest::post().uri(PATH).insert_header((CONTENT_ENCODING, "gzip"));
        let reply = service.send_as_acme(packed.set_payload(gzip(ACCOUNT.as_bytes()))).await;
        assert_eq!((reply.status, reply.text()), (200, ACCOUNT));
    }

    #[actix_web::test]
    async fn faults_are_those_of_version_2() {
        let service = TestService::new();
        for body in ["{", "{}", &ACCOUNT.replace("ACME_ENERGY", "NOBODY")] {
            let [here, there] = [PATH, VERSION_2].map(|path| service.post(path, body.to_owned()));
            let (here, there) = (here.await, there.await);
            assert_eq!((here.status, here.line()), (400, there.line()), "{body}");
        }
        service.verify_documents();
        assert_eq!(
            service.post(PATH, ELECTRICITY).await.line(),
            service.post(VERSION_2, ELECTRICITY).await.line()
        );
    }
}
