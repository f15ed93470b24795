use super::{between, form_to};
use crate::testing::{ACCOUNT, TestService};
use cutover_app::job::JobRunner;
use cutover_app::operator::{AuditScope, JobOwner, SupplierChange, UndoRequest, UndoScope};
use cutover_process::State;
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
async fn rehearsed_accounts_are_cancelled_and_erased_together() {
    let service = TestService::new();
    service.set_supplier(SupplierChange { dry_run: Some(true), ..SupplierChange::default() });
    service.create("Acme", ACCOUNT);
    service.import_pending();
    service.clock.advance(chrono::Duration::seconds(1));
    let mut browser = service.browser().await;
    let query = "?status=DRY_RUN_SUCCEEDED";
    let list = browser.page(&format!("{SUPPLIER}{query}")).await;
    let erase = format!("{SUPPLIER}erase-rehearsed/");
    assert!(list.contains(&format!("{SUPPLIER}cancel/{query}")) && list.contains(&format!("{erase}{query}")));
    let asked = browser.page(&format!("{erase}{query}")).await;
    assert!(asked.contains("Erase the rehearsals of 1 account?"), "{asked}");
    let form = "status=DRY_RUN_SUCCEEDED&error_code=";
    assert_eq!(browser.post(&erase, form).await.status, 409, "it needs a reason");
    let begun = browser.post(&erase, &format!("{form}&because=end+of+trial")).await;
    let job = begun.header("location").to_owned();
    work(&service);
    let shown = browser.page(&job).await;
    assert!(shown.contains("Erase rehearsals") && shown.contains("Done"), "{shown}");
    assert!(browser.page(&format!("{erase}{query}")).await.contains("No account matches."));
}

