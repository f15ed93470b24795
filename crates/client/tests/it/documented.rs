//! The commands of the manual are ones.
#![cfg(unix)]

use crate::harness::{NOW, Site, account, line};
use std::path::Path;

#[test]
fn every_command_of_the_page_runs() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/client.md");
    let page = std::fs::read_to_string(page).unwrap();
    let commands: Vec<&str> =
        page.lines().filter_map(|line| line.strip_prefix("$ cutover-client ")).collect();
    assert_eq!(commands.len(), 4, "{commands:?}");
    let site = Site::new();
    site.write("exports/a.ndjson", account("N-1"));
    site.write("exports/b.json", line("faulty/PIN-01-same-type-twice"));
    site.write(
        "acme.json",
        r#"{"code": "ACME", "time_zone": "Australia/Melbourne", "rules": {"PIN-01": "off"}}"#,
    );
    let mut codes = Vec::new();
    for command in commands {
        let now = if command.starts_with("validate") { format!(" --now {NOW}") } else { String::new() };
        let program = Path::new(env!("CARGO_BIN_EXE_cutover-client"));
        let script = format!("'{}' {command}{now}", program.display());
        let ran = site.shell(&script);
        assert_eq!(ran.err, "", "{command}");
        codes.push(ran.code);
    }
    assert_eq!(codes, [Some(1), Some(0), Some(0), Some(0)]);
    for made in ["findings.html", "findings.csv", "cutover-client.bash", "man1/cutover-client.1"] {
        assert!(!site.read(made).is_empty(), "{made}");
    }
}
