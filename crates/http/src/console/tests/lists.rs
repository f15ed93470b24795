use super::between;
use crate::testing::{ACCOUNT, TestService};
use actix_web::http::header::CONTENT_TYPE;
use actix_web::test::TestRequest;
use cutover_app::operator::SupplierChange;
use serde_json::{Value, json};

const SUPPLIER: &str = "/console/suppliers/ACME_ENERGY/";

/// Creates a business with contracts.
async fn business(service: &TestService, identifier: &str, contracts: usize) {
    let contract = |n| {
        json!({ "identifier": format!("{identifier}-{n}"), "valid_from_date": "2026-01-01",
            "signed_at_date": "2025-12-01", "versions": [{ "applicable_at_date": "2026-01-01",
                "terms": ["CANARY"] }] })
    };
    let body = json!({
        "import_supplier_code": "ACME_ENERGY",
        "external_business_identifier": identifier,
        "business": {
            "business_type": "PTY_LTD",
            "company_name": "CANARY Pty Ltd",
            "details": [{ "key": "abn", "value": "CANARY" }],
            "business_contracts": (0..contracts).map(contract).collect::<Vec<_>>(),
        },
    });
    let reply = service.post("/v1/data-import/business/", body.to_string()).await;
    assert!(reply.status < 300, "{}", reply.line());
}

#[actix_web::test]
async fn businesses_are_listed_with_their_contracts() {
    let service = TestService::new();
    let mut browser = service.browser().await;
    assert!(browser.page("/console/businesses/").await.contains("No business yet."));
    business(&service, "B/1 <i>", 2).await;
    let list = browser.page("/console/businesses/").await;
    insta::assert_snapshot!("businesses", between(&list, "<main", "</main>"));
    let one = browser.page("/console/businesses/B%2F1%20%3Ci%3E/").await;
    insta::assert_snapshot!("business", between(&one, "<main", "</main>"));
    for page in [list, one] {
        assert!(!page.contains("CANARY") && !page.contains("<i>"), "{page}");
    }

    for n in 2..=26 {
        business(&service, &format!("B-{n}"), 0).await;
    }
    let first = browser.page("/console/businesses/").await;
    assert!(first.contains("B-25") && !first.contains("B-26") && first.contains("?after=25"), "{first}");
    let second = browser.page("/console/businesses/?after=25").await;
    assert!(second.contains("B-26") && !second.contains("Next page") && second.contains("First page"));
    business(&service, "B-LONG", 30).await;
    let long = browser.page("/console/businesses/B-LONG/?part=business_contracts&page=2").await;
    assert!(long.contains("B-LONG-29") && !long.contains("B-LONG-24"), "{long}");

    let mut stranger = super::Browser { service: &service, cookie: None };
    stranger.sign_in(&service.operator_key("Other")).await;
    assert!(stranger.page("/console/businesses/").await.contains("No business yet."));
    assert_eq!(stranger.get("/console/businesses/B-2/").await.status, 404);
    assert_eq!(browser.get("/console/businesses/NONE/").await.status, 404);
}

