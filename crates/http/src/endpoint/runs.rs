//! Runs of a supplier: rehearsals, as it sees them itself (contract D23).

use super::{Endpoint, Kind, pages};
use crate::answer::json;
use crate::call::{Answer, Call};
use crate::openapi::{
    self, Body, Operation, Response, array_of, examples, json_content, refusals, response, schema_of,
};
use crate::request::path::encode as encode_path;
use actix_web::HttpResponse;
use actix_web::http::Method;
use cutover_core::trimmed;
use cutover_model::describe::{Json, Schemas};
use cutover_model::{RunDiffShown, RunShown};

const LIST_PATH: &str = "/v2/data-import/import-suppliers/<supplier>/runs/";
/// The largest body in bytes.
const MAX_BODY: usize = 4 << 10;

/// `GET /v2/data-import/import-suppliers/<supplier>/runs/`: the runs, in pages (contract D23).
pub(crate) const LIST: Endpoint = Endpoint {
    method: Method::GET,
    template: LIST_PATH,
    kind: Kind::Api,
    handler: list,
    operation: Some(Operation {
        id: "listRuns",
        tag: openapi::PROGRESS,
        summary: "Lists the runs of a supplier, the last first",
        notes: "A run is a named stretch of work, such as a rehearsal. While it is open, the last outcome of each account is kept \
                in it.",
        query: pages::PARAMETERS,
        answers: &[Response {
            status: 200,
            means: "The runs; an empty array if there are none.",
            headers: &["Link"],
            content: json_content(all, &[("usual", examples::runs)]),
        }],
        refusals: refusals::of_list,
        ..Operation::BASE
    }),
};

/// `POST /v2/data-import/import-suppliers/<supplier>/runs/`: starts a run (contract D23).
pub(crate) const START: Endpoint = Endpoint {
    method: Method::POST,
    template: LIST_PATH,
    kind: Kind::Api,
    handler: start,
    operation: Some(Operation {
        id: "startRun",
        tag: openapi::PROGRESS,
        summary: "Starts a run",
        notes: "Only if the setting `supplier_runs` allows it; otherwise operators start and end runs. At most one run of a \
                supplier is open.",
        body: Body::Request("run", &["run"]),
        answers: &[response(
            201,
            "The run is open.",
            json_content(schema_of!(RunShown), &[("usual", examples::started_run)]),
        )],
        refusals: refusals::of_run_start,
        ..Operation::BASE
    }),
};

/// `GET /v2/data-import/import-suppliers/<supplier>/runs/<run>/`: a run with its figures (contract D23).
pub(crate) const GET: Endpoint = Endpoint {
    method: Method::GET,
    template: "/v2/data-import/import-suppliers/<supplier>/runs/<run>/",
    kind: Kind::Api,
    handler: get,
    operation: Some(Operation {
        id: "getRun",
        tag: openapi::PROGRESS,
        summary: "Returns a run with its figures",
        answers: &[response(
            200,
            "The run.",
            json_content(schema_of!(RunShown), &[("usual", examples::run)]),
        )],
        refusals: refusals::of_path,
        ..Operation::BASE
    }),
};

/// `POST /v2/data-import/import-suppliers/<supplier>/runs/<run>/end/`: ends a run (contract D23).
pub(crate) const END: Endpoint = Endpoint {
    method: Method::POST,
    template: "/v2/data-import/import-suppliers/<supplier>/runs/<run>/end/",
    kind: Kind::Api,
    handler: end,
    operation: Some(Operation {
        id: "endRun",
        tag: openapi::PROGRESS,
        summary: "Ends a run",
        notes: "Only if the setting `supplier_runs` allows it. Has no body; one that is sent is not read.",
        answers: &[response(
            200,
            "The run with its figures, which do not change any more, except that erased accounts leave it.",
            json_content(schema_of!(RunShown), &[("usual", examples::run)]),
        )],
        refusals: refusals::of_run_end,
        ..Operation::BASE
    }),
};

/// `GET /v2/data-import/import-suppliers/<supplier>/runs/<run>/diff/<other_run>/`: compares two runs (contract D23).
pub(crate) const DIFF: Endpoint = Endpoint {
    method: Method::GET,
    template: "/v2/data-import/import-suppliers/<supplier>/runs/<run>/diff/<other_run>/",
    kind: Kind::Api,
    handler: diff,
    operation: Some(Operation {
        id: "compareRuns",
        tag: openapi::PROGRESS,
        summary: "Compares two runs",
        notes: "Reads every account of both: a comparison of a million accounts takes some seconds.",
        answers: &[response(
            200,
            "The differences of the second run from the first.",
            json_content(schema_of!(RunDiffShown), &[("usual", examples::run_diff)]),
        )],
        refusals: refusals::of_path,
        ..Operation::BASE
    }),
};

