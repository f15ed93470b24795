use crate::harness::{Installation, text};
use serde_json::json;

#[test]
fn organisations_keys_and_suppliers() {
    let installation = Installation::new();
    installation.run_json(&["organisation", "add", "Acme"]);
    assert!(installation.run_refused(&["organisation", "add", "Acme"]).contains("Acme"));
    assert!(
        installation.run_refused(&["supplier", "add", "A", "--organisation", "Nobody"]).contains("Nobody")
    );
    for bad in ["validate", "a b", ""] {
        assert_ne!(
            installation.run(&["supplier", "add", bad, "--organisation", "Acme"]).status.code(),
            Some(0),
            "{bad}"
        );
    }
    installation.run_json(&[
        "supplier",
        "add",
        "A",
        "--organisation",
        "Acme",
        "--max-concurrent-imports",
        "3",
    ]);
    assert!(installation.run_refused(&["supplier", "add", "A", "--organisation", "Acme"]).contains('A'));
    let changed = installation.run_json(&[
        "supplier",
        "set",
        "A",
        "--time-zone",
        "Australia/Perth",
        "--verify-documents",
        "true",
        "--max-concurrent-imports",
        "none",
        "--rule",
        "PIN-01=warning",
        "--status",
        "paused",
    ]);
    let shown = installation.run_json(&["supplier", "show", "A"]);
    assert_eq!(changed["code"], "A");
    assert_eq!(shown["status"], "Paused");
    assert_eq!(shown["time_zone"], "Australia/Perth");
    assert_eq!(shown["verify_documents"], true);
    assert_eq!(shown["document_root"], "/A");
    assert_eq!(shown["max_concurrent_imports"], json!(null));
    assert!(installation.run_refused(&["supplier", "set", "A", "--rule", "XYZ-01=off"]).contains("XYZ-01"));
    let issued = installation.run_json(&["api-key", "issue", "--organisation", "Acme"]);
    assert!(text(&issued["api_key"]).starts_with("cut_live_"));
    assert!(text(&issued["api_key"]).starts_with(&text(&issued["prefix"])));
    assert_eq!(issued["role"], "supplier");
    let listed = installation.run_json(&["api-key", "list"]).to_string();
    assert!(!listed.contains(&text(&issued["api_key"])));
}

#[test]
fn wrong_arguments_and_settings_are_named() {
    let installation = Installation::new();
    for (args, named) in [
        (&["frobnicate"][..], "frobnicate"),
        (&["supplier", "set", "A", "--dry-run", "maybe"], "maybe"),
        (&["serve", "--listen", "nowhere"], "listen"),
        (&["serve", "--rate-limit=-1"], "rate-limit"),
        (&["serve", "--tls-cert", "/nowhere.pem"], "tls"),
        (&["organisation", "list", "--database-url", "mysql://x"], "database-url"),
        (&["process", "list", "NOBODY"], "NOBODY"),
    ] {
        let output = installation.run(args);
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && stderr.contains(named), "{args:?}: {stderr}");
        assert!(!stderr.contains("panicked") && !stderr.contains("RUST_BACKTRACE"), "{stderr}");
    }
}

#[test]
fn migrations_and_the_doctor() {
    let installation = Installation::new();
    installation.run_json(&["migrate"]);
    let status = installation.run_json(&["migrate", "--status"]);
    assert!(!status.to_string().contains("\"pending\":true"), "{status}");
    assert_eq!(installation.failed_checks(), [""; 0]);
}
