//! Usage, completions and the manual.

use crate::harness::{Site, account};

#[test]
fn usage_is_answered_with_2() {
    let site = Site::new();
    site.write("a.json", account("N-1"));
    site.write("empty/readme.txt", "");
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
        let ran = site.run(arguments);
        assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{arguments:?}: {}", ran.err);
        assert!(ran.err.starts_with("error: "), "{arguments:?}: {}", ran.err);
    }
    assert_eq!(site.run(&["--help"]).code, Some(0));
    assert_eq!(site.run(&["--version"]).code, Some(0));
}

#[test]
fn the_time_is_the_systems_unless_another_is_said() {
    let site = Site::new();
    site.write("a.json", account("N-1"));
    // The fixtures lie before 2026, so the time of the system gives no fault, and a time before them does.
    assert_eq!(site.run(&["validate", "a.json"]).code, Some(0));
    assert_eq!(site.run(&["validate", "a.json", "--now", "1999-01-01T00:00:00+11:00"]).code, Some(1));
}

#[test]
fn shells_get_completions() {
    let site = Site::new();
    for (shell, part) in
        [("bash", "complete -F"), ("zsh", "#compdef cutover-client"), ("fish", "complete -c cutover-client")]
    {
        let ran = site.run(&["completions", shell]);
        assert_eq!(ran.code, Some(0));
        assert!(ran.out.contains(part) && ran.out.contains("validate"), "{shell}");
    }
    assert_eq!(site.run(&["completions", "cmd"]).code, Some(2));
}

#[test]
fn the_manual_has_a_page_for_every_command() {
    let site = Site::new();
    let ran = site.run(&["man", "deep/man1"]);
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
    for command in
        ["", "-validate", "-upload", "-watch", "-report", "-status", "-schema", "-completions", "-man"]
    {
        let page = site.read(&format!("deep/man1/cutover-client{command}.1"));
        assert!(page.contains(".TH cutover"), "{command}");
    }
    assert!(site.read("deep/man1/cutover-client-validate.1").contains("130"));
    site.write("file", "");
    assert_eq!(site.run(&["man", "file"]).code, Some(2));
}
