use crate::request::body::Held;
use crate::testing::{ACCOUNT, Reply, TestService};
use actix_web::body::{MessageBody, to_bytes};
use actix_web::http::Method;
use actix_web::http::header::AUTHORIZATION;
use actix_web::test::TestRequest;
use chrono::Duration;
use cutover_app::port::ApiKeyRole;
use serde_json::{Value, json};
use std::future::poll_fn;

const PATH: &str = "/v2/data-import/imported-accounts/ACME_ENERGY/";

fn number(n: usize) -> String {
    format!("E-{n:04}")
}

fn create(service: &TestService, numbers: std::ops::Range<usize>) {
    for n in numbers {
        service.create("Acme", &ACCOUNT.replace("UNME-4001", &number(n)));
        service.clock.advance(Duration::seconds(1));
    }
    service.import_pending();
}

fn request(service: &TestService, path: &str) -> TestRequest {
    let token = (AUTHORIZATION, format!("Token {}", service.token_as("Acme", ApiKeyRole::Reader)));
    TestRequest::get().uri(path).insert_header(token)
}

async fn read(service: &TestService, path: &str) -> Reply {
    service.send(request(service, path)).await
}

/// The accounts' lines and the last one.
fn lines(reply: &Reply) -> (Vec<Value>, Value) {
    assert_eq!(
        (reply.status, reply.header("content-type")),
        (200, "application/x-ndjson"),
        "{}",
        reply.text()
    );
    let mut lines: Vec<Value> =
        reply.text().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let end = lines.pop().unwrap();
    assert_eq!(end["end"], json!(true));
    (lines, end)
}

fn numbers(lines: &[Value]) -> Vec<&str> {
    lines.iter().map(|line| line["account"]["external_account_number"].as_str().unwrap()).collect()
}

/// The events after a position.
async fn events_after(service: &TestService, position: &Value) -> Vec<Value> {
    let path = format!("/v2/data-import/events/?after={}", position.as_str().unwrap());
    read(service, &path).await.json().as_array().unwrap().clone()
}

