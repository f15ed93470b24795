//! Warnings before retries that would fail again, and before a migration is completed too early.

use crate::harness::{Installation, text};

fn set_rule(installation: &Installation, rule: &str) {
    installation.run_json(&["supplier", "set", "ACME", "--rule", rule]);
}

/// Runs a command that succeeds and returns what it prints to standard error.
fn warned(installation: &Installation, args: &[&str]) -> String {
    let done = installation.run(args);
    assert!(done.status.success(), "{done:?}");
    String::from_utf8(done.stderr).unwrap()
}

#[test]
fn a_retry_that_fails_again_is_warned_of() {
    let (installation, _server, client) = Installation::with_rejected();
    let all = ["process", "retry", "ACME"];
    let again = "warning: 1 of the first 1 would fail again now: customer_family_name_required (1)";
    assert_eq!(warned(&installation, &all).trim(), again);
    let in_vain = warned(&installation, &[&all[..], &["--yes"]].concat());
    assert!(in_vain.contains(again), "{in_vain}");
    client.wait("E-1", "ERRORED");
    let one = ["process", "retry", "ACME", "E-1"];
    let again = "warning: E-1 would fail again now: customer_family_name_required at customers.0.family_name";
    assert_eq!(warned(&installation, &one).trim(), again);
    client.wait("E-1", "ERRORED");
    set_rule(&installation, "CUS-08=default");
    assert_eq!(warned(&installation, &all), "");
    assert_eq!(warned(&installation, &one), "");
    client.wait("E-1", "PROCESSED");
}

#[test]
fn a_supplier_with_unfinished_accounts_is_completed_on_purpose() {
    let (installation, _server, client) = Installation::with_rejected();
    let complete = ["supplier", "set", "ACME", "--status", "complete"];
    let refused = installation.run_refused(&complete);
    assert_eq!(refused, "error: 1 account has failed: with --yes they are left behind");
    assert_eq!(text(&installation.run_json(&["supplier", "show", "ACME"])["status"]), "Ongoing");
    let done = installation.run_json(&[&complete[..], &["--yes"]].concat());
    assert_eq!(done["status"], "Complete");
    // A supplier that has finished needs no question.
    installation.run_json(&["supplier", "set", "ACME", "--status", "ongoing"]);
    set_rule(&installation, "CUS-08=default");
    installation.run_json(&["process", "retry", "ACME", "E-1"]);
    client.wait("E-1", "PROCESSED");
    assert_eq!(installation.run_json(&complete)["status"], "Complete");
}
