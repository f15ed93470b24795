use super::between;
use crate::testing::{ACCOUNT, TestService};
use cutover_app::operator::SupplierChange;
use cutover_app::webhook::WebhookDispatcher;
use cutover_core::SupplierStatus;
use serde_json::Value;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

const URL: &str = "http://127.0.0.1:9/hook";

fn add(service: &TestService, organisation: &str) -> String {
    service.app.as_command().add_webhook(organisation, URL, &[], true).unwrap().webhook.name
}

#[actix_web::test]
async fn webhooks_of_the_organisation_are_listed() {
    let service = TestService::new();
    let mut browser = service.browser().await;
    assert!(browser.page("/console/webhooks/").await.contains("No webhook yet."));
    let (own, other) = (add(&service, "Acme"), add(&service, "Other"));
    let list = browser.page("/console/webhooks/").await;
    assert!(list.contains(&own) && list.contains(URL) && list.contains("Enabled"), "{list}");
    assert!(!list.contains(&other));
    for page in ["", "test/", "replay/", "enable/", "disable/"] {
        let path = format!("/console/webhooks/{other}/{page}");
        assert_eq!(browser.get(&path).await.status, 404, "{path}");
        if !page.is_empty() {
            assert_eq!(browser.post(&path, "since=all").await.status, 404, "{path}");
        }
    }
}

#[actix_web::test]
async fn a_webhook_is_disabled_enabled_and_replayed_after_confirmation() {
    let service = TestService::new();
    let name = add(&service, "Acme");
    let mut browser = service.browser().await;
    let path = format!("/console/webhooks/{name}/");
    let shown = browser.page(&path).await;
    assert!(shown.contains("whpk_") && !shown.contains("whsec_") && !shown.contains("whsk_"), "{shown}");
    let state = || service.app.as_command().show_webhook(&name).unwrap().webhook;
    for (action, label) in [("disable", "Disabled"), ("enable", "Enabled")] {
        assert!(browser.page(&format!("{path}{action}/")).await.contains(&name));
        let done = browser.post(&format!("{path}{action}/"), "").await;
        assert_eq!((done.status, done.header("location")), (303, path.as_str()));
        assert!(browser.page(&path).await.contains(label));
    }
    assert!(state().disabled.is_none());
    service.create("Acme", ACCOUNT);
    assert!(browser.page(&format!("{path}replay/")).await.contains("of the last hour"));
    assert_eq!(browser.post(&format!("{path}replay/"), "since=never").await.status, 409);
    assert_eq!(browser.post(&format!("{path}replay/"), "since=all").await.status, 303);
}

#[actix_web::test]
async fn a_test_shows_the_answer() {
    let service = TestService::new();
    let name = add(&service, "Acme");
    let mut browser = service.browser().await;
    let tested = browser.post(&format!("/console/webhooks/{name}/test/"), "").await;
    assert_eq!(tested.status, 200);
    assert!(tested.text().contains("It answered 200."), "{}", tested.text());
    let received = service.webhooks.received();
    let event: Value = serde_json::from_slice(&received[0].body).unwrap();
    assert_eq!(event["type"], "webhook.test");
    service.webhooks.answer_next(Some(cutover_testkit::webhook_status(500)));
    let tested = browser.post(&format!("/console/webhooks/{name}/test/"), "").await;
    assert!(
        tested.text().contains("The test was not delivered") && tested.text().contains("It answered 500.")
    );
}

/// A delivery leads to the account that its event is about, and deliveries are listed in pages.
#[actix_web::test]
async fn deliveries_lead_to_their_accounts() {
    let service = TestService::new();
    let name = add(&service, "Acme");
    service.create("Acme", ACCOUNT);
    for _ in 0..13 {
        for status in [SupplierStatus::Paused, SupplierStatus::Ongoing] {
            let change = SupplierChange { status: Some(status), ..SupplierChange::default() };
            service.set_supplier(change);
        }
    }
    let stop: Arc<AtomicBool> = Arc::default();
    let mut dispatcher = WebhookDispatcher::new(service.app.clone(), Arc::default(), stop);
    while !dispatcher.run_once().unwrap().is_idle() {}
    let mut browser = service.browser().await;
    let path = format!("/console/webhooks/{name}/");
    let link = r#"<a href="/console/suppliers/ACME_ENERGY/accounts/UNME-4001/"><bdi>"#;
    let first = browser.page(&path).await;
    assert_eq!(first.matches(r#"<td data-label="State">"#).count(), 25);
    assert!(!first.contains(link), "the latest event is first: {first}");
    let next = between(&first, &format!(r#"href="{path}?before="#), "\"").replace("#deliveries", "");
    let second = browser.page(&format!("{path}?before={next}")).await;
    assert_eq!(second.matches(r#"<td data-label="State">"#).count(), 2);
    assert!(second.contains(link) && !second.contains("?before="), "{second}");
}
