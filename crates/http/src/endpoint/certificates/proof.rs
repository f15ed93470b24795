use crate::answer::json;
use crate::call::{Answer, Call};
use crate::endpoint::{Endpoint, Kind};
use crate::openapi::{self, Operation, examples, json_content, refusals, response, schema_of};
use actix_web::HttpResponse;
use actix_web::http::Method;

/// `GET …/certificate/<certificate>/proof/<number>/`: the proof for one account (contract D17).
pub(crate) const PROOF: Endpoint = Endpoint {
    method: Method::GET,
    template: "/v2/data-import/import-suppliers/<supplier>/certificate/<certificate>/proof/<number>/",
    kind: Kind::Api,
    handler: handle,
    operation: Some(Operation {
        id: "getCertificateProof",
        tag: openapi::PROGRESS,
        summary: "Returns the proof that a certificate covers an account",
        notes: "The leaf of the account, and the hashes that lead from it to the root of the certificate. An account that was \
                erased since has no proof.",
        answers: &[response(
            200,
            "The proof.",
            json_content(schema_of!(certificate::InclusionProof), &[("usual", examples::proof)]),
        )],
        refusals: refusals::of_leaves,
        ..Operation::BASE
    }),
};

fn handle(call: &mut Call) -> Answer<'_> {
    Box::pin(async move {
        let caller = call.caller().await?;
        let (supplier, name, number) = (call.parameter(0), call.parameter(1), call.parameter(2));
        let proof =
            call.run(move |app| Ok(app.certificate_proof(&caller, &supplier, &name, &number)?)).await?;
        Ok(json(&mut HttpResponse::Ok(), &proof))
    })
}
