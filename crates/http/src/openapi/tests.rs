use super::{Access, Body, Operation, document, examples, path};
use crate::dispatch::route::{described, endpoints};
use crate::endpoint::Kind;
use crate::refusal::Refusal;
use crate::testing::{ACCOUNT, Reply, TestService};
use actix_web::http::Method;
use actix_web::http::header::{AUTHORIZATION, CONTENT_TYPE};
use actix_web::test::TestRequest;
use cutover_app::port::{ApiKeyRole, InstructionDetails, VendorKind};
use cutover_core::Code;
use cutover_model::{LatestEvent, Limits, ProcessStatus, TransferStatus, Zone};
use cutover_process::{ShownEvent, State, StateV1};
use jsonschema::Validator;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::{Arc, LazyLock, Mutex};

/// Set by `cargo xtask docs` to have the file in `docs/` written.
const WRITE: &str = "CUTOVER_WRITE_REFERENCES";

fn description() -> Value {
    serde_json::from_str(&document(&described()).pretty()).unwrap()
}

/// The description with responses that allow no undescribed members.
static STRICT: LazyLock<Value> = LazyLock::new(|| {
    let mut description = description();
    for schema in description["components"]["schemas"].as_object_mut().unwrap().values_mut() {
        close(schema);
    }
    description
});

fn close(schema: &mut Value) {
    let Value::Object(members) = schema else { return };
    if members.contains_key("properties") && !members.contains_key("additionalProperties") {
        members.insert("additionalProperties".into(), json!(false));
    }
    members.values_mut().for_each(close);
}

/// Returns the faults of a body by a schema of the description. Each schema is compiled once, which takes much longer
/// than a check by it.
fn faults(schema: &Value, body: &Value) -> Vec<String> {
    static COMPILED: Mutex<BTreeMap<String, Arc<Validator>>> = Mutex::new(BTreeMap::new());
    let compile = || {
        let mut root = schema.clone();
        root["components"] = STRICT["components"].clone();
        let options = jsonschema::options().with_draft(jsonschema::Draft::Draft202012);
        Arc::new(options.should_validate_formats(true).build(&root).unwrap())
    };
    let validator = COMPILED.lock().unwrap().entry(schema.to_string()).or_insert_with(compile).clone();
    validator.iter_errors(body).map(|error| format!("{}: {error}", error.instance_path())).collect()
}

fn operations(description: &Value) -> Vec<(String, &Value)> {
    let paths = description["paths"].as_object().unwrap().iter();
    let all = paths.flat_map(|(path, methods)| {
        let methods = methods.as_object().unwrap().iter();
        methods.map(move |(method, operation)| (format!("{} {path}", method.to_uppercase()), operation))
    });
    all.collect()
}

#[test]
fn every_endpoint_of_the_api_is_described_once() {
    for endpoint in endpoints().filter(|endpoint| endpoint.kind != Kind::Console) {
        // It exists only to be refused with a reason.
        let is_refused = endpoint.template == "/v1/graphql/" && endpoint.method == Method::GET;
        assert_eq!(endpoint.operation.is_none(), is_refused, "{} {}", endpoint.method, endpoint.template);
    }
    let described = described();
    let places: BTreeSet<_> =
        described.iter().map(|(template, method, _)| (template, method.as_str())).collect();
    let ids: BTreeSet<_> = described.iter().map(|(_, _, operation)| operation.id).collect();
    assert_eq!((places.len(), ids.len()), (described.len(), described.len()));
}

#[test]
fn the_file_in_docs_is_up_to_date() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/openapi.json");
    let text = document(&described()).pretty();
    if std::env::var_os(WRITE).is_some() {
        std::fs::write(&path, &text).unwrap();
    }
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(written == text, "docs/openapi.json is stale; run: cargo xtask docs");
}

#[test]
fn references_resolve_and_components_are_used() {
    let description = description();
    let mut named = BTreeSet::new();
    references(&description, &mut named);
    for reference in &named {
        assert!(description.pointer(reference.strip_prefix('#').unwrap()).is_some(), "{reference}");
    }
    for kind in ["schemas", "headers", "examples"] {
        for name in description["components"][kind].as_object().unwrap().keys() {
            assert!(named.contains(&format!("#/components/{kind}/{name}")), "{kind} {name}");
        }
    }
}

