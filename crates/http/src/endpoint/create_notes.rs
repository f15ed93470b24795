use super::{Endpoint, Kind};
use crate::answer::json;
use crate::call::{Answer, Call};
use crate::openapi::{self, Body, Operation, array_of, examples, json_content, refusals, response};
use crate::service::work::Work;
use actix_web::HttpResponse;
use actix_web::http::Method;
use cutover_model::NoteResult;
use cutover_model::describe::{Json, Schemas};

/// `POST /v1/data-import/notes/create/`: 201 with the result of each note (contract 4.2, D8).
pub(crate) const ENDPOINT: Endpoint = Endpoint {
    method: Method::POST,
    template: "/v1/data-import/notes/create/",
    kind: Kind::Api,
    handler: handle,
    operation: Some(Operation {
        id: "createNotes",
        tag: openapi::AFTER,
        summary: "Adds notes to an imported account",
        notes: "Adds all of them or none. A note that the account already has is not added again.",
        body: Body::Request("notes", &["notes"]),
        answers: &[response(
            201,
            "The result of each note, in order.",
            json_content(notes, &[("usual", examples::notes)]),
        )],
        refusals: refusals::of_notes,
        ..Operation::BASE
    }),
};

fn notes(schemas: &mut Schemas) -> Json {
    array_of(schemas, &NoteResult::SPEC)
}

fn handle(call: &mut Call) -> Answer<'_> {
    Box::pin(async move {
        let caller = call.caller().await?;
        let body = call.body().await?;
        let add = call.run_with_documents(body, Work::Writes, move |app, body, found| {
            Ok(app.add_notes(&caller, body, found)?)
        });
        Ok(json(&mut HttpResponse::Created(), &add.await?))
    })
}

#[cfg(test)]
mod tests {
    use crate::testing::{ELECTRICITY, TestService};
    use cutover_app::port::DocumentState;

    const PATH: &str = "/v1/data-import/notes/create/";
    const CALLS: &str = include_str!("../../../../fixtures/notes/valid/calls.json");
    const DOCUMENTS: &str = include_str!("../../../../fixtures/notes/valid/documents.json");
    const EMPTY: &str = include_str!("../../../../fixtures/notes/faulty/NOT-01-empty-note.json");

    #[actix_web::test]
    async fn notes_are_added_once() {
        let service = TestService::with_accounts();
        let mut lines = Vec::new();
        for notes in [CALLS, CALLS, DOCUMENTS] {
            lines.push(service.post(PATH, notes).await.line());
        }
        insta::assert_snapshot!(lines.join("\n"));
    }

    #[actix_web::test]
    async fn each_refusal_has_its_body() {
        let service = TestService::new();
        let mut lines = vec![service.post(PATH, CALLS).await.line()];
        service.create("Acme", ELECTRICITY);
        for body in [CALLS, "{", EMPTY] {
            lines.push(service.post(PATH, body).await.line());
        }
        service.set_store_down(true);
        lines.push(service.post(PATH, CALLS).await.line());
        insta::assert_snapshot!(lines.join("\n"));
    }

    #[actix_web::test]
    async fn data_of_others_is_not_found() {
        let service = TestService::with_accounts();
        let of = |supplier: &str| CALLS.replace("ACME_ENERGY", supplier);
        let none = service.post(PATH, of("NOBODY")).await.line();
        assert!(none.starts_with("404 ") && none.contains("\"import_process_does_not_exist\""), "{none}");
        assert_eq!(service.post(PATH, of("OTHER")).await.line(), none);
        let unknown = CALLS.replace("ELEC-1001", "ELEC-9999");
        assert_eq!(service.post(PATH, unknown).await.line(), none);
    }

    #[actix_web::test]
    async fn documents_are_looked_up_if_the_supplier_verifies_them() {
        let service = TestService::with_accounts();
        service.post(PATH, CALLS).await;
        assert_eq!(service.documents.look_ups(), 0);
        service.verify_documents();
        service.documents.set("/ACME_ENERGY", "notes/ELEC-1001/hardship-form.pdf", DocumentState::Present);
        let missing = service.post(PATH, DOCUMENTS).await;
        service.documents.set_down(true);
        let down = service.post(PATH, DOCUMENTS).await;
        assert_eq!(down.header("retry-after"), "2");
        service.documents.set_down(false);
        for path in ["payslip.png", "meter-photo.jpg"] {
            service.documents.set("/ACME_ENERGY", &format!("notes/ELEC-1001/{path}"), DocumentState::Present);
        }
        let added = service.post(PATH, DOCUMENTS).await;
        assert_eq!((added.status, service.documents.look_ups()), (201, 3));
        insta::assert_snapshot!([missing.line(), down.line()].join("\n"));
    }
}
