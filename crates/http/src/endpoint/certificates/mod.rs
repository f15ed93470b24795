//! Certificates of a supplier's accounts (contract D17).

mod leaves;
mod proof;
#[cfg(test)]
mod tests;

pub(crate) use leaves::LEAVES;
pub(crate) use proof::PROOF;

use super::{Endpoint, Kind};
use crate::answer::{json, written_json};
use crate::call::{Answer, Call};
use crate::openapi::{self, Operation, examples, json_content, refusals, response, schema_of};
use actix_web::HttpResponse;
use actix_web::http::Method;
use cutover_app::port::Access;
use cutover_model::certificate::CertificateKeyShown;

const PATH: &str = "/v2/data-import/import-suppliers/<supplier>/certificate/";

/// `POST /v2/data-import/import-suppliers/<supplier>/certificate/`: issues a certificate (contract D17).
pub(crate) const POST: Endpoint = Endpoint {
    method: Method::POST,
    template: PATH,
    kind: Kind::Api,
    handler: issue,
    operation: Some(Operation {
        id: "issueCertificate",
        tag: openapi::PROGRESS,
        summary: "Issues a certificate of a supplier's accounts",
        notes: "For keys of the roles `supplier` and `reader`. Has no body; one that is sent is not read. The answer comes when \
                the certificate is stored, which takes some seconds for a million accounts. If the client does not wait, it is \
                issued nevertheless, and is the latest then. Ten of a supplier can be issued at once and then one a minute; more \
                are refused with 429 `throttled`, and `Retry-After` says when the next one is allowed.",
        answers: &[response(
            201,
            "The certificate, in the canonical form that is signed, with the signature.",
            json_content(schema_of!(certificate::Certificate), &[("usual", examples::certificate)]),
        )],
        refusals: refusals::of_path,
        ..Operation::BASE
    }),
};

/// `GET /v2/data-import/import-suppliers/<supplier>/certificate/`: the latest certificate (contract D17).
pub(crate) const LATEST: Endpoint = Endpoint {
    method: Method::GET,
    template: PATH,
    kind: Kind::Api,
    handler: latest,
    operation: Some(Operation {
        id: "getLatestCertificate",
        tag: openapi::PROGRESS,
        summary: "Returns the latest certificate of a supplier",
        answers: &[response(
            200,
            "The certificate.",
            json_content(schema_of!(certificate::Certificate), &[("usual", examples::certificate)]),
        )],
        refusals: refusals::of_latest_certificate,
        ..Operation::BASE
    }),
};

/// `GET /v2/data-import/import-suppliers/<supplier>/certificate/<certificate>/`: a certificate (contract D17).
pub(crate) const GET: Endpoint = Endpoint {
    method: Method::GET,
    template: "/v2/data-import/import-suppliers/<supplier>/certificate/<certificate>/",
    kind: Kind::Api,
    handler: get,
    operation: Some(Operation {
        id: "getCertificate",
        tag: openapi::PROGRESS,
        summary: "Returns a certificate of a supplier",
        answers: &[response(
            200,
            "The certificate.",
            json_content(schema_of!(certificate::Certificate), &[("usual", examples::certificate)]),
        )],
        refusals: refusals::of_path,
        ..Operation::BASE
    }),
};

/// `GET /v2/data-import/certificate-keys/`: the public keys of certificates (contract D17).
pub(crate) const KEYS: Endpoint = Endpoint {
    method: Method::GET,
    template: "/v2/data-import/certificate-keys/",
    kind: Kind::Api,
    handler: keys,
    operation: Some(Operation {
        id: "listCertificateKeys",
        tag: openapi::PROGRESS,
        summary: "Lists the public keys that verify certificates",
        notes: "Newest first, with those that sign no more. Compare the key with one that you got otherwise.",
        answers: &[response(
            200,
            "The keys.",
            json_content(
                |schemas| openapi::array_of(schemas, &CertificateKeyShown::SPEC),
                &[("usual", examples::certificate_keys)],
            ),
        )],
        refusals: refusals::with_token,
        ..Operation::BASE
    }),
};

fn issue(call: &mut Call) -> Answer<'_> {
    Box::pin(async move {
        let caller = call.caller_for(Access::Certify).await?;
        let code = call.parameter(0);
        let supplier = call.run(move |app| Ok(app.supplier_to_certify(&caller, &code)?)).await?;
        call.throttle_certificate(supplier.id)?;
        let issued = call.run_to_end(move |app| Ok(app.issue_certificate(&supplier)?)).await?;
        Ok(written_json(&mut HttpResponse::Created(), issued.document))
    })
}

fn latest(call: &mut Call) -> Answer<'_> {
    Box::pin(async move {
        let caller = call.caller().await?;
        let supplier = call.parameter(0);
        let found = call.run(move |app| Ok(app.certificate(&caller, &supplier, None)?)).await?;
        Ok(written_json(&mut HttpResponse::Ok(), found.document))
    })
}

fn get(call: &mut Call) -> Answer<'_> {
    Box::pin(async move {
        let caller = call.caller().await?;
        let (supplier, name) = (call.parameter(0), call.parameter(1));
        let found = call.run(move |app| Ok(app.certificate(&caller, &supplier, Some(&name))?)).await?;
        Ok(written_json(&mut HttpResponse::Ok(), found.document))
    })
}

fn keys(call: &mut Call) -> Answer<'_> {
    Box::pin(async move {
        call.caller().await?;
        let keys = call.run(|app| Ok(app.public_certificate_keys()?)).await?;
        Ok(json(&mut HttpResponse::Ok(), &keys))
    })
}
