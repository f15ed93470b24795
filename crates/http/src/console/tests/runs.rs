use super::{Browser, between};
use crate::testing::{ACCOUNT, TestService};
use cutover_app::operator::SupplierChange;

const RUNS: &str = "/console/suppliers/ACME_ENERGY/runs/";

/// Runs are started, shown, ended, listed and compared.
#[actix_web::test]
async fn runs_are_started_and_compared() {
    let service = TestService::with_accounts();
    let mut browser = service.browser().await;
    assert!(browser.page("/console/suppliers/ACME_ENERGY/").await.contains(RUNS));
    assert!(browser.page(RUNS).await.contains("No run yet."));
    let started = browser.post(&format!("{RUNS}start/"), "name=night+%3C1%3E").await;
    assert_eq!(started.status, 303, "{}", started.text());
    let one = format!("{RUNS}one/?name=night%20%3C1%3E");
    assert_eq!(started.header("location"), one);
    assert!(browser.page(&one).await.contains("No account has ended yet."));
    assert_eq!(browser.post(&format!("{RUNS}start/"), "name=other").await.status, 409);
    service.create("Acme", ACCOUNT);
    service.import_pending();
    let shown = browser.page(&one).await;
    assert!(shown.contains("<dt>Passed</dt><dd>1</dd>") && shown.contains("Processed"), "{shown}");
    let ended = browser.post(&format!("{RUNS}end/"), "").await;
    assert_eq!((ended.status, ended.header("location")), (303, &*one));
    assert_eq!(browser.post(&format!("{RUNS}end/"), "").await.status, 409);
    browser.post(&format!("{RUNS}start/"), "name=day").await;
    let list = browser.page(RUNS).await;
    let list = between(&list, "<main", "</main>");
    assert!(list.contains("night &lt;1&gt;") && list.contains("End the run"), "{list}");
    let diff = browser.page(&format!("{RUNS}diff/?a=night%20%3C1%3E&b=day")).await;
    let gone = r#"<dt>Only in the first run</dt><dd>1 <span class="quiet">(<bdi><span class="whole">UNME-4001</span></bdi>)</span></dd>"#;
    assert!(diff.contains(gone), "{diff}");
    assert!(diff.contains(r#"data-label="Difference">-1</td>"#), "{diff}");
    assert!(!diff.contains("<1>"), "{diff}");
    // The page of undoing offers runs.
    let undo = browser.page("/console/suppliers/ACME_ENERGY/undo/").await;
    assert!(undo.contains("<option>day</option>") && undo.contains("Imported by the wave"), "{undo}");
    let asked = browser.page("/console/suppliers/ACME_ENERGY/undo/?run=night+%3C1%3E").await;
    assert!(asked.contains("Undo the import of 1 account?"), "{asked}");
    assert!(asked.contains(r#"name="run" value="night &lt;1&gt;""#), "{asked}");
    assert_eq!(browser.get("/console/suppliers/ACME_ENERGY/undo/?wave=1").await.status, 404);
    assert_eq!(browser.get("/console/suppliers/ACME_ENERGY/undo/?wave=x").await.status, 409);
}

/// Changed accounts have the paths at which they differ, and no values.
#[actix_web::test]
async fn the_comparison_shows_what_was_changed() {
    let service = TestService::new();
    service.set_supplier(SupplierChange { dry_run: Some(true), ..SupplierChange::default() });
    let mut account: serde_json::Value = serde_json::from_str(ACCOUNT).unwrap();
    for (name, family) in [("one", "Okafor"), ("two", "CANARY")] {
        service.app.as_command().start_run("ACME_ENERGY", name).unwrap();
        account["customers"][0]["family_name"] = family.into();
        service.create("Acme", &account.to_string());
        service.import_pending();
        service.app.as_command().end_run("ACME_ENERGY").unwrap();
    }
    let diff = service.browser().await.page(&format!("{RUNS}diff/?a=one&b=two")).await;
    let changed = between(&diff, r#"id="changed""#, "</section>");
    assert!(changed.contains("1 <code>customers.#.family_name</code>"), "{changed}");
    assert!(changed.contains("UNME-4001") && !diff.contains("CANARY"), "{changed}");
}

#[actix_web::test]
async fn runs_of_others_are_not_there() {
    let service = TestService::with_accounts();
    service.app.as_command().start_run("ACME_ENERGY", "night").unwrap();
    let mut stranger = Browser { service: &service, cookie: None };
    stranger.sign_in(&service.operator_key("Other")).await;
    for path in ["", "one/?name=night", "diff/?a=night&b=night"] {
        assert_eq!(stranger.get(&format!("{RUNS}{path}")).await.status, 404, "{path}");
    }
    for (path, form) in [("start/", "name=x"), ("end/", "")] {
        assert_eq!(stranger.post(&format!("{RUNS}{path}"), form).await.status, 404, "{path}");
    }
    assert!(service.app.as_command().show_run("ACME_ENERGY", "night").unwrap().run.ended_at.is_none());
    let mut browser = service.browser().await;
    for path in ["one/?name=none", "diff/?a=night&b=none"] {
        assert_eq!(browser.get(&format!("{RUNS}{path}")).await.status, 404, "{path}");
    }
    assert_eq!(browser.get(&format!("{RUNS}one/")).await.status, 409);
}
