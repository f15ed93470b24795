use super::signed_in;
use crate::harness::Installation;
use crate::payloads::{fixture, small};

/// Personal data in the fixture.
const PERSONAL: [&str; 12] = [
    "Lena",
    "Moretti",
    "bluegum.test",
    "0491 570 110",
    "1990-06-17",
    "PO Box 12",
    "Queens",
    "Clifton Hill",
    "hall cupboard",
    "Ring unit 1",
    "Wattle Court",
    "Behind the chemist",
];

#[test]
fn personal_data_is_not_in_the_page_until_requested() {
    let (installation, server, client) = Installation::serving();
    client.import(&[fixture("dual_fuel", "A-1")]);
    let Some(page) = signed_in(&installation, &server) else { return };
    page.follow("ACME");
    page.follow("A-1");
    page.until_at("/console/suppliers/ACME/accounts/A-1/");
    for personal in PERSONAL {
        assert!(!page.source().contains(personal), "{personal} is in the page");
    }
    assert!(page.text().contains("15618.9"), "what was imported: {}", page.text());
    page.look("account");

    page.press("Show personal data");
    page.until_says("Personal data is shown.");
    page.unfold();
    for personal in PERSONAL {
        assert!(page.text().contains(personal), "{personal}: {}", page.text());
    }
    page.look("account-shown");
    page.follow("Hide personal data");
    page.wait_until("it is hidden", || !page.source().contains(PERSONAL[0]));
}

#[test]
fn hostile_words_of_a_payload_are_words() {
    let (installation, server, client) = Installation::serving();
    let mut account = small("A-1");
    let hostile = "<script>throw 1</script>\"><img src=x onerror=alert(1)>";
    for name in ["given_name", "family_name"] {
        account["customers"][0][name] = hostile.into();
    }
    account["notes"] = serde_json::json!([{"body": hostile, "created_at": "2026-01-01T00:00:00Z"}]);
    client.import(&[account]);
    let Some(page) = signed_in(&installation, &server) else { return };
    page.go("/console/suppliers/ACME/accounts/A-1/");
    page.press("Show personal data");
    page.until_says("Personal data is shown.");
    page.unfold();
    assert!(page.text().contains(hostile), "{}", page.text());
}

#[test]
fn failures_are_shown_by_path_and_retried() {
    let (installation, server, client) = Installation::with_rejected();
    let Some(page) = signed_in(&installation, &server) else { return };
    page.go("/console/suppliers/ACME/accounts/E-1/");
    page.until_says("customers.0.family_name");
    page.until_says("import_process_failed_validation");
    assert!(page.text_of("[aria-label=History]").contains("Errored"), "{}", page.text());
    page.look("account-errored");
    installation.run_json(&["supplier", "set", "ACME", "--rule", "CUS-08=default"]);
    page.follow("Retry…");
    page.look("retry");
    page.press("Retry");
    client.wait("E-1", "PROCESSED");
    // The page updates itself.
    page.wait_until("it is shown", || page.text_of("#process [role=status]") == "Processed");
}

#[test]
fn a_pending_account_is_cancelled_after_confirmation() {
    let (installation, key) = Installation::with_supplier();
    let server = installation.serve_with(&["--role", "api"]);
    let client = server.client(&key);
    assert_eq!(client.create(&small("A-1")).status, 201);
    let Some(page) = signed_in(&installation, &server) else { return };
    page.go("/console/suppliers/ACME/accounts/A-1/");
    page.follow("Cancel…");
    page.look("cancel");
    page.follow("Back");
    page.until_says("Pending");
    assert_eq!(client.status("A-1")["status"], "PENDING", "nothing was done yet");
    page.follow("Cancel…");
    page.press("Cancel the import");
    page.until_says("Cancelled");
    assert_eq!(client.status("A-1")["status"], "CANCELLED");

    // Another operator was faster.
    page.expect(409);
    page.go("/console/suppliers/ACME/accounts/A-1/cancel/");
    page.press("Cancel the import");
    page.until_says("Not done");
}