#[actix_web::test]
async fn actions_are_listed_and_filtered() {
    let service = TestService::new();
    service.create("Acme", ACCOUNT);
    let mut browser = service.browser().await;
    let account = format!("{SUPPLIER}accounts/UNME-4001/");
    for act in ["cancel/", "retry/", "reveal/"] {
        assert!(browser.post(&format!("{account}{act}"), "").await.status < 400, "{act}");
    }
    let main = |page: &str| between(page, "<main", "</main>").to_owned();
    let page = main(&browser.page("/console/audit/").await);
    for part in
        ["process.cancel", "process.retry", "account.reveal", "UNME-4001", "supplier.add", "console.sign-in"]
    {
        assert!(page.contains(&format!(">{part}<")), "{part}: {page}");
    }
    assert!(!page.contains("OTHER") && !page.contains("Other"), "{page}");
    let filtered = main(&browser.page("/console/audit/?supplier=ACME_ENERGY&action=process.cancel").await);
    insta::assert_snapshot!("audit", filtered.replace(&prefix(&filtered), "PREFIX"));
    let by = format!("/console/audit/?by=key%3A{}", prefix(&filtered));
    let of_key = main(&browser.page(&by).await);
    assert!(of_key.contains(">process.retry<") && !of_key.contains("<code>supplier.add<"), "{of_key}");
    let none = main(&browser.page("/console/audit/?by=%3Cscript%3E").await);
    assert!(none.contains("No action matches.") && !none.contains("<script>"), "{none}");
    assert_eq!(browser.get("/console/audit/?supplier=OTHER").await.status, 404);

    for _ in 0..30 {
        service.set_supplier(SupplierChange { dry_run: Some(false), ..SupplierChange::default() });
    }
    let first = browser.page("/console/audit/?action=supplier.set").await;
    assert_eq!(first.matches("<code>supplier.set</code>").count(), 25);
    let next = between(&first, "Next page", "</a>").len();
    assert_eq!(next, 0);
    let link = first.split("rel=\"next\"").next().unwrap().rsplit("href=\"").next().unwrap();
    let link = link.trim_end_matches("\" ").replace("&amp;", "&");
    let second = browser.page(&link).await;
    assert_eq!(second.matches("<code>supplier.set</code>").count(), 5, "{link}");

    service.app.as_command().erase_account("ACME_ENERGY", "UNME-4001", "asked for").unwrap();
    let erased = main(&browser.page("/console/audit/?action=account.erase").await);
    assert!(erased.contains("erased</span>") && !erased.contains("UNME-4001"), "{erased}");
}

/// Returns the prefix of the key that an action names.
fn prefix(page: &str) -> String {
    between(page, "<code>key:", "<").to_owned()
}

#[actix_web::test]
async fn refused_creates_are_listed() {
    let service = TestService::new();
    let mut browser = service.browser().await;
    let path = format!("{SUPPLIER}refused/");
    assert!(browser.page(&path).await.contains("No account was refused"));
    let send = async |number: Value| {
        let mut account: Value = serde_json::from_str(ACCOUNT).unwrap();
        account["external_account_number"] = number;
        account["customers"][0]["mobile"] = "CANARY".into();
        let request = TestRequest::post().uri("/v2/data-import/accounts/").set_payload(account.to_string());
        let reply = service.send_as_acme(request.insert_header((CONTENT_TYPE, "application/json"))).await;
        assert_eq!(reply.status, 400, "{}", reply.line());
    };
    send("R-001".into()).await;
    send(Value::Null).await;
    let page = browser.page(&path).await;
    insta::assert_snapshot!("refused_creates", between(&page, "<main", "</main>"));
    let supplier = browser.page(SUPPLIER).await;
    assert!(supplier.contains(&format!("href=\"{path}\"")), "{supplier}");
    // The page of an account that was never accepted leads to its faults.
    let one = browser.get(&format!("{SUPPLIER}accounts/R-001/")).await;
    assert_eq!((one.status, one.header("location")), (303, format!("{path}?number=R-001").as_str()));
    let one = browser.page(&format!("{path}?number=R-001")).await;
    assert!(
        one.contains("R-001") && one.contains("invalid_phone_number") && !one.contains("CANARY"),
        "{one}"
    );
    assert!(browser.page(&format!("{path}?number=R-002")).await.contains("No further account."));
    assert_eq!(browser.get(&format!("{SUPPLIER}accounts/R-002/")).await.status, 404);
    for n in 2..=26 {
        send(format!("R-{n:03}").into()).await;
    }
    let first = browser.page(&path).await;
    assert!(first.contains("R-025") && !first.contains("R-026") && first.contains("?after=R-025"));
    let second = browser.page(&format!("{path}?after=R-025")).await;
    assert!(second.contains("R-026") && !second.contains("Next page"), "{second}");
    assert!(!second.contains("CANARY"));
}
