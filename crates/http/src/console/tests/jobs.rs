use super::{between, form_to};
use crate::testing::{ACCOUNT, TestService};
use cutover_app::job::JobRunner;
use std::sync::Arc;

const SUPPLIER: &str = "/console/suppliers/ACME_ENERGY/";

/// Returns a service with an account that waits.
fn waiting() -> TestService {
    let service = TestService::new();
    service.create("Acme", ACCOUNT);
    service
}

fn work(service: &TestService) {
    let runner = JobRunner::new(service.app.clone(), Arc::default());
    while runner.run_once().unwrap() {}
}

#[actix_web::test]
async fn a_job_is_begun_after_confirmation_and_watched() {
    let service = waiting();
    let mut browser = service.browser().await;
    assert!(browser.page("/console/jobs/").await.contains("No job yet."));
    let list = browser.page(&format!("{SUPPLIER}?status=PENDING")).await;
    assert!(
        list.contains("/console/suppliers/ACME_ENERGY/cancel/?status=PENDING")
            && !list.contains("/ACME_ENERGY/retry/")
    );
    let asked = browser.page(&format!("{SUPPLIER}cancel/?status=PENDING")).await;
    assert!(asked.contains("Cancel the imports of 1 account?"), "{asked}");
    let begun = browser.post(&format!("{SUPPLIER}cancel/"), "status=PENDING&error_code=").await;
    assert_eq!(begun.status, 303);
    let job = begun.header("location").to_owned();
    let shown = browser.page(&job).await;
    assert!(shown.contains("Running") && shown.contains("Stop"), "{shown}");

    assert_eq!(browser.post(&format!("{job}stop/"), "").await.status, 303);
    assert!(browser.page(&job).await.contains("Resume"));
    assert_eq!(browser.post(&format!("{job}resume/"), "").await.status, 303);
    work(&service);
    let shown = browser.page(&job).await;
    assert_eq!(between(&shown, "<dt>Changed</dt><dd>", "<"), "1");
    assert!(shown.contains("Done") && !shown.contains("Stop<"), "{shown}");
    assert!(browser.page("/console/jobs/").await.contains("Done"));
    assert_eq!(browser.post(&format!("{job}stop/"), "").await.status, 409);
    let none = browser.page(&format!("{SUPPLIER}cancel/")).await;
    assert!(none.contains("No account matches.") && !none.contains("<button class"), "{none}");
    service.clock.advance(chrono::Duration::seconds(1));
    let again = browser.page(&format!("{SUPPLIER}retry/?status=CANCELLED")).await;
    assert!(again.contains("Retry 1 account?"), "{again}");
}

#[actix_web::test]
async fn jobs_are_of_the_organisation_and_asked_for_by_the_console() {
    let service = waiting();
    let mut browser = service.browser().await;
    let job = browser.post(&format!("{SUPPLIER}cancel/"), "").await.header("location").to_owned();
    for foreign in [format!("{SUPPLIER}retry/"), format!("{job}stop/")] {
        let reply = browser.send(form_to(&foreign, "").insert_header(("sec-fetch-site", "cross-site"))).await;
        assert_eq!(reply.status, 403, "{foreign}");
    }
    assert_eq!(browser.get(&format!("{SUPPLIER}retry/?status=NONE")).await.status, 409);
    assert_eq!(browser.post(&format!("{SUPPLIER}retry/"), "status=PENDING").await.status, 409);
    let mut stranger = super::Browser { service: &service, cookie: None };
    assert_eq!(stranger.sign_in(&service.operator_key("Other")).await.status, 303);
    assert_eq!(stranger.get(&job).await.status, 404);
    assert_eq!(stranger.get(&format!("{SUPPLIER}retry/")).await.status, 404);
    for path in [format!("{job}stop/"), format!("{job}resume/"), format!("{SUPPLIER}cancel/")] {
        assert_eq!(stranger.post(&path, "").await.status, 404, "{path}");
    }
    assert!(stranger.page("/console/jobs/").await.contains("No job yet."));
}
