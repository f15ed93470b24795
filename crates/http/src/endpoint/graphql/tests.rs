use crate::config::Config;
use crate::refusal::UNWRITABLE;
use crate::testing::{Reply, TestService, log};
use actix_web::http::header::CONTENT_TYPE;
use actix_web::test::TestRequest;
use cutover_app::port::StoreError;
use cutover_testkit::memory::Fault;
use serde_json::{Value, json};

const PATH: &str = "/v1/graphql/";

async fn post(service: &TestService, body: &Value) -> Reply {
    service.send(TestRequest::post().uri(PATH).set_payload(body.to_string())).await
}

async fn query(service: &TestService, query: &str) -> Reply {
    post(service, &json!({"query": query})).await
}

fn obtain(service: &TestService) -> String {
    format!(r#"obtainToken(input: {{apiKey: "{}"}}) {{ token }}"#, service.key)
}

/// Returns the text of the first error.
fn message(reply: &Reply) -> String {
    assert_eq!(reply.status, 200, "{}", reply.text());
    reply.json()["errors"][0]["message"].as_str().unwrap_or_default().to_owned()
}

#[actix_web::test]
async fn a_key_obtains_a_token_and_its_refresh_token_the_next() {
    let service = TestService::new();
    let text = "mutation ($input: ObtainTokenInput!) {
        obtainToken(input: $input) { token payload refreshToken refreshExpiresIn } }";
    let variables = json!({"input": {"apiKey": service.key}});
    let reply = post(&service, &json!({"query": text, "variables": variables})).await;
    assert_eq!(reply.header("cache-control"), "no-store");
    let tokens = reply.json()["data"]["obtainToken"].clone();
    assert_eq!(tokens["payload"]["exp"], json!(1_795_226_400 + 3_600));
    assert_eq!(tokens["refreshExpiresIn"], json!(1_795_226_400 + 7 * 86_400));
    assert!(service.app.authenticate(tokens["token"].as_str().unwrap()).is_ok());

    let text = "mutation ($input: ObtainJSONWebTokenInput!) { obtainKrakenToken(input: $input) { token } }";
    let variables = json!({"input": {"refreshToken": tokens["refreshToken"]}});
    let again = post(&service, &json!({"query": text, "variables": variables})).await;
    let token = again.json()["data"]["obtainKrakenToken"]["token"].clone();
    assert!(service.app.authenticate(token.as_str().unwrap()).is_ok());
    let reused = post(&service, &json!({"query": text, "variables": variables})).await;
    assert_eq!(message(&reused), "The key or refresh token is not valid.");
}

