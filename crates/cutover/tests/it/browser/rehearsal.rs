use super::signed_in;
use crate::harness::Installation;
use crate::payloads::small;
use serde_json::json;

const RUNS: &str = "/console/suppliers/ACME/runs/";

/// The account that fails in the first rehearsal is corrected in the second; then a certificate is issued.
#[test]
fn two_rehearsals_are_compared_and_a_certificate_is_issued() {
    let (installation, server, client) = Installation::serving();
    let Some(page) = signed_in(&installation, &server) else { return };
    let start = |name: &str| {
        page.go(RUNS);
        page.write("Name of the run", name);
        page.press("Start a run");
        page.until_says("No account has ended yet.");
    };
    let mut faulty = small("R-2");
    faulty["customers"] = json!([]);
    installation.run_json(&["supplier", "set", "ACME", "--dry-run", "true"]);
    installation.run_json(&["supplier", "hold", "ACME"]);
    for account in [&small("R-1"), &faulty] {
        assert_eq!(client.create(account).status, 201);
    }
    start("Rehearsal 1");
    installation.run_json(&["supplier", "set", "ACME", "--rule", "ACC-04=error"]);
    installation.release(&[]);
    client.wait("R-1", "DRY_RUN_SUCCEEDED");
    client.wait("R-2", "DRY_RUN_ERRORED");
    page.go(RUNS);
    page.press("End the run");
    page.until_says("Most frequent errors");

    start("Rehearsal 2");
    assert_eq!(client.create(&small("R-2")).status, 201);
    client.wait("R-2", "DRY_RUN_SUCCEEDED");
    page.go(RUNS);
    page.until_says("Rehearsal 2");
    page.look("runs");
    page.follow("Rehearsal 1");
    page.until_says("account_without_customers");
    page.look("run");
    page.go(RUNS);
    page.press("Compare");
    page.until_says("From Rehearsal 1 to Rehearsal 2");
    page.until_says("1 (R-2)");
    page.look("run-comparison");

    page.go("/console/suppliers/ACME/certificates/");
    page.press("Issue a certificate");
    page.until_says("kept");
    page.look("certificates");
}
