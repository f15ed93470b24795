use super::{between, held_since};
use crate::testing::{ACCOUNT, TestService};
use actix_web::test::TestRequest;
use cutover_app::operator::{Release, Services};
use cutover_app::port::StoreError;
use cutover_testkit::memory::Fault;

#[actix_web::test]
async fn pages_have_security_headers_and_are_not_cached() {
    let service = TestService::new();
    let mut browser = service.browser().await;
    for path in
        ["/console/", "/console/sign-in/", "/console/suppliers/ACME_ENERGY/", "/console/suppliers/NONE/"]
    {
        let reply = browser.get(path).await;
        let policy = reply.header("content-security-policy");
        assert!(policy.starts_with("default-src 'none'; script-src 'self'; style-src 'self'"), "{policy}");
        for rule in ["frame-ancestors 'none'", "base-uri 'none'", "form-action 'self'"] {
            assert!(policy.contains(rule), "{policy}");
        }
        assert!(!policy.contains("unsafe"));
        let headers = ["x-content-type-options", "referrer-policy", "cache-control", "content-type"];
        let headers = headers.map(|name| reply.header(name));
        assert_eq!(headers, ["nosniff", "same-origin", "no-store", "text/html; charset=utf-8"]);
        for inline in ["<style", "style=", "onclick", "<script>", "javascript:", "http://", "https://"] {
            assert!(!reply.text().contains(inline), "{path}: {inline}");
        }
    }
}

#[actix_web::test]
async fn suppliers_of_others_are_not_there() {
    let service = TestService::new();
    let mut browser = service.browser().await;
    let list = browser.page("/console/").await;
    insta::assert_snapshot!(between(&list, "<main", "</main>"));
    assert!(!list.contains("OTHER"));
    let (other, nobody) =
        (browser.get("/console/suppliers/OTHER/").await, browser.get("/console/suppliers/NOBODY/").await);
    assert_eq!((other.status, nobody.status), (404, 404));
    let words = |page: &str| between(page, "<main", "Request").to_owned();
    assert_eq!(words(other.text()), words(nobody.text()));
}

#[actix_web::test]
async fn accounts_are_listed_by_page_and_filter() {
    let service = TestService::new();
    for n in 0..26 {
        service.create("Acme", &ACCOUNT.replace("UNME-4001", &format!("A-{n:02}")));
    }
    let mut browser = service.browser().await;
    let path = "/console/suppliers/ACME_ENERGY/";
    let first = browser.page(path).await;
    assert_eq!(first.matches("<th scope=\"row\">").count(), 25);
    let next = between(&first, "<nav class=\"pages\"", "rel=\"next\"");
    let next = between(next, "href=\"", "\"").replace("&amp;", "&");
    let second = browser.page(next.split('#').next().unwrap()).await;
    assert_eq!(second.matches("<th scope=\"row\">").count(), 1, "{second}");
    assert!(second.contains("First page") && !second.contains("Next page"));
    let none = browser.page(&format!("{path}?status=ERRORED&error_code=")).await;
    assert!(none.contains("No account matches."));
    assert!(none.contains("<option value=\"ERRORED\" selected>Errored</option>"));
    let odd = browser.page(&format!("{path}?status=%3Ci%3E&error_code=%22%3E%3Cscript%3E&cursor=x")).await;
    assert!(!odd.contains("<i>") && odd.contains("A-00"));
}

#[actix_web::test]
async fn a_failure_is_an_html_page() {
    let service = TestService::new();
    let mut browser = service.browser().await;
    service.set_store_down(true);
    let reply = browser.get("/console/").await;
    assert_eq!((reply.status, reply.header("retry-after")), (503, "2"));
    assert!(reply.text().contains("Not available now"));
    assert!(!reply.text().contains("on purpose"));
}

#[actix_web::test]
async fn suppliers_are_paused_and_resumed_after_confirmation() {
    let service = TestService::new();
    let mut browser = service.browser().await;
    let path = "/console/suppliers/ACME_ENERGY/";
    for (action, before, after) in [("pause", "Ongoing", "Paused"), ("resume", "Paused", "Ongoing")] {
        let shown = browser.page(path).await;
        assert!(shown.contains(&format!("{before}</span>")) && shown.contains(&format!("{path}{action}/\"")));
        let question = browser.page(&format!("{path}{action}/")).await;
        insta::assert_snapshot!(format!("{action}_question"), between(&question, "<main", "</main>"));
        assert!(browser.page(path).await.contains(&format!("{before}</span>")), "nothing is done yet");
        let done = browser.post(&format!("{path}{action}/"), "").await;
        assert_eq!((done.status, done.header("location")), (303, path));
        assert!(browser.page(path).await.contains(&format!("{after}</span>")));
    }
    for action in ["pause", "resume"] {
        let other = format!("/console/suppliers/OTHER/{action}/");
        assert_eq!((browser.get(&other).await.status, browser.post(&other, "").await.status), (404, 404));
    }
    assert_eq!(service.app.as_command().show_supplier("OTHER").unwrap().settings.status.as_str(), "Ongoing");
}

