//! A night that is handed over: timeline, notes and summary.
#![cfg(unix)]

use crate::harness::Installation;
use crate::payloads::small;
use serde_json::{Value, json};
use std::fs;

#[test]
fn a_night_is_handed_over_and_summed_up() {
    let (installation, _server, client) = Installation::with_accounts(&[small("A-1")]);
    installation.run_json(&["supplier", "hold", "ACME", "--because", "tariffs"]);
    installation.run_json(&["supplier", "note", "ACME", "wave 2 waits for the tariffs"]);
    let timeline = installation.run_json(&["supplier", "timeline", "ACME"]);
    let events = timeline.as_array().unwrap();
    let told = |event: &Value| (event["kind"].clone(), event["because"].clone(), event["text"].clone());
    assert_eq!(told(&events[0]), (json!("note"), Value::Null, json!("wave 2 waits for the tariffs")));
    assert_eq!(told(&events[1]), (json!("hold"), json!("tariffs"), json!("Held by an operator")));
    assert_eq!(events.last().unwrap()["kind"], "settings", "the supplier was added");
    let since = events[0]["at"].as_str().unwrap();
    let later = installation.run_json(&["supplier", "timeline", "ACME", "--since", since]);
    assert_eq!(later.as_array().unwrap().len(), 1);
    let one = installation.run_json(&["supplier", "timeline", "ACME", "--limit", "1"]);
    assert_eq!(one, later);

    let html = installation.path().join("acme.html").to_str().unwrap().to_owned();
    let summary = installation.run_json(&["supplier", "summary", "ACME", "--html", &html]);
    let progress = client.progress();
    assert_eq!(summary["imported"], progress["totals"]);
    let bars: u64 =
        summary["bars"].as_array().unwrap().iter().map(|bar| bar["imported"].as_u64().unwrap()).sum();
    assert_eq!((bars, &summary["forced_releases"]), (1, &json!([])));
    let page = fs::read_to_string(&html).unwrap();
    assert!(page.contains("<svg class=\"bars\"") && !page.contains("<script"), "{page}");
    let again = installation.run_refused(&["supplier", "summary", "ACME", "--html", &html]);
    assert!(again.contains("exists already"), "{again}");
    let text = installation.run(&["supplier", "summary", "ACME"]);
    let text = String::from_utf8(text.stdout).unwrap();
    assert!(text.contains("1 imported") && text.contains("ledger balance"), "{text}");
    for command in ["timeline", "summary"] {
        assert!(installation.run_refused(&["supplier", command, "NOBODY"]).contains("NOBODY"));
    }
}
