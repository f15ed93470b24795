use super::{Endpoint, Kind};
use crate::call::{Answer, Call, found};
use crate::openapi::{self, Operation, examples, json_content, refusals, response, schema_of};
use actix_web::http::Method;

/// `GET /v1/data-import/account-transfer-status/<supplier>/<number>/`: the version 1 status (contract 2.2,
/// 4.3).
pub(crate) const ENDPOINT: Endpoint = Endpoint {
    method: Method::GET,
    template: "/v1/data-import/account-transfer-status/<supplier>/<number>/",
    kind: Kind::Api,
    handler: handle,
    operation: Some(Operation {
        id: "getAccountTransferStatus",
        tag: openapi::PROGRESS,
        summary: "Returns the status of an account's import as one of three words",
        answers: &[response(
            200,
            "The status.",
            json_content(schema_of!(TransferStatus), &[("usual", examples::transfer_status)]),
        )],
        refusals: refusals::of_path,
        ..Operation::BASE
    }),
};

fn handle(call: &mut Call) -> Answer<'_> {
    Box::pin(async move {
        let caller = call.caller().await?;
        let (supplier, number) = (call.parameter(0), call.parameter(1));
        let status = call.run(move |app| Ok(app.transfer_status(&caller, &supplier, &number)?)).await?;
        found(status)
    })
}

#[cfg(test)]
mod tests {
    use crate::testing::{ACCOUNT, TestService};

    const PATH: &str = "/v1/data-import/account-transfer-status/";

    #[actix_web::test]
    async fn the_number_is_empty_until_there_is_an_account() {
        let service = TestService::new();
        service.create("Acme", ACCOUNT);
        let pending = service.get(&format!("{PATH}ACME_ENERGY/UNME-4001/")).await;
        assert_eq!(pending.line(), r#"200 {"status":"IN_PROGRESS","service_account_number":""}"#);
        service.import_pending();
        let completed = service.get(&format!("{PATH}ACME_ENERGY/UNME-4001")).await;
        insta::assert_snapshot!(completed.line());
    }

    #[actix_web::test]
    async fn an_attempt_that_made_no_account_is_unknown() {
        let service = TestService::new();
        service.create("Acme", ACCOUNT);
        service.app.as_command().cancel_process("ACME_ENERGY", "UNME-4001").unwrap();
        let unknown = service.get(&format!("{PATH}ACME_ENERGY/UNME-4001/")).await;
        assert_eq!(unknown.line(), r#"200 {"status":"UNKNOWN","service_account_number":""}"#);
    }

    #[actix_web::test]
    async fn data_of_others_is_not_found() {
        let service = TestService::with_accounts();
        for path in
            ["OTHER/ELEC-1001/", "NOBODY/ELEC-1001/", "ACME_ENERGY/NOBODY/", "%20/A/", "ACME_ENERGY//"]
        {
            let reply = service.get(&format!("{PATH}{path}")).await;
            assert_eq!(reply.line(), r#"404 {"detail":"Not found.","code":"not_found"}"#, "{path}");
        }
        service.set_store_down(true);
        assert_eq!(service.get(&format!("{PATH}ACME_ENERGY/ELEC-1001/")).await.status, 503);
    }
}
