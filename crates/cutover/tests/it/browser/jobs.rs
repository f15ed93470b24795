use super::signed_in;
use crate::harness::Installation;
use crate::payloads::wrapped;
use serde_json::json;

#[test]
fn filtered_accounts_are_cancelled_and_retried_as_jobs() {
    let (installation, server, client) = Installation::serving();
    let Some(page) = signed_in(&installation, &server) else { return };
    for number in ["P-1", "P-2"] {
        let window = json!({"schedule_window_start": "2099-01-01T00:00:00Z"});
        assert_eq!(client.create(&wrapped(number, window)).status, 201);
    }
    page.go("/console/suppliers/ACME/?status=PENDING");
    page.follow("Cancel these…");
    page.until_says("Cancel the imports of 2 accounts?");
    page.look("bulk");
    page.press("Cancel the imports");
    page.until_says("Done");
    page.look("job");
    assert_eq!(client.status("P-2")["status"], "CANCELLED");

    page.go("/console/suppliers/ACME/?status=CANCELLED");
    page.follow("Retry what was cancelled…");
    page.press("Retry");
    page.until_says("Done");
    assert_eq!(client.status("P-1")["status"], "PENDING");
    page.follow("Jobs");
    page.until_says("Skipped");
    page.look("jobs");
}