fn references(value: &Value, named: &mut BTreeSet<String>) {
    match value {
        Value::Object(members) => {
            named.extend(members.get("$ref").and_then(Value::as_str).map(str::to_owned));
            members.values().for_each(|inner| references(inner, named));
        }
        Value::Array(items) => items.iter().for_each(|inner| references(inner, named)),
        _ => {}
    }
}

#[test]
fn request_examples_are_valid() {
    for (name, request, text) in examples::REQUESTS {
        let body = text.as_bytes();
        macro_rules! findings {
            ($decode:ident) => {
                cutover_model::$decode(body, Zone::UTC, Limits::default()).unwrap().findings
            };
        }
        let findings = match *request {
            "account" => cutover_model::decode_account(body, Zone::UTC).unwrap().findings,
            "notes" => findings!(decode_notes),
            "transactions" => findings!(decode_transactions),
            "historical-statements" => findings!(decode_historical_statements),
            "payment-instruction" => findings!(decode_payment_instruction),
            "business" => findings!(decode_business),
            "business-payment-instruction" => findings!(decode_business_payment_instruction),
            "manifest" => findings!(decode_manifest),
            "manifest-numbers" => findings!(decode_manifest_numbers),
            "run" => findings!(decode_run),
            "account-search" => findings!(decode_account_search),
            other => panic!("{other}"),
        };
        assert!(findings.is_empty(), "{name}: {findings:?}");
    }
    for (_, _, operation) in described() {
        let Body::Request(request, names) = operation.body else { continue };
        for name in names {
            assert!(
                examples::REQUESTS.iter().any(|(known, of, _)| known == name && *of == request),
                "{name}"
            );
        }
    }
}

#[test]
fn every_example_fits_its_schema() {
    let mut count = 0;
    for (place, operation) in operations(&STRICT) {
        let bodies = std::iter::once((place.clone(), &operation["requestBody"]));
        let answers = operation["responses"].as_object().unwrap().iter();
        let answers = answers.map(|(status, answer)| (format!("{place} {status}"), answer));
        for (place, message) in bodies.chain(answers) {
            for content in message["content"].as_object().into_iter().flat_map(|content| content.values()) {
                for example in examples_of(&STRICT, content) {
                    count += 1;
                    let faults = faults(&content["schema"], &example);
                    assert_eq!(faults, [""; 0], "{place}: {example}");
                }
            }
        }
    }
    assert!(count > 150, "{count}");
}

fn examples_of(description: &Value, content: &Value) -> Vec<Value> {
    let mut examples: Vec<Value> = content.get("example").cloned().into_iter().collect();
    for example in content["examples"].as_object().into_iter().flat_map(|examples| examples.values()) {
        let example = match example.get("$ref").and_then(Value::as_str) {
            Some(reference) => description.pointer(&reference[1..]).unwrap(),
            None => example,
        };
        examples.push(example["value"].clone());
    }
    examples
}

#[test]
fn status_words_match_the_process() {
    let words = |name: &str, member: &str| -> BTreeSet<String> {
        let schema = &description()["components"]["schemas"][name]["properties"][member]["enum"];
        serde_json::from_value(schema.clone()).unwrap()
    };
    let of = |words: Vec<&str>| words.into_iter().map(str::to_owned).collect::<BTreeSet<_>>();
    let states: Vec<_> = State::ALL.iter().map(|state| state.as_str()).collect();
    let counts =
        &description()["components"]["schemas"]["SupplierProgress"]["properties"]["counts"]["required"];
    assert_eq!(serde_json::from_value::<BTreeSet<String>>(counts.clone()).unwrap(), of(states.clone()));
    assert_eq!(words(ProcessStatus::SPEC.ident, "status"), of(states));
    let events = ShownEvent::ALL.iter().map(|event| event.as_str()).collect();
    assert_eq!(words(LatestEvent::SPEC.ident, "event"), of(events));
    let states = StateV1::ALL.iter().map(|state| state.as_str()).collect();
    assert_eq!(words(TransferStatus::SPEC.ident, "status"), of(states));
    let filter = parameter("/v2/data-import/accounts/{supplier}/", "error_code");
    let filter: BTreeSet<String> = serde_json::from_value(filter["schema"]["enum"].clone()).unwrap();
    assert_eq!(filter, of(Code::of_service().map(Code::as_str).collect()));
}