#[actix_web::test]
async fn suppliers_are_held_and_released_after_confirmation() {
    let service = TestService::new();
    let mut browser = service.browser().await;
    let path = "/console/suppliers/ACME_ENERGY/";
    for (action, is_held) in [("hold", false), ("release", true)] {
        let held = |page: &str| {
            page.contains(">Held</span>") && page.contains("Imports are held by an operator (key:")
        };
        let shown = browser.page(path).await;
        assert!(held(&shown) == is_held && shown.contains(&format!("{path}{action}/\"")), "{shown}");
        assert_eq!(browser.page("/console/").await.contains(">Held</span>"), is_held);
        let question = browser.page(&format!("{path}{action}/")).await;
        insta::assert_snapshot!(format!("{action}_question"), between(&question, "<main", "</main>"));
        assert_eq!(held(&browser.page(path).await), is_held, "nothing is done yet");
        let shown = if is_held { held_since(&question) } else { String::new() };
        let form = format!("because=wrong+tariffs&{shown}");
        let done = browser.post(&format!("{path}{action}/"), &form).await;
        assert_eq!((done.status, done.header("location")), (303, path));
        let page = browser.page(path).await;
        assert_eq!((held(&page), page.contains("Reason: <q>wrong tariffs</q>")), (!is_held, !is_held));
        let other = format!("/console/suppliers/OTHER/{action}/");
        let answers = (browser.get(&other).await.status, browser.post(&other, "because=x").await.status);
        assert_eq!(answers, (404, 404));
    }
    assert_eq!(service.app.as_command().show_hold("OTHER").unwrap(), None);
}

/// A hold needs a reason, and so does a release that checks speak against.
#[actix_web::test]
async fn holds_and_forced_releases_need_a_reason() {
    let service = TestService::new();
    let mut browser = service.browser().await;
    let path = "/console/suppliers/ACME_ENERGY/";
    for form in ["", "because=", "because=+"] {
        let refused = browser.post(&format!("{path}hold/"), form).await;
        assert_eq!(refused.status, 409, "{form}");
        assert!(refused.text().contains("needs a reason"));
    }
    assert_eq!(service.app.as_command().show_hold("ACME_ENERGY").unwrap(), None);
    assert_eq!(browser.post(&format!("{path}hold/"), "because=x").await.status, 303);
    service.verify_documents();
    service.documents.set_down(true);
    let question = browser.page(&format!("{path}release/")).await;
    insta::assert_snapshot!("forced_release_question", between(&question, "<main", "</main>"));
    let shown = held_since(&question);
    for form in ["because=x", "force=yes", "force=no&because=x"] {
        let refused = browser.post(&format!("{path}release/"), &format!("{form}&{shown}")).await;
        assert_eq!(refused.status, 409, "{form}: {}", refused.text());
    }
    assert!(service.app.as_command().show_hold("ACME_ENERGY").unwrap().is_some());
    let form = format!("force=yes&because=agreed&{shown}");
    assert_eq!(browser.post(&format!("{path}release/"), &form).await.status, 303);
    assert_eq!(service.app.as_command().show_hold("ACME_ENERGY").unwrap(), None);
}

/// Somebody else may have released the supplier meanwhile, and it may be held again.
#[actix_web::test]
async fn only_the_hold_that_a_form_has_shown_is_released() {
    let service = TestService::new();
    let mut browser = service.browser().await;
    let path = "/console/suppliers/ACME_ENERGY/release/";
    let page = browser.page(path).await;
    let free = between(&page, "<main", "</main>");
    assert!(free.contains("It is not held.") && !free.contains("<button"), "{free}");
    let by = service.app.as_command();
    by.hold_supplier("ACME_ENERGY", None).unwrap();
    let refused = browser.post(path, "because=x").await;
    assert_eq!(refused.status, 409, "a form of before the hold");
    let shown = held_since(&browser.page(path).await);
    let release = Release::of(by.show_hold("ACME_ENERGY").unwrap().as_ref());
    by.release_supplier("ACME_ENERGY", &release, &Services::default()).unwrap();
    let late = browser.post(path, &shown).await;
    assert!(late.status == 409 && late.text().contains("is not held any more"), "{}", late.text());
    service.clock.advance(chrono::Duration::seconds(1));
    by.hold_supplier("ACME_ENERGY", Some("again".into())).unwrap();
    let late = browser.post(path, &shown).await;
    assert!(late.status == 409 && late.text().contains("is held by an operator since"), "{}", late.text());
    let shown = held_since(&browser.page(path).await);
    service.clock.advance(chrono::Duration::seconds(1));
    by.hold_supplier("ACME_ENERGY", Some("as well".into())).unwrap();
    let late = browser.post(path, &shown).await;
    assert!(late.status == 409 && late.text().contains("is held by an operator since"), "{}", late.text());
    let page = browser.page(path).await;
    assert!(page.contains("Reason: <q>again</q>.") && page.contains("</time>: <q>as well</q>."), "{page}");
    assert!(by.show_hold("ACME_ENERGY").unwrap().is_some());
}