#[actix_web::test]
async fn each_line_is_an_account_and_the_last_one_the_end() {
    let service = TestService::new();
    create(&service, 0..150);
    let reply = read(&service, PATH).await;
    let (accounts, end) = lines(&reply);
    let expected: Vec<_> = (0..150).map(number).collect();
    assert!(numbers(&accounts) == expected);
    for n in [0, 8, 149] {
        let single = read(&service, &format!("{PATH}{}/", number(n))).await;
        let line = reply.text().lines().nth(n).unwrap().to_owned();
        assert!(line.ends_with(&format!(r#","account":{}}}"#, single.text())), "{line}");
    }
    assert_eq!(events_after(&service, &end["events_after"]).await, [json!(null); 0]);
    let again = read(&service, &format!("{PATH}?after={}", accounts[149]["cursor"].as_str().unwrap())).await;
    assert_eq!(lines(&again), (Vec::new(), end));
}

#[actix_web::test]
async fn a_supplier_without_accounts_has_an_end() {
    let service = TestService::new();
    let (accounts, end) = lines(&read(&service, PATH).await);
    assert_eq!(accounts, [json!(null); 0]);
    create(&service, 0..1);
    assert_eq!(events_after(&service, &end["events_after"]).await.len(), 2);
}

/// The stream was cut. Its continuation ends with the position of the feed at the beginning of the first one.
#[actix_web::test]
async fn a_cursor_keeps_the_position_in_the_feed() {
    let service = TestService::new();
    create(&service, 0..12);
    let (accounts, end) = lines(&read(&service, PATH).await);
    create(&service, 12..14);
    let rest = format!("{PATH}?after={}", accounts[4]["cursor"].as_str().unwrap());
    let (rest, same_end) = lines(&read(&service, &rest).await);
    let expected: Vec<_> = (5..14).map(number).collect();
    assert_eq!(numbers(&rest), expected);
    assert_eq!(same_end, end);
    assert_eq!(events_after(&service, &end["events_after"]).await.len(), 4);
}

#[actix_web::test]
async fn a_cursor_ends_with_the_events_after_it() {
    let service = TestService::new();
    create(&service, 0..2);
    let (accounts, _) = lines(&read(&service, PATH).await);
    let rest = format!("{PATH}?after={}", accounts[0]["cursor"].as_str().unwrap());
    create(&service, 2..3);
    service.clock.advance(Duration::days(31));
    service.app.expire_events().unwrap();
    let refused = read(&service, &rest).await;
    assert_eq!((refused.status, &refused.json()["code"]), (410, &json!("events_expired")));
    assert_eq!(lines(&read(&service, PATH).await).0.len(), 3);
}

#[actix_web::test]
async fn faulty_cursors_are_refused() {
    let service = TestService::new();
    create(&service, 0..1);
    let (accounts, _) = lines(&read(&service, PATH).await);
    let cursor = accounts[0]["cursor"].as_str().unwrap();
    // The number of the supplier is in front.
    let of_another = format!("AAAAAAAAAD{}", &cursor[10..]);
    for after in ["", "x", "AAAAAAAAAuYAAAAAAAAAAQ", &of_another, &format!("{cursor}&after={cursor}")] {
        let refused = read(&service, &format!("{PATH}?after={after}")).await;
        assert_eq!((refused.status, &refused.json()["code"]), (400, &json!("validation_error")), "{after}");
        assert!(refused.text().contains("after"), "{}", refused.text());
    }
}

#[actix_web::test]
async fn only_readers_of_the_organisation_may_read() {
    let service = TestService::new();
    let refused = service.get(PATH).await;
    assert_eq!((refused.status, &refused.json()["code"]), (403, &json!("permission_denied")));
    for supplier in ["OTHER", "NOBODY", "%20", "%ff"] {
        let reply = read(&service, &PATH.replace("ACME_ENERGY", supplier)).await;
        assert_eq!(reply.line(), r#"404 {"detail":"Not found.","code":"not_found"}"#, "{supplier}");
    }
    let head = service.send(request(&service, PATH).method(Method::HEAD)).await;
    assert_eq!(
        (head.status, head.bytes.len(), head.header("content-type")),
        (200, 0, "application/x-ndjson")
    );
}

/// The head has been sent when the second page cannot be read.
#[actix_web::test]
async fn a_stream_that_fails_has_no_end() {
    let service = TestService::new();
    create(&service, 0..20);
    let again = request(&service, PATH);
    let response = service.answer(request(&service, PATH)).await;
    assert_eq!(response.status(), 200);
    service.set_store_down(true);
    let mut body = Box::pin(response.into_body());
    let mut sent = Vec::new();
    let has_failed = loop {
        match poll_fn(|cx| body.as_mut().poll_next(cx)).await {
            Some(Ok(bytes)) => sent.extend_from_slice(&bytes),
            Some(Err(_)) => break true,
            None => break false,
        }
    };
    assert!(has_failed && !sent.is_empty());
    assert!(!String::from_utf8(sent).unwrap().contains("events_after"));
    let refused = service.send(again).await;
    assert_eq!((refused.status, &refused.json()["code"]), (503, &json!("service_unavailable")));
}

#[actix_web::test]
async fn streams_share_the_room_of_lists() {
    let service = TestService::new();
    create(&service, 0..20);
    let lists = service.inner.lists.clone();
    let free = lists.left();
    let own = service.app.authenticate(&service.token()).unwrap().organisation_id;
    let mut others = Held::new(lists.clone(), Some(own));
    others.resize(free / 2 - super::WEIGHT + 1).unwrap();
    assert_eq!(read(&service, PATH).await.status, 503);
    drop(others);
    let response = service.answer(request(&service, PATH)).await;
    assert_eq!(lists.left(), free - super::WEIGHT);
    to_bytes(response.into_body()).await.unwrap();
    assert_eq!(lists.left(), free);
}