/// Returns a query parameter of GET.
fn parameter(path: &str, name: &str) -> Value {
    let description = description();
    let parameters = description["paths"][path]["get"]["parameters"].as_array().unwrap();
    parameters.iter().find(|parameter| parameter["name"] == name).unwrap().clone()
}

#[actix_web::test]
async fn a_body_is_required_if_an_empty_one_is_refused() {
    let service = TestService::new();
    let description = description();
    let has_body = |operation: &Operation| !matches!(operation.body, Body::Nothing);
    let posts = described().into_iter().filter(|(_, method, _)| *method == Method::POST);
    for (template, _, _) in posts.filter(|(_, _, operation)| has_body(operation)) {
        let body = &description["paths"][path(template)]["post"]["requestBody"];
        let media = body["content"].as_object().unwrap().keys().next().unwrap().as_str();
        let uri = template.replace("<supplier>", "ACME_ENERGY");
        let request = TestRequest::post().uri(&uri).insert_header((CONTENT_TYPE, media));
        let refused = send(&service, template, request).await.status == 400;
        assert_eq!(body["required"], refused, "{template}");
    }
}

/// Sends a request as Acme: with a token, or with an operator's key where that is needed.
async fn send(service: &TestService, template: &str, request: TestRequest) -> Reply {
    if !template.starts_with("/v2/operator/") {
        return service.send_as_acme(request).await;
    }
    let key = service.key_as("Acme", ApiKeyRole::Operator);
    service.send(request.insert_header((AUTHORIZATION, format!("Token {key}")))).await
}

/// A request whose response is checked: method, path, template of the route, and body.
type Sent = (Method, &'static str, &'static str, String);