fn all(schemas: &mut Schemas) -> Json {
    array_of(schemas, &RunShown::SPEC)
}

/// Reads the key that a page begins after.
fn key(cursor: Vec<u8>) -> Option<i64> {
    String::from_utf8(cursor).ok()?.parse().ok()
}

fn list(call: &mut Call) -> Answer<'_> {
    Box::pin(async move {
        let caller = call.caller().await?;
        let supplier = call.parameter(0);
        let (before, size) = pages::read(call.query(), key)?;
        let read =
            call.run_page(move |app| Ok(app.as_caller(&caller).runs(trimmed(&supplier), before, size)?));
        let page = read.await?;
        let mut response = HttpResponse::Ok();
        if let Some(next) = page.next {
            response.insert_header(pages::next(&encode_path(call.path()), size, next.to_string()));
        }
        let runs: Vec<RunShown> = page.runs.into_iter().map(RunShown::from).collect();
        Ok(json(&mut response, &runs))
    })
}

fn get(call: &mut Call) -> Answer<'_> {
    Box::pin(async move {
        let caller = call.caller().await?;
        let (supplier, name) = (call.parameter(0), call.parameter(1));
        let run =
            call.run_page(move |app| Ok(app.as_caller(&caller).show_run(trimmed(&supplier), &name)?)).await?;
        Ok(json(&mut HttpResponse::Ok(), &RunShown::from(run)))
    })
}

fn diff(call: &mut Call) -> Answer<'_> {
    Box::pin(async move {
        let caller = call.caller().await?;
        let (supplier, a, b) = (call.parameter(0), call.parameter(1), call.parameter(2));
        let compare =
            move |app: &cutover_app::App| Ok(app.as_caller(&caller).diff_runs(trimmed(&supplier), &a, &b)?);
        let diff = call.run_page(compare).await?;
        Ok(json(&mut HttpResponse::Ok(), &RunDiffShown::from(diff)))
    })
}

fn start(call: &mut Call) -> Answer<'_> {
    Box::pin(async move {
        let caller = call.caller().await?;
        let supplier = call.parameter(0);
        let body = call.small_body(MAX_BODY).await?;
        let run = call
            .run_with(body, move |app, body| Ok(app.start_supplier_run(&caller, &supplier, body)?))
            .await?;
        Ok(json(&mut HttpResponse::Created(), &run))
    })
}

fn end(call: &mut Call) -> Answer<'_> {
    Box::pin(async move {
        let caller = call.caller().await?;
        let (supplier, name) = (call.parameter(0), call.parameter(1));
        let run = call.run(move |app| Ok(app.end_supplier_run(&caller, &supplier, &name)?)).await?;
        Ok(json(&mut HttpResponse::Ok(), &run))
    })
}

#[cfg(test)]
mod tests {
    use crate::testing::{ACCOUNT, Reply, TestService};
    use actix_web::http::header::AUTHORIZATION;
    use actix_web::test::TestRequest;
    use cutover_app::operator::{AuditScope, SupplierChange};
    use cutover_app::port::{ApiKeyRole, AuditAction};
    use serde_json::json;

    const RUNS: &str = "/v2/data-import/import-suppliers/ACME_ENERGY/runs/";

    fn allowed() -> TestService {
        let service = TestService::new();
        service.set_supplier(SupplierChange { supplier_runs: Some(true), ..SupplierChange::default() });
        service
    }

    async fn start(service: &TestService, name: &str) -> Reply {
        service.post(RUNS, json!({"name": name}).to_string()).await
    }

    async fn end(service: &TestService, name: &str) -> Reply {
        service.send_as_acme(TestRequest::post().uri(&format!("{RUNS}{name}/end/"))).await
    }

