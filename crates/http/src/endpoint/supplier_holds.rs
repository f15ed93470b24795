//! Holds of a supplier's imports that the supplier places and ends itself (contract D16).

use super::{Endpoint, Kind};
use crate::call::{Answer, Call, found};
use crate::openapi::{self, Operation, Parameter, examples, json_content, refusals, response, schema_of};
use crate::refusal::Refusal;
use crate::request::query::Query;
use actix_web::http::Method;
use cutover_app::App;
use cutover_app::operator::{Operations, OperatorError};
use cutover_core::trimmed;
use cutover_model::describe::Json;

/// Maximum number of characters of a reason.
const MOST: u32 = 250;

const BECAUSE: Parameter = Parameter {
    name: "because",
    doc: "The reason, for people: 1 to 250 characters, nothing about a customer.",
    schema: || Json::object().with("type", "string").with("minLength", 1_u32).with("maxLength", MOST),
};

const OF_RELEASE: &[Parameter] = &[
    BECAUSE,
    Parameter {
        name: "held_since",
        doc: "The time of the supplier's own reason that was shown, with its offset: one that was given since stays, and the \
              release is refused. Without it the reason of that moment ends.",
        schema: || Json::object().with("type", "string").with("format", "date-time"),
    },
];

/// `POST /v2/data-import/import-suppliers/<supplier>/hold/`: holds the imports.
pub(crate) const HOLD: Endpoint = Endpoint {
    method: Method::POST,
    template: "/v2/data-import/import-suppliers/<supplier>/hold/",
    kind: Kind::Api,
    handler: hold,
    operation: Some(Operation {
        id: "holdSupplier",
        tag: openapi::PROGRESS,
        summary: "Holds the imports of a supplier",
        notes: "Accounts are accepted and wait. A supplier has one reason of its own: other words replace it. Has no body; one \
                that is sent is not read.",
        query: &[BECAUSE],
        answers: &[response(
            200,
            "The settings of the supplier, with its hold.",
            json_content(schema_of!(SupplierShown), &[("usual", examples::supplier)]),
        )],
        refusals: refusals::of_hold,
        ..Operation::BASE
    }),
};

/// `POST /v2/data-import/import-suppliers/<supplier>/release/`: ends the hold of the supplier itself.
pub(crate) const RELEASE: Endpoint = Endpoint {
    method: Method::POST,
    template: "/v2/data-import/import-suppliers/<supplier>/release/",
    kind: Kind::Api,
    handler: release,
    operation: Some(Operation {
        id: "releaseSupplier",
        tag: openapi::PROGRESS,
        summary: "Ends the hold that the supplier has placed itself",
        notes: "The imports go on unless there are other reasons: `hold` has those that are left, which only the operator \
                ends. Has no body; one that is sent is not read.",
        query: OF_RELEASE,
        answers: &[response(
            200,
            "The settings of the supplier, with the hold that is left.",
            json_content(schema_of!(SupplierShown), &[("usual", examples::supplier)]),
        )],
        refusals: refusals::of_release,
        ..Operation::BASE
    }),
};

fn hold(call: &mut Call) -> Answer<'_> {
    Box::pin(async move {
        let mut query = Query::new(call.query());
        let because = query.read("because", reason);
        query.finish()?;
        act(call, |by, code| by.hold_as_supplier(code, because)).await
    })
}

fn release(call: &mut Call) -> Answer<'_> {
    Box::pin(async move {
        let mut query = Query::new(call.query());
        let because = query.read("because", reason);
        let held_since = query.read("held_since", |text| text.parse().ok());
        query.finish()?;
        act(call, move |by, code| by.release_as_supplier(code, held_since, because)).await
    })
}

