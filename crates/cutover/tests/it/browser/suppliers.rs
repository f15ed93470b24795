use super::signed_in;
use crate::harness::Installation;
use crate::payloads::small;

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
