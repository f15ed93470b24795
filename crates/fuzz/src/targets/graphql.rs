use super::Target;
use crate::house::House;
use cutover_http::fuzzing::Graphql;
use serde_json::{Value, json};
use std::sync::LazyLock;
use tokio::runtime::{Builder, Runtime};

/// Requests for tokens.
pub(crate) const TARGET: Target = Target {
    name: "graphql",
    what: "bodies of GraphQL requests: an answer in its form or a refusal, never a token for what is no key, and little work",
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
    house: House,
    graphql: Graphql,
    runtime: Runtime,
}

static SERVICE: LazyLock<Service> = LazyLock::new(|| {
    let house = House::new(7);
    let runtime = Builder::new_current_thread().enable_time().build().expect("a runtime");
    let graphql = Graphql::new(house.app.clone()).expect("a thread");
    Service { graphql, house, runtime }
});

fn run(input: &[u8]) {
    let Service { house, graphql, runtime } = &*SERVICE;
    let has = |secret: &str| input.windows(secret.len()).any(|part| part == secret.as_bytes());
    // Keys that are good would make the house grow.
    if has(&house.api_key) || has(&house.refresh_token) {
        return;
    }
    match runtime.block_on(graphql.answer(input)) {
        Err(status) => assert!(status == 400, "refused with {status}"),
        Ok(answer) => is_an_answer(&answer),
    }
}

/// There is data or an error, and no token in it.
fn is_an_answer(answer: &str) {
    let answer: Value = serde_json::from_str(answer).expect("the answer is JSON");
    let has_errors = answer["errors"].as_array().is_some_and(|errors| !errors.is_empty());
    assert!(answer["data"].is_object() || has_errors, "neither data nor an error: {answer}");
    for field in ["obtainToken", "obtainKrakenToken"] {
        // Another field may go by that name.
        let token = answer["data"][field]["token"].as_str().unwrap_or_default();
        assert!(token.split('.').count() != 3, "a token for no key");
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