#[actix_web::test]
async fn refused_credentials_look_alike() {
    let service = TestService::new();
    service.app.as_command().revoke_api_key(&service.key[..17]).unwrap();
    let answers =
        [format!("apiKey: \"{}\"", service.key), r#"apiKey: """#.into(), r#"refreshToken: "x""#.into()]
            .map(|input| format!("mutation {{ obtainToken(input: {{{input}}}) {{ token }} }}"));
    let mut lines = Vec::new();
    for text in answers {
        lines.push(query(&service, &text).await.line());
    }
    lines.dedup();
    insta::assert_snapshot!(lines.join("\n"));
}

#[actix_web::test]
async fn exactly_one_credential() {
    let service = TestService::new();
    for input in ["", "apiKey: null", r#"apiKey: "a", refreshToken: "b""#] {
        let reply =
            query(&service, &format!("mutation {{ obtainToken(input: {{{input}}}) {{ token }} }}")).await;
        assert_eq!(message(&reply), "Give the API key or a refresh token, one of the two.");
    }
}

/// Failure 23.
#[actix_web::test]
async fn a_second_token_goes_to_errors() {
    let service = TestService::new();
    let (obtain, key) = (obtain(&service), &service.key);
    let kraken = format!(r#"obtainKrakenToken(input: {{APIKey: "{key}"}}) {{ token }}"#);
    for text in [
        format!("mutation {{ a: {obtain} b: {obtain} }}"),
        format!("mutation {{ a: {obtain} b: {kraken} }}"),
        format!("mutation {{ ...F b: {obtain} }} fragment F on Mutation {{ a: {obtain} }}"),
        format!("mutation {{ a: {obtain} ... on Mutation {{ b: {kraken} }} }}"),
        format!("mutation {{ a: {obtain} ... @include(if: true) {{ b: {obtain} }} }}"),
    ] {
        let reply = query(&service, &text).await;
        assert_eq!(message(&reply), "A request obtains one token.", "{text}");
        assert_eq!(reply.json()["errors"].as_array().unwrap().len(), 1);
        assert!(reply.json()["data"]["a"]["token"].is_string());
        println!("{}", reply.text());
        assert!(reply.json()["data"]["b"].is_null());
    }
}

/// Failure 23.
#[actix_web::test]
async fn batches_get_and_other_shapes_are_refused() {
    let service = TestService::new();
    for body in [
        json!([{"query": "{ apiVersion }"}]),
        json!([]),
        json!({"query": 7}),
        json!({"query": ""}),
        json!({"variables": {}}),
        json!("query"),
        json!(null),
    ] {
        let reply = post(&service, &body).await;
        assert_eq!((reply.status, &reply.json()["code"]), (400, &json!("validation_error")), "{body}");
    }
    let broken = service.send(TestRequest::post().uri(PATH).set_payload("{\"query\": ")).await;
    assert_eq!((broken.status, &broken.json()["code"]), (400, &json!("parse_error")));
    let get = service.send(TestRequest::get().uri("/v1/graphql/?query={apiVersion}")).await;
    assert_eq!((get.status, &get.json()["code"]), (400, &json!("validation_error")));
    let text = TestRequest::post().uri(PATH).insert_header((CONTENT_TYPE, "application/graphql"));
    assert_eq!(service.send(text.set_payload("{ apiVersion }")).await.status, 415);
    let large = json!({"query": format!("{{ apiVersion }} # {}", "x".repeat(17_000))});
    assert_eq!(post(&service, &large).await.status, 413);
    let delete = service.send(TestRequest::delete().uri(PATH)).await;
    assert_eq!((delete.status, delete.header("allow")), (405, "POST"));
}

#[actix_web::test]
async fn introspection_works() {
    let service = TestService::new();
    let reply = query(&service, include_str!("introspection.graphql")).await;
    assert_eq!(reply.json()["errors"], Value::Null, "{}", reply.text());
    let types = reply.json()["data"]["__schema"]["types"].clone();
    let names: Vec<_> = types.as_array().unwrap().iter().filter_map(|t| t["name"].as_str()).collect();
    for name in ["ObtainTokenInput", "ObtainJSONWebTokenInput", "ObtainToken", "JSON"] {
        assert!(names.contains(&name), "{name} is not among {names:?}");
    }
    assert_eq!(query(&service, "{ apiVersion }").await.text(), r#"{"data":{"apiVersion":"v1"}}"#);
}

/// Failure 23: such a query is refused quickly, before it is validated or anything is looked up.
#[actix_web::test]
async fn expensive_queries_are_refused_cheaply() {
    let service = TestService::new();
    // Anything that reads the store would give another answer.
    service.set_store_down(true);
    let many = |n: usize, part: fn(usize) -> String| (0..n).map(part).collect::<String>();
    let doubling = many(40, |n| format!("fragment f{n} on Query {{ ...f{m} ...f{m} }} ", m = n + 1));
    let nested = |n: usize| format!("{}apiVersion{}", "{ __schema ".repeat(n), "}".repeat(n));
    let lists =
        format!("{{ __schema {{ types {} name {} }} }}", "{ fields { type ".repeat(6), "} }".repeat(6));
    for (text, problem) in [
        (many(1_000, |_| "{".into()), "The query has too many brackets."),
        (many(1_000, |_| "[{(\"".into()), "The query has too many brackets."),
        (nested(40), "The query is nested too deeply."),
        (lists, "The introspection is nested too deeply."),
        (format!("{{ {} }}", "apiVersion ".repeat(1_000)), "The query selects too much."),
        (format!("{{ {} }}", many(100, |n| format!("a{n}: apiVersion "))), "The query has too many aliases."),
        (
            format!("{{ apiVersion {} }}", "@skip(if: false) ".repeat(100)),
            "The query has too many directives.",
        ),
        (format!("query {} {{ apiVersion }}", "@a ".repeat(100)), "The query has too many directives."),
        (
            "{ ...a } fragment a on Query { ...b } fragment b on Query { ...a }".into(),
            "The query has a fragment within itself.",
        ),
        (
            format!("{{ ...f0 }} {doubling} fragment f40 on Query {{ apiVersion }}"),
            "The query selects too much.",
        ),
        (
            many(60, |n| format!("fragment f{n} on Query {{ a }} ")) + "{ ...f0 }",
            "The query has too many fragments.",
        ),
    ] {
        let reply = query(&service, &text).await;
        assert_eq!(message(&reply), problem, "{text}");
        assert_eq!(reply.json()["data"], Value::Null);
    }
}

/// Failure 23: many attempts in one request, by any alias or fragment, make one attempt in the store.
#[actix_web::test]
async fn a_request_makes_one_attempt_with_a_key() {
    let service = TestService::new();
    let wrong = r#"obtainToken(input: {apiKey: "guess"}) { token }"#;
    let right = obtain(&service);
    let aliases: String = (0..15).map(|n| format!("a{n}: {wrong} ")).collect();
    for text in [
        format!("mutation {{ {aliases} z: {right} }}"),
        format!("mutation {{ {wrong} {wrong} z: {right} }}"),
        format!("mutation {{ ...F z: {right} }} fragment F on Mutation {{ {wrong} }}"),
        format!("mutation {{ a: {wrong} ... @skip(if: false) {{ z: {right} }} }}"),
        format!("mutation A {{ {wrong} }} mutation B {{ {right} }}"),
    ] {
        let reply = query(&service, &text).await;
        assert_eq!(reply.status, 200, "{}", reply.text());
        assert!(reply.json()["errors"].is_array(), "{}", reply.text());
        // The wrong one comes first: the right one after it is not tried.
        assert!(!reply.text().contains("\"token\":\"e"), "{text}: {}", reply.text());
    }
}

#[actix_web::test]
async fn errors_do_not_repeat_what_was_sent() {
    let service = TestService::new();
    let reply = query(&service, "mutation { obtainToken(input: {apiKey: \"CANARY\"}) { token ").await;
    assert_eq!(message(&reply), "The query is not GraphQL.");
    assert!(!reply.text().contains("CANARY"));
}

#[actix_web::test]
async fn an_unavailable_store_is_not_reported_as_a_refused_key() {
    let service = TestService::new();
    service.store.set_fault(Some(Fault::Error(StoreError::Unavailable("on purpose".into()))));
    let reply = query(&service, &format!("mutation {{ {} }}", obtain(&service))).await;
    assert_eq!((reply.status, &reply.json()["code"]), (503, &json!("service_unavailable")));
}

#[actix_web::test]
async fn a_full_disk_is_named_to_who_asks_for_a_token() {
    let service = TestService::new();
    let full = StoreError::Unwritable("database or disk is full".into());
    service.store.set_fault(Some(Fault::OfWrites(full)));
    let reply = query(&service, &format!("mutation {{ {} }}", obtain(&service))).await;
    assert_eq!((reply.status, &reply.json()["code"]), (503, &json!("service_unavailable")));
    assert_eq!(reply.json()["detail"], UNWRITABLE);
    assert_eq!(
        service.get("/v2/data-import/import-suppliers/ACME_ENERGY/progress/").await.status,
        200,
        "earlier tokens read"
    );
}

#[actix_web::test]
async fn key_attempts_are_counted() {
    let service = TestService::new();
    let text = "mutation { obtainToken(input: {apiKey: \"guess\"}) { token } }";
    for attempt in 0.. {
        assert!(attempt < 10_000, "no end of guesses");
        let reply = query(&service, text).await;
        if reply.status == 429 {
            assert_eq!(reply.json()["code"], "throttled");
            assert_ne!(reply.header("retry-after"), "");
            break;
        }
    }
}

#[actix_web::test]
async fn a_query_without_fields_is_answered_with_empty_data() {
    let service = TestService::new();
    let reply = query(&service, "{ apiVersion @skip(if: true) }").await;
    assert_eq!((reply.status, reply.json()), (200, json!({"data": {}})));
}

/// A brute force is counted in full, and logged within bounds, with the public part of a key at most.
#[actix_web::test]
async fn guesses_are_counted_and_logged_within_bounds() {
    const GUESSES: u64 = 150;
    let trusted_proxies = vec!["10.0.0.1".parse().unwrap()];
    let service = TestService::with(Config { trusted_proxies, ..Config::default() });
    let secret = "0".repeat(52);
    log::keep();
    for n in 0..GUESSES {
        let query = format!(
            r#"mutation {{ obtainToken(input: {{apiKey: "cut_live_{n:08}_{secret}"}}) {{ token }} }}"#
        );
        // The client itself sent the first address.
        let request = TestRequest::post()
            .uri(PATH)
            .peer_addr("10.0.0.1:9".parse().unwrap())
            .insert_header(("x-forwarded-for", "198.51.100.9, 203.0.113.7"))
            .set_payload(json!({"query": query}).to_string());
        service.send(request).await;
    }
    service.app.report_attempts();
    let lines = log::take();
    let metrics = service.send(TestRequest::get().uri("/metrics")).await;
    let counted = |outcome: &str| -> u64 {
        let series =
            format!(r#"cutover_authentications_total{{attempt="obtain_token",outcome="{outcome}"}} "#);
        metrics.text().lines().find_map(|line| line.strip_prefix(&series)?.parse().ok()).unwrap()
    };
    let (unknown, throttled) = (counted("unknown"), counted("throttled"));
    assert_eq!((unknown, throttled, counted("accepted")), (100, GUESSES - 100, 0));

    let mut logged: Vec<_> = lines.iter().filter(|line| line.starts_with("cutover::auth ")).collect();
    // The reports come in no order.
    logged[2..].sort();
    let ends = [
        r#"client=203.0.113.7 attempt="obtain_token" outcome="unknown" key="cut_live_00000000""#.to_owned(),
        r#"client=203.0.113.7 attempt="obtain_token" outcome="throttled""#.to_owned(),
        format!(
            r#"network=203.0.113.7 attempt="obtain_token" outcome="throttled" left_out={}"#,
            throttled - 1
        ),
        format!(r#"network=203.0.113.7 attempt="obtain_token" outcome="unknown" left_out={}"#, unknown - 1),
    ];
    assert_eq!(logged.len(), ends.len(), "{logged:#?}");
    for (line, end) in logged.iter().zip(ends) {
        assert!(line.ends_with(&end), "{line} ends otherwise than {end}");
    }
    assert!(!lines.concat().contains(&secret) && !metrics.text().contains("cut_live_"));
}

#[actix_web::test]
async fn each_attempt_is_counted_once() {
    let service = TestService::new();
    for input in [
        format!("apiKey: \"{}\"", service.key),
        r#"refreshToken: "x""#.into(),
        String::new(),
        r#"apiKey: "a", refreshToken: "b""#.into(),
    ] {
        query(&service, &format!("mutation {{ obtainToken(input: {{{input}}}) {{ token }} }}")).await;
    }
    query(&service, "{ apiVersion }").await;
    let counted: Vec<_> = service
        .app
        .attempts()
        .filter(|(.., n)| *n > 0)
        .map(|(_, outcome, n)| (outcome.as_str(), n))
        .collect();
    assert_eq!(counted, [("accepted", 1), ("missing", 1), ("malformed", 2)]);
}