fn requests() -> Vec<Sent> {
    let example = |name: &str| {
        let found = examples::REQUESTS.iter().find(|(known, _, _)| *known == name);
        found.unwrap().2.to_owned()
    };
    let get = |path: &'static str, template: &'static str| (Method::GET, path, template, String::new());
    let post = |path: &'static str, body: String| (Method::POST, path, path, body);
    let put = |path: &'static str, template: &'static str, body: String| (Method::PUT, path, template, body);
    let query = r#"{"query": "{ apiVersion }"}"#.to_owned();
    let mut untyped: Value = serde_json::from_str(&example("transactions")).unwrap();
    untyped["transactions"] = serde_json::json!(["no object"]);
    vec![
        post("/v2/data-import/accounts/validate/", ACCOUNT.into()),
        post("/v2/data-import/accounts/validate/", "{}".into()),
        post("/v1/data-import/validate-account/", ACCOUNT.into()),
        post("/v1/data-import/validate-account/", "{}".into()),
        post("/v2/data-import/accounts/", ACCOUNT.into()),
        post("/v2/data-import/accounts/", "{}".into()),
        post("/v2/data-import/accounts/", example("account").replace("UNMG-5001", "ELEC-1001")),
        post("/v2/data-import/accounts/bulk/", ACCOUNT.replace('\n', " ")),
        get(
            "/v2/data-import/accounts/ACME_ENERGY/ELEC-1001/",
            "/v2/data-import/accounts/{supplier}/{number}/",
        ),
        get("/v2/data-import/accounts/ACME_ENERGY/none/", "/v2/data-import/accounts/{supplier}/{number}/"),
        get(
            "/v2/data-import/accounts/ACME_ENERGY/ELEC-1001/issues/",
            "/v2/data-import/accounts/{supplier}/{number}/issues/",
        ),
        get("/v2/data-import/accounts/ACME_ENERGY/?page_size=1", "/v2/data-import/accounts/{supplier}/"),
        get("/v2/data-import/accounts/ACME_ENERGY/?status=x", "/v2/data-import/accounts/{supplier}/"),
        (
            Method::POST,
            "/v2/data-import/accounts/ACME_ENERGY/ELEC-1001/cancel/",
            "/v2/data-import/accounts/{supplier}/{number}/cancel/",
            String::new(),
        ),
        (
            Method::POST,
            "/v2/data-import/accounts/ACME_ENERGY/UNME-4001/cancel/",
            "/v2/data-import/accounts/{supplier}/{number}/cancel/",
            String::new(),
        ),
        get("/v2/data-import/import-suppliers/ACME_ENERGY/", "/v2/data-import/import-suppliers/{supplier}/"),
        (
            Method::POST,
            "/v2/data-import/import-suppliers/ACME_ENERGY/hold/?because=",
            "/v2/data-import/import-suppliers/{supplier}/hold/",
            String::new(),
        ),
        (
            Method::POST,
            "/v2/data-import/import-suppliers/ACME_ENERGY/hold/?because=tariffs",
            "/v2/data-import/import-suppliers/{supplier}/hold/",
            String::new(),
        ),
        (
            Method::POST,
            "/v2/data-import/import-suppliers/ACME_ENERGY/release/",
            "/v2/data-import/import-suppliers/{supplier}/release/",
            String::new(),
        ),
        get(
            "/v2/data-import/import-suppliers/ACME_ENERGY/manifest/",
            "/v2/data-import/import-suppliers/{supplier}/manifest/",
        ),
        put(
            "/v2/data-import/import-suppliers/ACME_ENERGY/manifest/",
            "/v2/data-import/import-suppliers/{supplier}/manifest/",
            example("manifest"),
        ),
        put(
            "/v2/data-import/import-suppliers/ACME_ENERGY/manifest/",
            "/v2/data-import/import-suppliers/{supplier}/manifest/",
            "{}".into(),
        ),
        get(
            "/v2/data-import/import-suppliers/ACME_ENERGY/manifest/",
            "/v2/data-import/import-suppliers/{supplier}/manifest/",
        ),
        put(
            "/v2/data-import/import-suppliers/ACME_ENERGY/manifest/numbers/",
            "/v2/data-import/import-suppliers/{supplier}/manifest/numbers/",
            example("manifest_numbers"),
        ),
        get(
            "/v2/data-import/import-suppliers/ACME_ENERGY/manifest/missing/",
            "/v2/data-import/import-suppliers/{supplier}/manifest/missing/",
        ),
        get(
            "/v2/data-import/import-suppliers/ACME_ENERGY/manifest/unexpected/",
            "/v2/data-import/import-suppliers/{supplier}/manifest/unexpected/",
        ),
        get(
            "/v2/data-import/import-suppliers/ACME_ENERGY/runs/",
            "/v2/data-import/import-suppliers/{supplier}/runs/",
        ),
        (
            Method::POST,
            "/v2/data-import/import-suppliers/ACME_ENERGY/runs/",
            "/v2/data-import/import-suppliers/{supplier}/runs/",
            example("run"),
        ),
        get(
            "/v2/data-import/import-suppliers/ACME_ENERGY/runs/none/",
            "/v2/data-import/import-suppliers/{supplier}/runs/{run}/",
        ),
        (
            Method::POST,
            "/v2/data-import/import-suppliers/ACME_ENERGY/runs/none/end/",
            "/v2/data-import/import-suppliers/{supplier}/runs/{run}/end/",
            String::new(),
        ),
        get(
            "/v2/data-import/import-suppliers/ACME_ENERGY/runs/none/diff/none/",
            "/v2/data-import/import-suppliers/{supplier}/runs/{run}/diff/{other_run}/",
        ),
        get(
            "/v2/data-import/import-suppliers/ACME_ENERGY/progress/",
            "/v2/data-import/import-suppliers/{supplier}/progress/",
        ),
        get(
            "/v2/data-import/import-suppliers/NOBODY/progress/",
            "/v2/data-import/import-suppliers/{supplier}/progress/",
        ),
        (
            Method::GET,
            "/v2/data-import/import-suppliers/ACME_ENERGY/certificate/",
            "/v2/data-import/import-suppliers/{supplier}/certificate/",
            String::new(),
        ),
        (
            Method::POST,
            "/v2/data-import/import-suppliers/ACME_ENERGY/certificate/",
            "/v2/data-import/import-suppliers/{supplier}/certificate/",
            String::new(),
        ),
        get(
            "/v2/data-import/import-suppliers/ACME_ENERGY/certificate/",
            "/v2/data-import/import-suppliers/{supplier}/certificate/",
        ),
        get(
            "/v2/data-import/import-suppliers/ACME_ENERGY/certificate/none/",
            "/v2/data-import/import-suppliers/{supplier}/certificate/{certificate}/",
        ),
        get(
            "/v2/data-import/import-suppliers/ACME_ENERGY/certificate/none/proof/ELEC-1001/",
            "/v2/data-import/import-suppliers/{supplier}/certificate/{certificate}/proof/{number}/",
        ),
        get("/v2/data-import/certificate-keys/", "/v2/data-import/certificate-keys/"),
        post("/v1/data-import/notes/create/", example("notes")),
        post("/v1/data-import/notes/create/", example("notes").replace("ELEC-1001", "none")),
        post("/v1/data-import/transactions/create/", example("transactions")),
        post("/v1/data-import/transactions/create/", example("transactions").replace("\"8.8\"", "[]")),
        post("/v1/data-import/transactions/create/", untyped.to_string()),
        post("/v1/data-import/historical-statements/create/", example("statements")),
        post("/v1/data-import/historical-statements/create/", "{".into()),
        post("/v1/data-import/payment-instruction/create/", example("payment_instruction")),
        post("/v1/data-import/payment-instruction/create/", "{}".into()),
        get(
            "/v1/data-import/account-transfer-status/ACME_ENERGY/ELEC-1001/",
            "/v1/data-import/account-transfer-status/{supplier}/{number}/",
        ),
        get(
            "/v1/data-import/all-account-import-processes/ACME_ENERGY/?page_size=1",
            "/v1/data-import/all-account-import-processes/{supplier}/",
        ),
        get(
            "/v1/data-import/pending-account-import-processes/ACME_ENERGY/",
            "/v1/data-import/pending-account-import-processes/{supplier}/",
        ),
        get(
            "/v1/data-import/imported-account-import-processes/ACME_ENERGY/?page_size=x",
            "/v1/data-import/imported-account-import-processes/{supplier}/",
        ),
        put(
            "/v2/data-import/import-suppliers/ACME_ENERGY/documents/letters/1.pdf",
            "/v2/data-import/import-suppliers/{supplier}/documents/{path}/",
            "%PDF-1.7".into(),
        ),
        put(
            "/v2/data-import/import-suppliers/ACME_ENERGY/documents/letters/1.pdf",
            "/v2/data-import/import-suppliers/{supplier}/documents/{path}/",
            "%PDF-1.8".into(),
        ),
        put(
            "/v2/data-import/import-suppliers/ACME_ENERGY/documents/../1.pdf",
            "/v2/data-import/import-suppliers/{supplier}/documents/{path}/",
            String::new(),
        ),
        post("/v1/data-import/business/", example("business")),
        get("/v2/data-import/businesses/", "/v2/data-import/businesses/"),
        get("/v2/data-import/businesses/B-HALLORAN/", "/v2/data-import/businesses/{business}/"),
        (
            Method::PUT,
            "/v2/data-import/businesses/B-HALLORAN/",
            "/v2/data-import/businesses/{business}/",
            example("business").replace("B-HALLORAN", "OTHER"),
        ),
        (
            Method::PUT,
            "/v2/data-import/businesses/B-HALLORAN/",
            "/v2/data-import/businesses/{business}/",
            example("business"),
        ),
        post("/v1/data-import/business-payment-instruction/create/", example("business_payment_instruction")),
        post("/v2/operator/account-search/", example("account_search")),
        post("/v2/operator/account-search/", r#"{"text": "ELEC", "supplier": "NOBODY"}"#.into()),
        post("/v2/operator/account-search/", r#"{"text": ""}"#.into()),
        post("/v1/graphql/", query),
        post("/v1/graphql/", r#"{"query": "}"}"#.into()),
        post("/v1/graphql/", "[]".into()),
        get("/healthz", "/healthz"),
        get("/readyz", "/readyz"),
        get("/openapi.json", "/openapi.json"),
    ]
}

#[actix_web::test]
async fn real_answers_are_as_described() {
    let service = TestService::with_accounts();
    service
        .app
        .as_command()
        .add_vendor("Acme", "stripe", VendorKind::Stripe, "https://vendor.test", None)
        .unwrap();
    service.vendors.has("pm_1QELEC1001", "CARD", InstructionDetails::default());
    for down in [false, true] {
        service.documents.set_down(down);
        for (method, path, template, body) in requests() {
            if down && path != "/readyz" {
                continue;
            }
            let request = TestRequest::default().method(method.clone()).uri(path).set_payload(body);
            let request = match path.contains("/bulk/") {
                true => request.insert_header((CONTENT_TYPE, "application/x-ndjson")),
                false => request,
            };
            let reply = send(&service, template, request).await;
            let place = format!("{} {template}", method.as_str());
            is_described(&place, reply.status, &reply.headers, &reply.bytes);
        }
    }
}

/// Asserts that the status, the headers and the body are described for the operation.
fn is_described(place: &str, status: u16, headers: &actix_web::http::header::HeaderMap, bytes: &[u8]) {
    let all = operations(&STRICT);
    let (_, operation) = all.iter().find(|(described, _)| described == place).unwrap();
    let answer = operation["responses"].get(status.to_string());
    let text = String::from_utf8_lossy(bytes);
    let answer = answer.unwrap_or_else(|| panic!("{place}: {status} {text}"));
    for name in ["link", "retry-after", "x-request-id", "etag"] {
        let described =
            answer["headers"].as_object().unwrap().keys().any(|header| header.eq_ignore_ascii_case(name));
        assert!(described || !headers.contains_key(name), "{place} {status}: {name}");
    }
    let media = headers.get(CONTENT_TYPE).unwrap().to_str().unwrap();
    let content = answer["content"].get(media).unwrap_or_else(|| panic!("{place}: {status} {media}"));
    if place.ends_with("/openapi.json") {
        return;
    }
    let body = serde_json::from_slice(bytes).unwrap();
    assert_eq!(faults(&content["schema"], &body), [""; 0], "{place}: {status} {text}");
}

#[actix_web::test]
async fn metrics_are_of_the_described_type() {
    let reply = TestService::new().send(TestRequest::get().uri("/metrics")).await;
    let media = reply.header("content-type").split(';').next().unwrap();
    let description = description();
    assert!(
        description["paths"]["/metrics"]["get"]["responses"]["200"]["content"].get(media).is_some(),
        "{media}"
    );
}

#[actix_web::test]
async fn token_requirements_match_the_description() {
    let service = TestService::new();
    for (template, method, operation) in described() {
        let path = template.replace("<supplier>", "ACME_ENERGY").replace("<number>", "A");
        let path = path.replace("<code>", "null").replace("<rule>", "STR-02");
        let path = path.replace("<business>", "B").replace("<certificate>", "0");
        let path = path.replace("<run>", "one").replace("<other_run>", "two").replace("<path>", "a.pdf");
        let reply = service.send(TestRequest::default().method(method.clone()).uri(&path)).await;
        assert_eq!(reply.status == 401, operation.access != Access::All, "{path}: {}", reply.line());
    }
    let bearer = TestRequest::get().uri("/v2/data-import/accounts/ACME_ENERGY/none/");
    let bearer = bearer.insert_header((AUTHORIZATION, format!("Bearer {}", service.token())));
    assert_eq!(service.send(bearer).await.status, 404);
}

#[test]
fn transient_refusals_have_retry_after() {
    let description = description();
    for (place, operation) in operations(&description) {
        for (status, answer) in operation["responses"].as_object().unwrap() {
            let passes = ["429", "503"].contains(&status.as_str());
            assert_eq!(answer["headers"].get("Retry-After").is_some(), passes, "{place} {status}");
        }
    }
    let instruction =
        &description["paths"]["/v1/data-import/payment-instruction/create/"]["post"]["responses"];
    assert!(
        instruction.get("503").is_none()
            && instruction["500"].to_string().contains("payment_vendor_unavailable")
    );
    assert_eq!(Refusal::Unavailable(String::new()).status(), 503);
}