#[actix_web::test]
async fn jobs_are_listed_in_pages() {
    let service = waiting();
    let mut browser = service.browser().await;
    let mut begun = Vec::new();
    for _ in 0..26 {
        let job = browser.post(&format!("{SUPPLIER}cancel/"), "").await.header("location").to_owned();
        service.clock.advance(chrono::Duration::seconds(1));
        begun.push(job);
    }
    let first = browser.page("/console/jobs/").await;
    assert_eq!(first.matches("<th scope=\"row\">").count(), 25);
    assert!(first.contains(&begun[25]) && !first.contains(&begun[0]), "the last first: {first}");
    let next = between(&first, "href=\"/console/jobs/?before=", "\"").to_owned();
    assert!(begun[1].contains(&next), "{next}");
    let second = browser.page(&format!("/console/jobs/?before={next}")).await;
    assert_eq!(second.matches("<th scope=\"row\">").count(), 1);
    assert!(second.contains(&begun[0]) && second.contains("First page"), "{second}");
    assert!(!second.contains("Next page"), "{second}");
    let none = browser.page("/console/jobs/?before=job_none").await;
    assert!(none.contains("No further job.") && none.contains("First page"), "{none}");
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

/// Returns a service with an imported account.
fn imported() -> TestService {
    let service = waiting();
    service.import_pending();
    service.clock.advance(chrono::Duration::seconds(1));
    service
}

#[actix_web::test]
async fn imports_are_undone_after_confirmation() {
    let service = imported();
    let mut browser = service.browser().await;
    let undo = format!("{SUPPLIER}undo/");
    // Without a filter too.
    for query in ["", "?status=PROCESSED"] {
        let page = browser.page(&format!("{SUPPLIER}{query}")).await;
        assert!(page.contains(&undo), "{page}");
    }
    let asked = browser.page(&undo).await;
    assert!(
        asked.contains("Imported since (Australia/Sydney)") && !asked.contains("Undo the imports<"),
        "{asked}"
    );
    let none = browser.page(&format!("{undo}?since=2999-01-01T00:00")).await;
    assert!(none.contains("No account that was imported is unchanged since."), "{none}");
    let asked = browser.page(&format!("{undo}?since=2020-01-01T00:00:00")).await;
    assert!(asked.contains("Undo the import of 1 account?") && asked.contains("UNME-4001"), "{asked}");
    assert_eq!(
        between(&asked, r#"name="since" value=""#, "\""),
        "2019-12-31T13:00:00Z",
        "in the zone of the supplier"
    );
    for form in ["since=2020-01-01T00%3A00%3A00Z", "since=2020-01-01T00%3A00%3A00Z&because=+"] {
        assert_eq!(browser.post(&undo, form).await.status, 409, "{form}");
    }
    let begun = browser.post(&undo, "since=2020-01-01T00%3A00%3A00Z&because=wrong+tariffs").await;
    assert_eq!(begun.status, 303, "{}", begun.text());
    work(&service);
    let shown = browser.page(begun.header("location")).await;
    let figures = ["Matched", "Undone", "Kept", "Failed"]
        .map(|name| between(&shown, &format!("<dt>{name}</dt><dd>"), "<").to_owned());
    assert_eq!(figures, ["1", "1", "0", "0"]);
    let account = browser.page(&format!("{SUPPLIER}accounts/UNME-4001/")).await;
    assert!(account.contains("undone by the operator") && account.contains(">Undone<"), "{account}");
    for since in ["", "since=", "since=yesterday"] {
        assert_eq!(browser.post(&undo, &format!("{since}&because=x")).await.status, 409, "{since}");
    }
    let trail = service.app.as_command().audit(&AuditScope { limit: 1, ..AuditScope::default() }).unwrap();
    let because = trail[0].detail.facts().find(|(name, _)| *name == "because").unwrap().1.to_string();
    assert_eq!((trail[0].action.as_str(), because.as_str()), ("supplier.undo", "wrong tariffs"));
    assert_eq!(browser.get(&format!("{undo}?since=yesterday")).await.status, 409);
}

/// One account is undone and another one cancelled: they have tiles, filters and retries of their own.
#[actix_web::test]
async fn what_was_undone_is_told_from_what_was_cancelled() {
    let service = imported();
    service.create("Acme", &ACCOUNT.replace("UNME-4001", "UNME-4002"));
    service.app.as_command().cancel_process("ACME_ENERGY", "UNME-4002").unwrap();
    let which = UndoScope::Numbers(vec!["UNME-4001".to_owned()]);
    let undo = UndoRequest { supplier: "ACME_ENERGY".into(), which };
    service.app.as_command().begin_undo(&undo, "wrong tariffs", JobOwner::Workers).unwrap();
    work(&service);
    service.clock.advance(chrono::Duration::seconds(1));
    let mut browser = service.browser().await;
    let page = browser.page(SUPPLIER).await;
    let tiles = between(&page, "<ul class=\"counts\">", "</ul>");
    insta::assert_snapshot!(tiles.replace("<li", "\n<li"));
    for (query, undone, cancelled) in [
        ("?status=CANCELLED", true, true),
        ("?status=CANCELLED&undone=true", true, false),
        ("?undone=true", true, false),
        ("?status=CANCELLED&undone=false", false, true),
    ] {
        let page = browser.page(&format!("{SUPPLIER}{query}")).await;
        let list = between(&page, "id=\"account-list\"", "</section>");
        assert_eq!((list.contains("UNME-4001"), list.contains("UNME-4002")), (undone, cancelled), "{query}");
        let operations = between(&page, "id=\"account-operations\"", "</p>");
        let links = ["retry/?status=CANCELLED&#38;undone=true\"", "retry/?status=CANCELLED\""];
        let offered = links.map(|link| operations.replace("&amp;", "&#38;").contains(link));
        assert_eq!(offered, [undone, cancelled], "{query}: {operations}");
    }
    let asked = browser.page(&format!("{SUPPLIER}retry/?status=CANCELLED&undone=true")).await;
    assert!(
        asked.contains("Retry 1 account?") && asked.contains("name=\"undone\" value=\"true\""),
        "{asked}"
    );
    let begun = browser.post(&format!("{SUPPLIER}retry/"), "status=CANCELLED").await;
    work(&service);
    let shown = browser.page(begun.header("location")).await;
    assert!(shown.contains("status CANCELLED, not undone"), "{shown}");
    let state = |number: &str| service.app.as_command().show_process("ACME_ENERGY", number).unwrap();
    assert_eq!(state("UNME-4001").stored_status, State::Cancelled);
    assert_eq!(state("UNME-4002").stored_status, State::Pending);
    browser.post(&format!("{SUPPLIER}retry/"), "status=CANCELLED&undone=true").await;
    work(&service);
    assert_eq!(state("UNME-4001").stored_status, State::Pending);
}

#[actix_web::test]
async fn an_account_is_erased_after_its_reason() {
    let service = imported();
    let mut browser = service.browser().await;
    let account = format!("{SUPPLIER}accounts/UNME-4001/");
    assert!(browser.page(&account).await.contains(&format!("{account}erase/")));
    let question = browser.page(&format!("{account}erase/")).await;
    insta::assert_snapshot!(between(&question, "<main", "</main>"));
    for form in ["", "because=", "because=+"] {
        assert_eq!(browser.post(&format!("{account}erase/"), form).await.status, 409, "{form}");
    }
    let mut stranger = super::Browser { service: &service, cookie: None };
    assert_eq!(stranger.sign_in(&service.operator_key("Other")).await.status, 303);
    assert_eq!(stranger.get(&format!("{account}erase/")).await.status, 404);
    assert_eq!(stranger.post(&format!("{account}erase/"), "because=x").await.status, 404);
    let erased = browser.post(&format!("{account}erase/"), "because=request+17").await;
    assert_eq!((erased.status, erased.header("location")), (303, SUPPLIER));
    assert_eq!(browser.get(&account).await.status, 404);
    assert!(service.app.as_command().is_erased("ACME_ENERGY", "UNME-4001").unwrap());
    let trail = service.app.as_command().audit(&AuditScope { limit: 1, ..AuditScope::default() }).unwrap();
    let because = trail[0].detail.facts().find(|(name, _)| *name == "because").unwrap().1.to_string();
    assert_eq!((trail[0].action.as_str(), because.as_str()), ("account.erase", "request 17"));
}

#[actix_web::test]
async fn billed_accounts_are_shown_and_kept() {
    let service = imported();
    let caller = service.app.authenticate(&service.token_as("Acme", cutover_app::port::ApiKeyRole::Reader));
    service.app.report_billed(&caller.unwrap(), "ACME_ENERGY", "UNME-4001").unwrap();
    let mut browser = service.browser().await;
    let account = browser.page(&format!("{SUPPLIER}accounts/UNME-4001/")).await;
    assert!(account.contains("<dt>Billed</dt>"), "{account}");
    let asked = browser.page(&format!("{SUPPLIER}undo/?since=2020-01-01T00:00")).await;
    assert!(asked.contains("<dt>Billed</dt><dd>1") && !asked.contains("Undo the imports<"), "{asked}");
    let mut stranger = super::Browser { service: &service, cookie: None };
    assert_eq!(stranger.sign_in(&service.operator_key("Other")).await.status, 303);
    assert_eq!(stranger.get(&format!("{SUPPLIER}undo/")).await.status, 404);
    assert_eq!(
        stranger.post(&format!("{SUPPLIER}undo/"), "since=2020-01-01T00:00&because=x").await.status,
        404
    );
}
