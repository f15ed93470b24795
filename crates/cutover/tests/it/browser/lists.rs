use super::signed_in;
use crate::harness::Installation;
use crate::payloads::small;
use serde_json::json;

#[test]
fn businesses_actions_and_refused_creates_are_listed() {
    let (installation, server, client) = Installation::serving();
    let contract = |n: u32| {
        json!({"identifier": format!("KOALA-COLD-STORAGE-2026-{n}"), "valid_from_date": "2026-01-01",
            "signed_at_date": "2025-12-01", "versions": [{"applicable_at_date": "2026-01-01", "terms": ["CANARY"]}]})
    };
    for identifier in ["KOALA-COLD-STORAGE", "B-2"] {
        let contracts: Vec<_> =
            if identifier == "B-2" { Vec::new() } else { (1..=3).map(contract).collect() };
        let business = json!({"import_supplier_code": "ACME", "external_business_identifier": identifier,
            "business": {"business_type": "PTY_LTD", "company_name": "CANARY", "business_contracts": contracts}});
        assert_eq!(client.post("/v1/data-import/business/", business.to_string()).status, 201);
    }
    for number in ["R-1", "R-2-with-a-long-number-of-the-previous-supplier"] {
        let mut account = small(number);
        account["customers"][0]["mobile"] = "CANARY".into();
        account["customers"][0].as_object_mut().unwrap().remove("given_name");
        account["surprise"] = 1.into();
        assert_eq!(client.create(&account).status, 400);
    }
    let Some(page) = signed_in(&installation, &server) else { return };
    page.follow("Businesses");
    page.until_says("KOALA-COLD-STORAGE");
    page.look("businesses");
    page.follow("KOALA-COLD-STORAGE");
    page.until_says("KOALA-COLD-STORAGE-2026-3");
    assert!(!page.source().contains("CANARY"));
    page.look("business");

    page.go("/console/suppliers/ACME/");
    page.follow("List them");
    page.until_says("R-2-with-a-long-number");
    page.look("refused-creates");
    assert!(!page.source().contains("CANARY"));

    page.follow("Audit");
    page.until_says("console.sign-in");
    page.look("audit");
    page.choose("Action", "supplier.add");
    page.press("Show");
    page.until_says("Show all");
    assert!(!page.text_of("[aria-label=Actions]").contains("console.sign-in"), "{}", page.text());
}

#[test]
fn the_payload_is_shown_next_to_its_errors_and_compared() {
    let (installation, server, client) = Installation::with_rejected();
    let Some(page) = signed_in(&installation, &server) else { return };
    let path = "/console/suppliers/ACME/accounts/E-1/";
    page.go(path);
    // From the error to its line, and back.
    page.follow("customers.0.family_name");
    page.wait_until("the line is shown", || {
        page.script("return location.hash").as_str().unwrap().starts_with("#line-")
    });
    let marked = page.text_of(".payload .line:target");
    assert!(marked.contains("customer_family_name_required"), "{marked}");

    // The retry fails again, and says so before.
    page.follow("Retry…");
    page.until_says("It would fail again");
    page.look("retry-in-vain");
    page.press("Retry");
    page.until_at(path);
    client.wait("E-1", "ERRORED");
    page.go(path);
    page.follow("Compare with attempt 1");
    page.until_says("The payload is the same.");
    assert!(
        page.text_of("[aria-label='Errors that stay']").contains("customers.0.family_name"),
        "{}",
        page.text()
    );
    page.look("difference");

    // Sent again, with other values: it waits.
    installation.run_json(&["supplier", "set", "ACME", "--rule", "CUS-08=default"]);
    let mut account = small("E-1");
    account["customers"][0]["email"] = "other@canary.test".into();
    account["sales_channel"] = "BROKER".into();
    let window = json!({"schedule_window_start": "2099-01-01T00:00:00Z"});
    assert_eq!(client.create(&json!({"payload": account, "task_params": window})).status, 201);
    page.reload();
    page.until_says("The last attempt has no result yet");
    let changed = page.text_of("[aria-label='Changed members']");
    for part in ["customers.0.email", "customers.0.family_name", "sales_channel", "BROKER", "task_params"] {
        assert!(changed.contains(part), "{part}: {changed}");
    }
    assert!(!page.source().contains("canary.test"));
    page.look("difference-waiting");
}