fn act<A>(call: &mut Call, act: A) -> Answer<'_>
where
    A: FnOnce(&Operations<'_>, &str) -> Result<(), OperatorError> + Send + 'static,
{
    Box::pin(async move {
        let caller = call.caller().await?;
        let code = call.parameter(0);
        let job = move |app: &App| {
            match act(&app.as_caller(&caller), trimmed(&code)) {
                // It is being erased.
                Err(OperatorError::Refused(_)) => Err(Refusal::NotFound),
                Err(OperatorError::Changed(_)) => Err(Refusal::HoldChanged),
                done => Ok(done?),
            }?;
            Ok(app.supplier_settings(&caller, &code)?)
        };
        found(call.run(job).await?)
    })
}

/// Reads a reason that is neither blank nor too long.
fn reason(text: &str) -> Option<String> {
    let text = trimmed(text);
    (!text.is_empty() && text.chars().count() <= MOST as usize).then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use crate::testing::{Reply, TestService};
    use actix_web::test::TestRequest;
    use chrono::TimeDelta;
    use cutover_app::port::ApiKeyRole;
    use serde_json::json;

    const SUPPLIER: &str = "/v2/data-import/import-suppliers/ACME_ENERGY/";

    #[actix_web::test]
    async fn a_supplier_ends_its_own_hold_only() {
        let service = TestService::new();
        let held = service.post(&format!("{SUPPLIER}hold/?because=wrong%20tariffs"), "").await;
        assert_eq!(held.status, 200, "{}", held.text());
        let hold = &held.json()["hold"];
        assert_eq!((&hold["by"], &hold["because"]), (&json!("supplier"), &json!("wrong tariffs")));
        assert_eq!(service.get(SUPPLIER).await.json()["hold"], *hold);
        service.app.as_command().hold_supplier("ACME_ENERGY", Some("documents".into())).unwrap();
        let left = service.post(&format!("{SUPPLIER}release/"), "").await.json();
        assert_eq!((&left["hold"]["by"], &left["hold"]["also"]), (&json!("operator"), &json!([])));
        // There is nothing of its own any more.
        assert_eq!(service.post(&format!("{SUPPLIER}release/"), "").await.json()["hold"], left["hold"]);
    }

    #[actix_web::test]
    async fn a_hold_that_was_not_shown_stays() {
        let service = TestService::new();
        let since = |reply: &Reply| reply.json()["hold"]["since"].as_str().unwrap().replace('+', "%2B");
        let first = since(&service.post(&format!("{SUPPLIER}hold/?because=tariffs"), "").await);
        service.clock.advance(TimeDelta::seconds(1));
        let second = service.post(&format!("{SUPPLIER}hold/?because=documents"), "").await;
        let release = |since: &str| format!("{SUPPLIER}release/?held_since={since}");
        let refused = service.post(&release(&first), "").await;
        assert_eq!((refused.status, &refused.json()["code"]), (400, &json!("hold_changed")));
        assert_eq!(service.get(SUPPLIER).await.json()["hold"], second.json()["hold"]);
        assert_eq!(service.post(&release("yesterday"), "").await.status, 400);
        let released = service.post(&release(&since(&second)), "").await;
        assert_eq!((released.status, &released.json()["hold"]), (200, &json!(null)));
        // A repetition, whose first answer may have been lost, changes nothing.
        assert_eq!(service.post(&release(&since(&second)), "").await.status, 200);
    }

    #[actix_web::test]
    async fn others_are_refused() {
        let service = TestService::new();
        for act in ["hold", "release"] {
            let token = format!("Token {}", service.token_as("Acme", ApiKeyRole::Reader));
            let request =
                TestRequest::post().uri(&format!("{SUPPLIER}{act}/")).insert_header(("authorization", token));
            let refused = service.send(request).await;
            assert_eq!((refused.status, &refused.json()["code"]), (403, &"permission_denied".into()));
            for supplier in ["OTHER", "NOBODY", "%20"] {
                let path = format!("/v2/data-import/import-suppliers/{supplier}/{act}/");
                let answer = service.post(&path, "").await.line();
                assert_eq!(answer, r#"404 {"detail":"Not found.","code":"not_found"}"#);
            }
            for because in ["", "%20", &"x".repeat(251)] {
                let faulty = service.post(&format!("{SUPPLIER}{act}/?because={because}"), "").await;
                assert_eq!(faulty.status, 400, "{because:?}");
            }
        }
        assert_eq!(service.get(SUPPLIER).await.json()["hold"], json!(null));
    }
}
