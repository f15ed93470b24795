use super::Target;
use crate::service::TestService;
use cutover_http::fuzzing::Graphql;
use serde_json::{Value, json};
use std::sync::LazyLock;
use tokio::runtime::{Builder, Runtime};

/// Requests for tokens.
pub(crate) const TARGET: Target = Target {
    name: "graphql",
    description: "bodies of GraphQL requests: a well-formed answer or a refusal, never a token without a key, and little work",
    run,
    seeds,
    words: &[
        "obtainToken",
        "obtainKrakenToken",
        "apiKey",
        "refreshToken",
        "input",
        "token",
        "payload",
        "__schema",
        "__typename",
        "types",
        "fields",
        "ofType",
        "fragment",
        "on",
        "...",
        "@include(if: true)",
        "$input",
        "mutation",
        "query",
        "subscription",
        "operationName",
        "variables",
        "#",
        "\\\"\\\"\\\"",
    ],
    max: 20 << 10,
    executions: 300_000,
};

struct Service {
    service: TestService,
    graphql: Graphql,
    runtime: Runtime,
}

static SERVICE: LazyLock<Service> = LazyLock::new(|| {
    let service = TestService::new(7);
    let runtime = Builder::new_current_thread().enable_time().build().expect("a runtime");
    let graphql = Graphql::new(service.app.clone()).expect("a thread");
    Service { graphql, service, runtime }
});

fn run(input: &[u8]) {
    let Service { service, graphql, runtime } = &*SERVICE;
    let has = |secret: &str| input.windows(secret.len()).any(|part| part == secret.as_bytes());
    // Valid keys would make the store grow.
    if has(&service.api_key) || has(&service.refresh_token) {
        return;
    }
    match runtime.block_on(graphql.answer(input)) {
        Err(status) => assert!(status == 400, "refused with {status}"),
        Ok(answer) => check_answer(&answer),
    }
}

/// Checks that an answer has data or an error, and no token.
fn check_answer(answer: &str) {
    let answer: Value = serde_json::from_str(answer).expect("the answer is JSON");
    let has_errors = answer["errors"].as_array().is_some_and(|errors| !errors.is_empty());
    assert!(answer["data"].is_object() || has_errors, "neither data nor an error: {answer}");
    for field in ["obtainToken", "obtainKrakenToken"] {
        // Another field may be aliased to this name.
        let token = answer["data"][field]["token"].as_str().unwrap_or_default();
        assert!(token.split('.').count() != 3, "a token without a key");
    }
}

fn seeds() -> Vec<Vec<u8>> {
    let obtain = "mutation($input: ObtainTokenInput!) { obtainToken(input: $input) { token refreshToken payload refreshExpiresIn } }";
    let cycle = "query { ...a } fragment a on Query { ...b } fragment b on Query { ...a }";
    let introspection =
        "{ __schema { types { name fields { name args { name type { ofType { name } } } } } } }";
    let doubling: String =
        (0..30).map(|n| format!("fragment f{n} on Query {{ ...f{m} ...f{m} }} ", m = n + 1)).collect();
    let bodies = [
        json!({"query": obtain, "variables": {"input": {"apiKey": "cut_live_x"}}}),
        json!({"query": obtain, "variables": {"input": {"refreshToken": "cut_refresh_x"}}}),
        json!({"query": "mutation { a: obtainToken(input: {apiKey: \"x\"}) { token } b: obtainToken(input: {apiKey: \"y\"}) { token } }"}),
        json!({"query": "mutation { obtainKrakenToken(input: {APIKey: \"x\"}) { token } }", "operationName": null}),
        json!({"query": "query A { apiVersion } query B { __typename }", "operationName": "B"}),
        json!({"query": introspection}),
        json!({"query": cycle}),
        json!({"query": format!("{{ ...f0 }} {doubling}")}),
        json!({"query": "{ apiVersion @include(if: $x) @skip(if: false) }", "variables": {"x": true}}),
        json!({"query": "{".repeat(150)}),
        json!([{"query": "{ apiVersion }"}]),
        json!({"query": "{ a: apiVersion # comment\n, b: apiVersion }", "extensions": {}}),
    ];
    bodies.iter().map(|body| body.to_string().into_bytes()).collect()
}
