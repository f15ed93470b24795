use super::signed_in;
use crate::harness::{Installation, text};
use crate::payloads::small;

/// Nothing listens there.
const URL: &str = "http://127.0.0.1:9/events";

#[test]
fn a_webhook_whose_receiver_is_down_is_seen_tested_and_replayed() {
    let (installation, server, client) = Installation::serving();
    let added =
        installation.run_json(&["webhook", "add", "--organisation", "Acme", "--url", URL, "--ed25519"]);
    let name = text(&added["id"]);
    let Some(page) = signed_in(&installation, &server) else { return };
    assert_eq!(client.create(&small("A-1")).status, 201);
    page.follow("Webhooks");
    page.until_says("Enabled");
    page.look("webhooks");
    page.follow(&name);
    page.until_says("Failed, will be retried");
    assert!(page.text().contains("account_import_process.created"), "{}", page.text());
    assert!(!page.source().contains("whsec_"));
    page.look("webhook");

    page.follow("Test…");
    page.press("Send a test");
    page.until_says("The test was not delivered");
    page.look("webhook-test");
    page.follow("Back");
    page.follow("Replay…");
    page.choose("Events", "of the last 24 hours");
    page.look("webhook-replay");
    page.press("Deliver again");
    page.until_at(&format!("/console/webhooks/{name}/"));
    page.follow("Disable…");
    page.press("Disable");
    page.until_says("Disabled");
    page.look("webhook-disabled");
    page.follow("Enable…");
    page.press("Enable");
    page.until_says("Enabled");
}
