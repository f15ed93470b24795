use super::signed_in;
use crate::harness::Installation;
use crate::payloads::small;
use serde_json::json;

#[test]
fn the_suppliers_of_the_operators_organisation_are_listed() {
    let (installation, server, _client, _other) = Installation::with_two_organisations();
    installation.run_json(&["supplier", "add", "BETA", "--organisation", "Acme", "--dry-run", "true"]);
    let Some(page) = signed_in(&installation, &server) else { return };
    let list = page.text_of("main");
    assert!(list.contains("ACME") && list.contains("BETA") && list.contains("Dry run"), "{list}");
    assert!(!page.source().contains("OTHERS"));
    page.look("suppliers");
    page.expect(404);
    page.go("/console/suppliers/OTHERS/");
    page.until_says("Not found");
    page.look("not-found");
}

#[test]
fn a_supplier_is_paused_and_resumed_after_confirmation() {
    let (installation, server, client) = Installation::serving();
    let Some(page) = signed_in(&installation, &server) else { return };
    page.follow("ACME");
    page.follow("Pause…");
    page.until_at("/console/suppliers/ACME/pause/");
    page.look("pause");
    page.follow("Back");
    page.until_at("/console/suppliers/ACME/");
    assert_eq!(client.create(&small("A-1")).status, 201, "nothing was done yet");

    page.follow("Pause…");
    page.press("Pause");
    page.until_at("/console/suppliers/ACME/");
    page.until_says("Paused");
    let refused = client.create(&small("A-2"));
    assert_eq!(refused.code(), (400, "import_supplier_migration_not_ongoing".to_owned()));

    page.follow("Resume…");
    page.press("Resume");
    page.until_says("Ongoing");
    assert_eq!(client.create(&small("A-2")).status, 201);
}

/// The lines of rules as a browser sends them, and a second form that was shown before.
#[test]
fn settings_are_changed_in_a_form() {
    let (installation, server, _client) = Installation::serving();
    let Some(page) = signed_in(&installation, &server) else { return };
    page.follow("ACME");
    page.follow("Settings…");
    page.write("Imports at a time", "4");
    page.write("Waves", "20,100,rest");
    page.write("Rules", "ACC-04=error\nCUS-08=off\n");
    page.look("settings");
    page.press("Save");
    page.until_at("/console/suppliers/ACME/");
    let shown = installation.run_json(&["supplier", "show", "ACME"]);
    assert_eq!(shown["rules"], json!({"ACC-04": "error", "CUS-08": "off"}));
    assert_eq!((&shown["max_concurrent_imports"], &shown["waves"]), (&json!(4), &json!("20,100,rest")));

    page.follow("Settings…");
    installation.run_json(&["supplier", "set", "ACME", "--dry-run", "true"]);
    page.write("Waves", "");
    page.expect(409);
    page.press("Save");
    page.until_says("have been changed since they were shown");
    let shown = installation.run_json(&["supplier", "show", "ACME"]);
    assert_eq!((&shown["waves"], &shown["dry_run"]), (&json!("20,100,rest"), &json!(true)));
}
