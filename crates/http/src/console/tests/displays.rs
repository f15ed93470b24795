//! A screen on a wall: it shows the page of a night and nothing else.

use super::between;
use crate::console::ENDPOINTS;
use crate::testing::{ACCOUNT, TestService};
use actix_web::http::Method;
use actix_web::test::TestRequest;
use chrono::Duration;
use cutover_app::operator::SupplierChange;
use cutover_core::Level;

const NIGHT: &str = "/console/suppliers/ACME_ENERGY/night/";

/// Open to everybody, signed in or not.
const OPEN: [&str; 2] = ["/console/assets/", "/console/sign-in/"];

/// Everything that a night may show: a hold, a failure, waves, checks.
fn busy() -> TestService {
    let service = TestService::new();
    let rules = [("ACC-04".to_owned(), Some(Level::Error))].into();
    let waves = Some("1,rest".parse().unwrap());
    let mut account: serde_json::Value = serde_json::from_str(ACCOUNT).unwrap();
    account["customers"] = serde_json::json!([]);
    service.create("Acme", &account.to_string());
    service.set_supplier(SupplierChange { rules, ..SupplierChange::default() });
    service.import_pending();
    service.set_supplier(SupplierChange { waves, ..SupplierChange::default() });
    service.app.as_command().hold_supplier("ACME_ENERGY", Some("tariffs".into())).unwrap();
    service
}

#[actix_web::test]
async fn a_display_shows_a_night_and_nothing_can_be_pressed() {
    let service = busy();
    let (mut display, _) = service.display().await;
    let page = display.page(NIGHT).await;
    let body = between(&page, "<body", "<footer");
    assert!(body.contains("Reason: <q>tariffs</q>.") && !body.contains("No account has failed."), "{body}");
    for mark in ["<form", "<button", "<input", "href=\"/", "release/", "hold/"] {
        assert!(!body.contains(mark), "{mark} is in {body}");
    }
    let (mut operator, figures) = (service.browser().await, "<dl class=\"figures\">");
    let seen = operator.page(NIGHT).await;
    assert_eq!(between(&page, figures, "</dl>"), between(&seen, figures, "</dl>"));
    assert!(between(&seen, "<body", "<footer").contains("<form"), "the marks above are found where they are");
    insta::assert_snapshot!(between(&page, "<body", "<h1>"));
}

#[actix_web::test]
async fn a_display_may_open_no_other_page() {
    let service = busy();
    // A few pages each: the visits of a key are limited.
    for pages in ENDPOINTS.chunks(20) {
        let (mut display, _) = service.display().await;
        for endpoint in pages {
            let path =
                endpoint.template.replace("<supplier>", "ACME_ENERGY").replace("<number>", "UNME-4001");
            let path = path.replace(['<', '>'], "");
            if path == NIGHT || OPEN.iter().any(|open| path.starts_with(open)) {
                continue;
            }
            let reply = match endpoint.method {
                Method::GET => display.get(&path).await,
                _ => display.post(&path, "").await,
            };
            assert_eq!(reply.status, 403, "{} {path}", endpoint.method);
            assert!(reply.text().contains("Not allowed"), "{path}: {}", reply.text());
        }
    }
    let (mut display, _) = service.display().await;
    assert_eq!(service.app.as_command().show_supplier("ACME_ENERGY").unwrap().settings.waves.count(), 2);
    assert_eq!(display.get("/console/suppliers/OTHER/night/").await.status, 404, "of another organisation");
    assert_eq!(display.get(NIGHT).await.status, 200, "this one is open");
}

#[actix_web::test]
async fn the_session_of_a_display_ends_only_with_its_key() {
    let service = busy();
    let (mut display, key) = service.display().await;
    for _ in 0..3 {
        service.clock.advance(Duration::hours(13));
        assert_eq!(display.get(NIGHT).await.status, 200);
    }
    service.app.as_command().revoke_api_key(&key[..17]).unwrap();
    service.clock.advance(Duration::seconds(3));
    let live = TestRequest::get().uri(NIGHT).insert_header(("x-console-live", "1"));
    assert_eq!(display.send(live).await.status, 401);
    assert_eq!(display.get(NIGHT).await.status, 303);
}

/// Nobody loads the page of a display: its script has to keep the session.
#[actix_web::test]
async fn the_script_keeps_the_session_of_a_display_and_of_nobody_else() {
    let service = busy();
    let (mut display, _) = service.display().await;
    let mut operator = service.browser().await;
    service.clock.advance(Duration::minutes(5));
    let live = || TestRequest::get().uri(NIGHT).insert_header(("x-console-live", "1"));
    assert!(display.send(live()).await.headers.contains_key("set-cookie"));
    assert!(!operator.send(live()).await.headers.contains_key("set-cookie"));
}

#[actix_web::test]
async fn a_display_calls_no_route_of_the_api() {
    let service = busy();
    let (_, key) = service.display().await;
    let text = format!("mutation {{ obtainToken(input: {{apiKey: \"{key}\"}}) {{ token }} }}");
    let body = serde_json::json!({"query": text}).to_string();
    let reply = service.send(TestRequest::post().uri("/v1/graphql/").set_payload(body)).await;
    assert_eq!(reply.json()["errors"][0]["message"], "The key or refresh token is not valid.");
}