    #[actix_web::test]
    async fn a_supplier_that_may_starts_ends_and_compares_runs() {
        let service = allowed();
        assert_eq!(service.get(RUNS).await.line(), "200 []");
        let first = start(&service, " one ").await;
        assert_eq!((first.status, &first.json()["name"]), (201, &json!("one")), "{}", first.text());
        service.create("Acme", ACCOUNT);
        service.import_pending();
        assert_eq!(start(&service, "two").await.json()["code"], "run_already_open");
        assert_eq!(start(&service, "one").await.json()["code"], "run_already_exists");
        let ended = end(&service, "one").await;
        assert_eq!(
            (ended.status, &ended.json()["counts"]["PROCESSED"]),
            (200, &json!(1)),
            "{}",
            ended.text()
        );
        assert_eq!(service.get(&format!("{RUNS}one")).await.json(), ended.json());
        let again = end(&service, "one").await;
        assert_eq!((again.status, &again.json()["code"]), (400, &json!("run_not_open")));
        assert_eq!(end(&service, "none").await.status, 404);
        assert_eq!(start(&service, "t w/o").await.status, 201);
        assert_eq!(end(&service, "t%20w%2Fo").await.status, 200);
        let diff = service.get(&format!("{RUNS}one/diff/t%20w%2Fo/")).await.json();
        assert_eq!(diff["gone"], json!({"count": 1, "examples": ["UNME-4001"]}));
        let pages = service.pages(&format!("{RUNS}?page_size=1")).await;
        let names: Vec<_> = pages.iter().map(|page| page.json()[0]["name"].clone()).collect();
        assert_eq!(names, ["t w/o", "one"]);
        let scope = AuditScope { action: Some(AuditAction::RunStarted), limit: 10, ..AuditScope::default() };
        let by: Vec<String> =
            service.app.as_command().audit(&scope).unwrap().into_iter().map(|record| record.by).collect();
        assert!(by.len() == 2 && by.iter().all(|by| by.starts_with("key:")), "{by:?}");
    }

    #[actix_web::test]
    async fn faulty_names_start_nothing() {
        let service = allowed();
        for body in ["{}", "{", "[]", r#"{"name":""}"#, r#"{"name":"a\nb"}"#, r#"{"name":"a","x":1}"#] {
            assert_eq!(service.post(RUNS, body).await.status, 400, "{body}");
        }
        assert_eq!(start(&service, &"a".repeat(101)).await.status, 400);
        assert_eq!(service.get(RUNS).await.line(), "200 []");
        for path in ["?cursor=!", "?page_size=0"] {
            assert_eq!(service.get(&format!("{RUNS}{path}")).await.status, 400, "{path}");
        }
    }

    /// Without the setting, a supplier sees its runs and changes none; readers never do.
    #[actix_web::test]
    async fn who_may_not_changes_nothing() {
        let service = TestService::new();
        service.app.as_command().start_run("ACME_ENERGY", "one").unwrap();
        assert_eq!(start(&service, "two").await.json()["code"], "permission_denied");
        assert_eq!(end(&service, "one").await.status, 403);
        assert_eq!(service.get(&format!("{RUNS}one/")).await.json()["ended_at"], json!(null));
        service.set_supplier(SupplierChange { supplier_runs: Some(true), ..SupplierChange::default() });
        let token = (AUTHORIZATION, format!("Token {}", service.token_as("Acme", ApiKeyRole::Reader)));
        for path in [RUNS.to_owned(), format!("{RUNS}one/"), format!("{RUNS}one/diff/one/")] {
            let read = TestRequest::get().uri(&path).insert_header(token.clone());
            assert_eq!(service.send(read).await.status, 200, "{path}");
        }
        let write = TestRequest::post().uri(&format!("{RUNS}one/end/")).insert_header(token);
        assert_eq!(service.send(write).await.status, 403);
    }

    #[actix_web::test]
    async fn runs_of_others_are_not_there() {
        let service = allowed();
        service.app.as_command().start_run("OTHER", "one").unwrap();
        let mut answers = Vec::new();
        for supplier in ["OTHER", "NOBODY"] {
            let runs = RUNS.replace("ACME_ENERGY", supplier);
            for path in ["", "one/", "one/diff/one/"] {
                answers.push(service.get(&format!("{runs}{path}")).await.line());
            }
            answers.push(service.post(&runs, r#"{"name":"x"}"#).await.line());
            let end = TestRequest::post().uri(&format!("{runs}one/end/"));
            answers.push(service.send_as_acme(end).await.line());
        }
        answers.push(service.get(&format!("{RUNS}one/")).await.line());
        answers.dedup();
        assert_eq!(answers, [r#"404 {"detail":"Not found.","code":"not_found"}"#]);
    }
}
