use super::between;
use crate::console::ENDPOINTS;
use crate::endpoint::Endpoint;
use crate::testing::{ACCOUNT, ELECTRICITY, TestService};
use actix_web::http::Method;
use cutover_app::operator::SupplierChange;
use cutover_app::port::DocumentState;
use cutover_core::Level;
use serde_json::{Value, json};

const PATH: &str = "/console/suppliers/ACME_ENERGY/accounts/ELEC-1001/";

/// Returns the account of the fixture with other members.
fn account(number: &str, members: Value) -> String {
    let mut account: Value = serde_json::from_str(ACCOUNT).unwrap();
    account["external_account_number"] = number.into();
    for (name, value) in members.as_object().unwrap() {
        account[name] = value.clone();
    }
    account.to_string()
}

/// Returns all personal data of the fixture: names and addresses of its customers.
fn personal() -> Vec<String> {
    let account: Value = serde_json::from_str(ELECTRICITY).unwrap();
    let customer = &account["customers"][0];
    let words = ["given_name", "family_name", "email"].map(|name| &customer[name]);
    let street =
        &account["supply_addresses"][0]["supply_address"]["structured_street_address"]["street_name"];
    words.into_iter().chain([street]).map(|word| word.as_str().unwrap().to_owned()).collect()
}

#[actix_web::test]
async fn an_account_shows_its_import_without_persons() {
    let service = TestService::with_accounts();
    let page = service.browser().await.page(PATH).await;
    insta::assert_snapshot!(between(&page, "<main", "</main>"));
    for word in personal() {
        assert!(!page.contains(&word), "{word}");
    }
}

#[actix_web::test]
async fn personal_data_is_shown_on_request() {
    let service = TestService::with_accounts();
    let mut browser = service.browser().await;
    let reveal = format!("{PATH}reveal/");
    let reply = browser.post(&reveal, "").await;
    assert_eq!(reply.status, 200);
    for word in personal() {
        assert!(reply.text().contains(&word), "{word}");
    }
    assert!(reply.text().contains("Personal data is shown."));
    // The page returns to the masked one after a while, with and without the script.
    let refresh = format!("<noscript><meta http-equiv=\"refresh\" content=\"300; url={PATH}\"></noscript>");
    let marks = [refresh, format!("data-masked=\"{PATH}\"")];
    let masked = browser.page(PATH).await;
    for mark in &marks {
        assert!(reply.text().contains(mark) && !masked.contains(mark), "{mark}");
    }
    let back = browser.get(&reveal).await;
    assert_eq!((back.status, back.header("location")), (303, PATH));
}

#[actix_web::test]
async fn accounts_of_others_are_not_there() {
    let service = TestService::with_accounts();
    let mut browser = service.browser().await;
    for account in ["OTHER/accounts/ELEC-1001/", "ACME_ENERGY/accounts/NONE/", "NONE/accounts/ELEC-1001/"] {
        let path = format!("/console/suppliers/{account}");
        assert_eq!(browser.get(&path).await.status, 404, "{path}");
        assert_eq!(browser.post(&format!("{path}reveal/"), "").await.status, 404, "{path}");
        for action in ["cancel", "retry"] {
            assert_eq!(browser.get(&format!("{path}{action}/")).await.status, 404, "{path}{action}");
            assert_eq!(browser.post(&format!("{path}{action}/"), "").await.status, 404, "{path}{action}");
        }
    }
}

/// Failure 21: pages and forms of another organisation's supplier are answered like those of a supplier that
/// does not exist. The routes come from the table, so that new ones are included.
#[actix_web::test]
async fn no_page_reveals_whether_anothers_supplier_exists() {
    let service = TestService::with_accounts();
    let mut browser = service.browser().await;
    let mut asked = 0;
    for Endpoint { template, method, .. } in ENDPOINTS {
        if template.contains("<supplier>") {
            // A key has a limited number of visits.
            if asked % 20 == 19 {
                browser = service.browser().await;
            }
            let mut told = Vec::new();
            for supplier in ["NOBODY", "OTHER"] {
                let path = template.replace("<supplier>", supplier).replace("<number>", "ELEC-1001");
                let path = path.replace("<certificate>", "0").replace("<form>", "json");
                let reply = match method == Method::GET {
                    true => browser.get(&path).await,
                    false => browser.post(&path, "").await,
                };
                let plain = |text: &str| text.replace(supplier, "SUPPLIER");
                let text = reply.text().replace(reply.header("x-request-id"), "ID");
                told.push((reply.status, plain(reply.header("location")), plain(&text)));
            }
            // One of them only redirects, to a page that does not exist.
            assert!(matches!(told[0].0, 404 | 303), "{method} {template}: {told:?}");
            assert_eq!(told[0], told[1], "{method} {template}");
            asked += 1;
        }
    }
    assert!(asked >= 12, "{asked} are asked");
    let owner = service.app.authenticate(&service.token_of("Other")).unwrap();
    let theirs = service.app.account_status(&owner, "OTHER", "ELEC-1001").unwrap().unwrap();
    let number = theirs.service_identifier.unwrap();
    let page = browser.page(&format!("/console/search/?q={number}")).await;
    assert!(!page.contains("OTHER"), "{page}");
}

