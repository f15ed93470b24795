//! Usage, completions and the manual.

use crate::harness::{Sandbox, account};

#[test]
fn wrong_usage_exits_with_2() {
    let sandbox = Sandbox::new();
    sandbox.write("a.json", account("N-1"));
    sandbox.write("empty/readme.txt", "");
    for arguments in [
        &["validate"][..],
        &["validate", "gone.ndjson"],
        &["validate", "empty"],
        &["validate", "a.json", "--rule", "XXX-01=off"],
        &["validate", "a.json", "--time-zone", "Mars"],
        &["validate", "a.json", "--profile", "gone.json"],
        &["validate", "a.json", "--report", "r.csv", "--report", "r.csv"],
        &["upload"],
    ] {
        let ran = sandbox.run(arguments);
        assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{arguments:?}: {}", ran.err);
        assert!(ran.err.starts_with("error: "), "{arguments:?}: {}", ran.err);
    }
    assert_eq!(sandbox.run(&["--help"]).code, Some(0));
    assert_eq!(sandbox.run(&["--version"]).code, Some(0));
}

#[test]
fn the_current_time_is_the_default() {
    let sandbox = Sandbox::new();
    sandbox.write("a.json", account("N-1"));
    // The fixtures are dated before 2026: they are valid now, but not at an earlier time.
    assert_eq!(sandbox.run(&["validate", "a.json"]).code, Some(0));
    assert_eq!(sandbox.run(&["validate", "a.json", "--now", "1999-01-01T00:00:00+11:00"]).code, Some(1));
}

#[test]
fn codes_and_rules_are_explained() {
    let sandbox = Sandbox::new();
    let ran = sandbox.run(&["explain", "invalid_phone_number"]);
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
    insta::assert_snapshot!("explain_code", ran.out);
    let ran = sandbox.run(&["explain", "led-01"]);
    assert_eq!(ran.code, Some(0));
    insta::assert_snapshot!("explain_rule", ran.out);
    let ran = sandbox.run(&["explain", "CUS-01", "--json"]).summary();
    assert_eq!(ran["codes"], serde_json::json!(["invalid_phone_number"]));
    let ran = sandbox.run(&["explain", "invalid_fone_number"]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""));
    assert!(ran.err.contains("the nearest is invalid_phone_number"), "{}", ran.err);
}

#[test]
fn members_are_explained_by_their_paths() {
    let sandbox = Sandbox::new();
    for (name, path) in [
        ("explain_member", "customers.0.mobile"),
        ("explain_list", "payment_schedules"),
        ("explain_kinds", "supply_addresses.#.meter_points.#.meter_position"),
    ] {
        let ran = sandbox.run(&["explain", path]);
        assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
        insta::assert_snapshot!(name, ran.out);
    }
    let ran = sandbox.run(&["explain", "notes.#.body", "--json"]).summary();
    assert_eq!(ran[0]["requests"], serde_json::json!(["account", "notes"]));
    assert_eq!(ran[0]["personal"], true);
    let ran = sandbox.run(&["explain", "customer.mobil"]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""));
    assert!(ran.err.contains("the nearest are customers.#.mobile, "), "{}", ran.err);
}

#[test]
fn the_smallest_account_is_valid() {
    let sandbox = Sandbox::new();
    let ran = sandbox.run(&["schema", "--minimal"]);
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
    sandbox.write("account.json", ran.out);
    assert_eq!(sandbox.run(&["validate", "account.json"]).code, Some(0));
    let ran = sandbox.run(&["schema", "notes", "--minimal"]);
    assert!(ran.out.contains("\"body\": \"body\""), "{}", ran.out);
}

/// Those of the client's own reports and the reasons of an undo included.
#[test]
fn every_code_that_is_shown_is_explained() {
    let sandbox = Sandbox::new();
    for code in cutover_core::Code::ALL {
        let ran = sandbox.run(&["explain", code.as_str()]);
        assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""), "{code}");
        assert!(ran.out.contains(code.detail()) && ran.out.contains(code.advice()), "{code}: {}", ran.out);
    }
}

#[test]
fn completions_are_printed_for_shells() {
    let sandbox = Sandbox::new();
    for (shell, part) in
        [("bash", "complete -F"), ("zsh", "#compdef cutover-client"), ("fish", "complete -c cutover-client")]
    {
        let ran = sandbox.run(&["completions", shell]);
        assert_eq!(ran.code, Some(0));
        assert!(ran.out.contains(part) && ran.out.contains("validate"), "{shell}");
    }
    assert_eq!(sandbox.run(&["completions", "cmd"]).code, Some(2));
}

#[test]
fn the_manual_has_a_page_for_every_command() {
    let sandbox = Sandbox::new();
    let ran = sandbox.run(&["man", "deep/man1"]);
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
    for command in [
        "",
        "-validate",
        "-upload",
        "-watch",
        "-report",
        "-status",
        "-explain",
        "-schema",
        "-completions",
        "-man",
    ] {
        let page = sandbox.read(&format!("deep/man1/cutover-client{command}.1"));
        assert!(page.contains(".TH cutover"), "{command}");
    }
    assert!(sandbox.read("deep/man1/cutover-client-validate.1").contains("130"));
    sandbox.write("file", "");
    assert_eq!(sandbox.run(&["man", "file"]).code, Some(2));
}
