use super::between;
use crate::testing::{ACCOUNT, TestService};
use actix_web::test::TestRequest;
use chrono::Duration;
use cutover_app::operator::SupplierChange;
use cutover_core::Level;

fn account(number: &str) -> String {
    ACCOUNT.replace("UNME-4001", number)
}

/// Accounts 0 to 4: account 1 failed, account 4 is pending.
fn service() -> TestService {
    let service = TestService::new();
    let refuse_all = |level| {
        let rules = [("ACC-04".to_owned(), level)].into();
        service.set_supplier(SupplierChange { rules, ..SupplierChange::default() });
    };
    for n in 0..5 {
        service.clock.advance(Duration::minutes(2));
        let account = account(&format!("A-{n}"));
        let mut account: serde_json::Value = serde_json::from_str(&account).unwrap();
        account["customers"] = serde_json::json!([]);
        service.create("Acme", &account.to_string());
        refuse_all((n == 1).then_some(Level::Error));
        if n < 4 {
            service.import_pending();
        }
        refuse_all(None);
    }
    service
}

#[actix_web::test]
async fn a_migration_shows_how_far_it_has_come() {
    let service = service();
    let mut browser = service.browser().await;
    let page = browser.page("/console/suppliers/ACME_ENERGY/").await;
    insta::assert_snapshot!(between(&page, "<div id=\"figures\"", "<section aria-labelledby=\"accounts\""));
    let list = browser.page("/console/").await;
    insta::assert_snapshot!(between(&list, "<tbody>", "</tbody>"));
}

/// The wave has ended with a failure; two of five accounts are declared.
#[actix_web::test]
async fn a_night_shows_the_wave_the_checks_and_the_declared_figures() {
    let service = service();
    let mut browser = service.browser().await;
    let path = "/console/suppliers/ACME_ENERGY/night/";
    let calm = browser.page(path).await;
    assert!(!calm.contains("Held") && calm.contains("The supplier has declared nothing."), "{calm}");
    service.app.as_command().hold_supplier("ACME_ENERGY", Some("tariffs".into())).unwrap();
    let waves = Some("1,rest".parse().unwrap());
    service.set_supplier(SupplierChange { waves, ..SupplierChange::default() });
    let manifest = r#"{"accounts":2,"ledger_balance":"0.00","readings":0,"transactions":0,"documents":0}"#;
    let request = actix_web::test::TestRequest::put()
        .uri("/v2/data-import/import-suppliers/ACME_ENERGY/manifest/")
        .insert_header(("content-type", "application/json"))
        .set_payload(manifest);
    assert_eq!(service.send_as_acme(request).await.status, 200);
    let page = browser.page(path).await;
    insta::assert_snapshot!(between(&page, "<main", "</main>"));
    assert!(browser.page("/console/suppliers/ACME_ENERGY/").await.contains(&format!("href=\"{path}\"")));
    assert_eq!(browser.get("/console/suppliers/OTHER/night/").await.status, 404);
}

#[actix_web::test]
async fn a_manifest_is_shown_beside_what_was_sent() {
    let service = service();
    let path = "/v2/data-import/import-suppliers/ACME_ENERGY/manifest/";
    let declare = async |body: String| {
        let request = TestRequest::put().uri(path).set_payload(body);
        assert_eq!(service.send_as_acme(request).await.status, 200);
    };
    declare(r#"{"accounts":9000,"ledger_balance":"1","readings":0,"transactions":0,"documents":0}"#.into())
        .await;
    let mut browser = service.browser().await;
    let page = browser.page("/console/suppliers/ACME_ENERGY/").await;
    let card = between(&page, "<section class=\"card\" aria-labelledby=\"manifest\"", "</section>");
    insta::assert_snapshot!(card);
    let progress = service.get("/v2/data-import/import-suppliers/ACME_ENERGY/progress/").await.json();
    let mut sent = progress["manifest"]["sent"].clone();
    sent["counts"]["events"] = 7.into();
    declare(sent.to_string()).await;
    let page = browser.page("/console/suppliers/ACME_ENERGY/").await;
    let card = between(&page, "<section class=\"card\" aria-labelledby=\"manifest\"", "</section>");
    assert!(card.contains("<th scope=\"row\">Rows of events</th>") && card.contains(">-7</td>"), "{card}");
    declare(progress["manifest"]["sent"].to_string()).await;
    let page = browser.page("/console/suppliers/ACME_ENERGY/").await;
    assert!(page.contains("What was sent is as the supplier has declared."));
}

#[actix_web::test]
async fn a_refused_account_is_found() {
    let service = service();
    let faulty = account("R-1").replace("\"import_supplier\"", "\"customers\":7,\"import_supplier\"");
    let request = TestRequest::post().uri("/v2/data-import/accounts/").set_payload(faulty);
    assert_eq!(service.send_as_acme(request).await.status, 400);
    let page = service.browser().await.page("/console/search/?q=R-").await;
    assert!(page.contains("href=\"/console/suppliers/ACME_ENERGY/refused/?number=R-1\""), "{page}");
    assert!(page.contains("<td data-label=\"Where it stands\">Not accepted since"), "{page}");
}

#[actix_web::test]
async fn accounts_are_found_by_their_numbers() {
    let service = service();
    service.create("Other", &account("A-9").replace("ACME_ENERGY", "OTHER"));
    let change = SupplierChange::default();
    service.app.as_command().add_supplier("ACME_2", "Acme", change).unwrap();
    service.create("Acme", &account("A-10").replace("ACME_ENERGY", "ACME_2"));
    let here = service
        .app
        .as_command()
        .show_process("ACME_ENERGY", "A-0")
        .unwrap()
        .status
        .service_identifier
        .unwrap();
    let mut browser = service.browser().await;
    for (query, found) in [
        ("q=A-1", &["ACME_2/A-10", "ACME_ENERGY/A-1"][..]),
        ("q=+A-1+", &["ACME_2/A-10", "ACME_ENERGY/A-1"]),
        ("q=A-1&supplier=ACME_ENERGY", &["ACME_ENERGY/A-1"]),
        ("q=A-9", &[]),
        ("q=a-0", &[]),
        ("q=&supplier=", &[]),
        ("q=%00", &[]),
        ("", &[]),
        (&format!("q={here}"), &["ACME_ENERGY/A-0"]),
        (&format!("q={}", here.as_str().to_lowercase()), &["ACME_ENERGY/A-0"]),
    ] {
        let page = browser.page(&format!("/console/search/?{query}")).await;
        let links = page.split("<th scope=\"row\"><a href=\"/console/suppliers/").skip(1);
        let links: Vec<_> =
            links.map(|rest| rest.split("/\"").next().unwrap().replace("/accounts", "")).collect();
        assert_eq!(links, found, "{query}");
    }
    assert_eq!(browser.get("/console/search/?q=A-9&supplier=OTHER").await.status, 404);
    let page = browser.page("/console/search/?q=%22%3E%3Cscript%3E").await;
    assert!(page.contains("value=\"&quot;&gt;&lt;script&gt;\"") && !page.contains("\"><script>"));
}