#[actix_web::test]
async fn a_process_is_cancelled_and_retried_after_confirmation() {
    let service = TestService::new();
    service.create("Acme", &account("A/1 ?", json!({})));
    let mut browser = service.browser().await;
    let path = "/console/suppliers/ACME_ENERGY/accounts/A%2F1%20%3F/";
    for (action, before, after) in [("cancel", "Pending", "Cancelled"), ("retry", "Cancelled", "Pending")] {
        let shown = browser.page(path).await;
        assert!(shown.contains(&format!("{before}</span>")) && shown.contains(&format!("{path}{action}/\"")));
        let question = browser.page(&format!("{path}{action}/")).await;
        insta::assert_snapshot!(format!("{action}_question"), between(&question, "<main", "</main>"));
        let done = browser.post(&format!("{path}{action}/"), "").await;
        assert_eq!((done.status, done.header("location")), (303, path));
        let state = between(&browser.page(path).await, "role=\"status\">", "</span>").to_owned();
        assert!(state.ends_with(after), "{state}");
    }
    let refused = browser.post(&format!("{path}retry/"), "").await;
    assert_eq!(refused.status, 409);
    let words = between(refused.text(), "<main", "Request").to_owned();
    assert!(words.contains("Not done") && words.contains("PENDING"), "{words}");
}

#[actix_web::test]
async fn faults_are_shown_with_their_position() {
    let service = TestService::new();
    service.create("Acme", &account("A-1", json!({ "customers": [] })));
    let rules = [("ACC-04".to_owned(), Some(Level::Error))].into();
    service.set_supplier(SupplierChange { rules, ..SupplierChange::default() });
    service.import_pending();
    let page = service.browser().await.page("/console/suppliers/ACME_ENERGY/accounts/A-1/").await;
    insta::assert_snapshot!(between(&page, "<main", "</main>"));
}

#[actix_web::test]
async fn failed_accounts_are_downloaded() {
    let service = TestService::new();
    for number in ["A-1", "=A-2"] {
        service.create("Acme", &account(number, json!({ "customers": [], "transfer_balance": -31 })));
    }
    let rules = [("ACC-04".to_owned(), Some(Level::Error))].into();
    service.set_supplier(SupplierChange { rules, ..SupplierChange::default() });
    service.import_pending();
    let mut browser = service.browser().await;
    let supplier = "/console/suppliers/ACME_ENERGY/";
    let page = browser.page(&format!("{supplier}?status=ERRORED")).await;
    let cell = between(&page, "<td data-label=\"Error\">", "</td>");
    let code = "account_without_customers";
    assert_eq!(cell, format!("<a href=\"/docs/errors/{code}/\"><code>{code}</code></a>"));
    let form = between(&page, "id=\"account-download\"", "</form>");
    assert!(form.contains(&format!("action=\"{supplier}failed/\"")) && form.contains("value=\"ERRORED\""));
    for other in ["status=PROCESSED", "warning_code=required"] {
        let page = browser.page(&format!("{supplier}?{other}")).await;
        assert!(!page.contains("account-download"), "{other}");
    }
    let csv = browser.post(&format!("{supplier}failed/"), "status=ERRORED&error_code=&format=csv").await;
    assert_eq!((csv.status, csv.header("content-type")), (200, "text/csv; charset=utf-8; header=present"));
    let disposition = "attachment; filename=\"ACME_ENERGY-failed.csv\"";
    assert_eq!((csv.header("content-disposition"), csv.header("cache-control")), (disposition, "no-store"));
    let numbers: Vec<_> = csv.text().lines().map(|line| line.split(',').next().unwrap()).collect();
    assert_eq!(numbers, ["external_account_number", "A-1", "'=A-2"]);
    let lines = browser.post(&format!("{supplier}failed/"), "format=ndjson").await;
    assert_eq!(lines.header("content-type"), "application/x-ndjson");
    let sent = account("A-1", json!({ "customers": [], "transfer_balance": -31 }));
    assert_eq!(lines.text().lines().next(), Some(sent.as_str()));
    for form in ["status=PENDING", "status=x", "format=x"] {
        assert_eq!(browser.post(&format!("{supplier}failed/"), form).await.status, 409, "{form}");
    }
}

