use super::signed_in;
use crate::harness::Installation;
use crate::payloads::small;
use serde_json::json;
use thirtyfour::Key;

#[test]
fn accounts_are_found_by_the_beginning_of_their_number() {
    let (installation, server, client, other) = Installation::with_two_organisations();
    client.import(&[small("A-1"), small("A-2"), small("B-1")]);
    let mut theirs = small("A-3");
    theirs["import_supplier"] = json!("OTHERS");
    assert_eq!(other.create(&theirs).status, 201);
    let Some(page) = signed_in(&installation, &server) else { return };
    page.write("Search for an account", "A-");
    page.keys(Key::Enter);
    page.until_says("2 accounts");
    let found = page.text_of("main table");
    assert!(found.contains("A-1") && found.contains("A-2"), "{found}");
    page.look("search");
    page.follow("A-2");
    page.until_at("/console/suppliers/ACME/accounts/A-2/");

    // By the service account number.
    let status = client.status("B-1");
    page.write("Search for an account", status["service_identifier"].as_str().unwrap());
    page.press("Search");
    page.until_says("1 account.");
    page.follow("B-1");
    page.until_at("/console/suppliers/ACME/accounts/B-1/");

    let hostile = "\"><script>throw 1</script>";
    page.write("Search for an account", hostile);
    page.press("Search");
    page.until_says("Nothing found by");
    assert!(page.text().contains(hostile), "{}", page.text());
}