#[actix_web::test]
async fn a_migration_is_completed_after_a_question_about_what_is_left() {
    let service = TestService::new();
    let mut browser = service.browser().await;
    let path = "/console/suppliers/ACME_ENERGY/";
    let question = browser.page(&format!("{path}complete/")).await;
    assert!(!question.contains("role=\"note\""), "{question}");
    service.create("Acme", ACCOUNT);
    let question = browser.page(&format!("{path}complete/")).await;
    insta::assert_snapshot!("complete_question", between(&question, "<main", "</main>"));
    assert!(browser.page(path).await.contains("Ongoing</span>"), "nothing is done yet");
    assert_eq!(browser.post(&format!("{path}complete/"), "").await.status, 303);
    let page = browser.page(path).await;
    assert!(page.contains("Complete</span>") && !page.contains("Complete…"), "{page}");
    assert!(page.contains("Resume…"));
}

#[actix_web::test]
async fn lists_are_live_with_and_without_rows() {
    let service = TestService::new();
    let mut browser = service.browser().await;
    let path = "/console/suppliers/ACME_ENERGY/";
    let list = |page: &str| {
        between(page, "<div id=\"account-list\" class=\"parts\" data-live>", "</section>").to_owned()
    };
    assert!(list(&browser.page(path).await).contains("No account yet."));
    service.create("Acme", ACCOUNT);
    assert!(list(&browser.page(path).await).contains("UNME-4001"));
    let suppliers = browser.page("/console/").await;
    assert!(between(&suppliers, "<div id=\"supplier-list\" data-live>", "</main>").contains("ACME_ENERGY"));
    service.app.add_organisation("New").unwrap();
    let mut browser = super::Browser { service: &service, cookie: None };
    browser.sign_in(&service.operator_key("New")).await;
    let none = browser.page("/console/").await;
    assert!(between(&none, "<div id=\"supplier-list\" data-live>", "</main>").contains("No supplier yet."));
}

#[actix_web::test]
async fn not_found_is_an_html_page() {
    let service = TestService::new();
    for path in ["/console/nothing/", "/console/suppliers/", "/console/suppliers/A/b/"] {
        let reply = service.send(TestRequest::get().uri(path)).await;
        assert_eq!((reply.status, reply.header("content-type")), (404, "text/html; charset=utf-8"), "{path}");
        assert!(
            reply.text().contains("Not found") && reply.headers.contains_key("content-security-policy"),
            "{path}"
        );
        assert!(reply.text().contains(reply.header("x-request-id")), "{path}");
    }
    let reply = service.send(TestRequest::delete().uri("/console/")).await;
    assert_eq!((reply.status, reply.header("allow")), (405, "GET, HEAD"));
    assert!(reply.text().contains("<main"), "{}", reply.text());
    let elsewhere = service.send(TestRequest::get().uri("/consoles/")).await;
    assert_eq!(elsewhere.header("content-type"), "application/json");
}

#[actix_web::test]
async fn a_missing_encryption_key_is_shown() {
    let service = TestService::new();
    let mut browser = service.browser().await;
    let words = "lacks a key that the database is encrypted with";
    assert!(!browser.page("/console/").await.contains(words));
    service.store.set_missing_keys(&["new"]);
    assert!(browser.page("/console/").await.contains(words));
    service.store.set_fault(Some(Fault::Error(StoreError::KeyMissing("new".into()))));
    let reply = browser.get("/console/").await;
    assert_eq!((reply.status, reply.header("retry-after")), (503, "2"));
    assert!(reply.text().contains("An encryption key is missing"), "{}", reply.text());
    assert!(!reply.text().contains("busy"), "{}", reply.text());
}