#[actix_web::test]
async fn markup_in_a_payload_is_escaped() {
    let service = TestService::new();
    let evil = "<script>alert(1)</script>\"'><img src=x onerror=alert(1)>\u{202e}txt\u{1b}[31m";
    let members = json!({
        "sales_subchannel": evil,
        "billing_name": evil,
        "notes": [{ "body": evil, "created_at": "2020-01-01T00:00:00Z" }],
    });
    service.create("Acme", &account(&format!("A-{}", &evil[..60]), members));
    service.import_pending();
    let mut browser = service.browser().await;
    let list = browser.page("/console/suppliers/ACME_ENERGY/").await;
    let rows = between(&list, "id=\"account-list\"", "</section>");
    let link = between(rows, "<th scope=\"row\"><a href=\"", "\"").to_owned();
    let reveal = browser.post(&format!("{link}reveal/"), "").await.text().to_owned();
    let pages = [list, browser.page(&link).await, reveal];
    for page in &pages {
        let body = between(page, "<main", "</main>");
        for hostile in ["<script", "<img", "onerror=alert(1)>", "\u{202e}", "\u{1b}", "\"'>"] {
            assert!(!body.contains(hostile), "{hostile:?}");
        }
        assert!(body.contains("&lt;script&gt;"));
    }
    assert!(pages[2].contains("\\u{202e}txt\\u{1b}[31m"));
}

#[actix_web::test]
async fn a_long_table_is_shown_page_by_page() {
    let service = TestService::new();
    let transaction = |n: u32| {
        json!({ "transaction_id": format!("T-{n:03}"), "transaction_date": "2020-01-01", "amount": "1.10",
            "type": "CHARGE", "reason": "IMPORTED_CHARGE" })
    };
    let transactions: Vec<_> = (0..60).map(transaction).collect();
    let ledger = json!({ "current_statement_transactions": transactions, "ledger_balance": "-66.00" });
    let members = json!({ "ledgers": [ledger], "transfer_balance": "-66.00" });
    service.create("Acme", &account("A-1", members));
    service.import_pending();
    let mut browser = service.browser().await;
    let path = "/console/suppliers/ACME_ENERGY/accounts/A-1/";
    let first = browser.page(path).await;
    assert_eq!(first.matches("T-0").count(), 25);
    assert!(first.contains("Page 1 of 3"));
    let next = between(&first, "<nav class=\"pages\"", "</nav>");
    let next = between(next, "href=\"", "#").replace("&amp;", "&");
    let second = browser.page(&next).await;
    assert!(second.contains("T-025") && !second.contains("T-024") && second.contains("Page 2 of 3"));
    // The form for the next page keeps personal data revealed.
    let (_, asked) = next.split_once('?').unwrap();
    let revealed = browser.post(&format!("{path}reveal/"), asked).await;
    assert!(revealed.text().contains("T-025"));
    let link = between(revealed.text(), "<nav class=\"pages\"", "</nav>");
    assert!(link.contains("method=\"post\"") && link.contains("name=\"page\" value=\"3\""), "{link}");
}

/// The page of the account of [`failed_twice`].
const TWICE: &str = "/console/suppliers/ACME_ENERGY/accounts/A-1/";

/// Returns a service where `A-1` failed, was sent again with other members, and failed again.
fn failed_twice() -> TestService {
    let service = TestService::new();
    let no_name = |email: &str| json!([{ "given_name": "Ada", "email": email, "role": "PRIMARY" }]);
    let members = json!({ "customers": no_name("first@ada.test"), "sales_channel": "DIRECT" });
    service.create("Acme", &account("A-1", members));
    let level = |rule: &str, level| {
        let rules = [(rule.to_owned(), level)].into();
        service.set_supplier(SupplierChange { rules, ..SupplierChange::default() });
    };
    level("CUS-08", Some(Level::Error));
    service.import_pending();
    level("CUS-08", None);
    let customers = no_name("second@ada.test");
    let members = json!({
        "customers": customers, "sales_channel": "BROKER", "ledgers": [], "transfer_balance": "0.00",
    });
    service.create("Acme", &account("A-1", members));
    level("CUS-08", Some(Level::Error));
    service.import_pending();
    service
}

#[actix_web::test]
async fn the_payload_of_a_failure_is_shown_without_personal_data() {
    let service = failed_twice();
    let mut browser = service.browser().await;
    let page = browser.page(TWICE).await;
    insta::assert_snapshot!(between(&page, "id=\"errors\"", "id=\"history\""));
    assert!(!page.contains("ada.test") && !page.contains("Ada"), "{page}");
    let revealed = browser.post(&format!("{TWICE}reveal/"), "").await;
    assert!(revealed.text().contains("&quot;second@ada.test&quot;"), "{}", revealed.text());
    assert!(revealed.text().contains("Personal data is shown."));
}

#[actix_web::test]
async fn two_attempts_are_compared() {
    let service = failed_twice();
    let mut browser = service.browser().await;
    assert!(browser.page(TWICE).await.contains("Compare with attempt 1"));
    let page = browser.page(&format!("{TWICE}difference/")).await;
    insta::assert_snapshot!(between(&page, "<main", "</main>"));
    assert!(!page.contains("ada.test"), "{page}");

    // Nothing is left to compare with once it is imported.
    let rules = [("CUS-08".to_owned(), None)].into();
    service.set_supplier(SupplierChange { rules, ..SupplierChange::default() });
    assert_eq!(browser.post(&format!("{TWICE}retry/"), "").await.status, 303);
    let waiting = browser.page(&format!("{TWICE}difference/")).await;
    assert!(waiting.contains("The payload is the same.") && waiting.contains("no result yet"), "{waiting}");
    service.import_pending();
    assert_eq!(browser.get(&format!("{TWICE}difference/")).await.status, 404);
    assert!(!browser.page(TWICE).await.contains("Compare with attempt"));
}

#[actix_web::test]
async fn a_retry_that_would_fail_again_says_so() {
    let service = failed_twice();
    let mut browser = service.browser().await;
    let question = browser.page(&format!("{TWICE}retry/")).await;
    insta::assert_snapshot!(between(&question, "<main", "</main>"));
    let all = "/console/suppliers/ACME_ENERGY/retry/";
    let bulk = browser.page(all).await;
    insta::assert_snapshot!(between(&bulk, "<main", "</main>"));

    let rules = [("CUS-08".to_owned(), None)].into();
    service.set_supplier(SupplierChange { rules, ..SupplierChange::default() });
    for path in [format!("{TWICE}retry/"), all.to_owned()] {
        let page = browser.page(&path).await;
        assert!(page.contains("Retry") && !page.contains("fail again"), "{page}");
    }
}

#[actix_web::test]
async fn documents_are_looked_up_before_a_retry() {
    let service = TestService::new();
    let note = json!([{ "body": "b", "created_at": "2020-01-01T00:00:00Z",
        "document_paths": [{ "document_path": "a.pdf" }] }]);
    service.create("Acme", &account("A-1", json!({ "notes": note })));
    service.verify_documents();
    service.import_pending();
    let mut browser = service.browser().await;
    let question = browser.page(&format!("{TWICE}retry/")).await;
    assert!(question.contains("fail again") && question.contains("notes.0.document_paths.0"), "{question}");
    let page = browser.page(TWICE).await;
    let row = between(&page, "id=\"error-0\"", "</tr>");
    assert!(row.contains("<bdi class=\"about\">a.pdf</bdi>"), "{row}");
    let line = between(row, "href=\"#", "\"");
    let line = between(&page, &format!("id=\"{line}\""), "</div>");
    assert!(line.contains("a.pdf") && line.contains("href=\"#error-0\""), "{line}");
    service.documents.set("/ACME_ENERGY", "a.pdf", DocumentState::Present);
    assert!(!browser.page(&format!("{TWICE}retry/")).await.contains("fail again"));
}
