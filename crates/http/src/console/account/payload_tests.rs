use super::mask::Mask;
use super::payload::{Kind, Mark, Payload, marks};
use super::value::Value;
use cutover_app::port::StoredIssue;
use cutover_core::IssueSource;

fn issue(attr: &str) -> StoredIssue {
    StoredIssue { attr: attr.into(), code: "required".into(), ..StoredIssue::default() }
}

/// Returns the payload as text, with the faults after their lines.
fn shown(json: &str, paths: &[&str], mask: Mask) -> String {
    let errors: Vec<_> = paths.iter().map(|path| issue(path)).collect();
    let payload = Payload::new(&Value::read(json).unwrap(), &marks(&errors, &[]), mask);
    let line = |line: &super::payload::Line| {
        let text = if line.kind == Kind::Masked { "hidden" } else { &line.text };
        let marks: Vec<_> = line.marks.iter().map(|mark| format!(" <- {}", mark.id)).collect();
        let name = line.name.as_deref().unwrap_or_default();
        format!("{}{name}{text}{}{}", line.indent, line.end, marks.concat())
    };
    payload.lines.iter().map(line).collect::<Vec<_>>().join("\n")
}

#[test]
fn faults_are_marked_at_their_members() {
    let json = r#"{"customers":[{"given_name":"Ada","email":null}],"ledgers":[{"ledger_balance":1.10}]}"#;
    let paths = ["customers.0.email", "customers.0.family_name", "ledgers.0.ledger_balance", "notes"];
    insta::assert_snapshot!(shown(json, &paths, Mask::Personal));
    assert!(shown(json, &[], Mask::Nothing).contains("\"given_name\": \"Ada\""));
}

/// Operators see which document is missing. A fault of what is not the document itself shows nothing.
#[test]
fn a_document_is_shown_at_its_fault() {
    let json = r#"{"notes":[{"body":"Jo","document_paths":[{"document_path":"a.pdf"},{"document_path":"b.pdf"}]},
        {"document_paths":"jo.pdf"}]}"#;
    let paths =
        ["notes.0.document_paths.1.document_path", "notes.0.body", "notes.1.document_paths.0.document_path"];
    let shown = shown(json, &paths, Mask::Personal);
    assert!(shown.contains(r#""document_path": "b.pdf" <- error-0"#), "{shown}");
    assert!(shown.contains(r#""document_paths": hidden <- error-2"#), "{shown}");
    assert!(!shown.contains("a.pdf") && !shown.contains("jo.pdf") && !shown.contains("Jo"), "{shown}");
}

#[test]
fn long_lists_show_their_items_with_faults() {
    let items: Vec<_> = (0..50).map(|n| format!("{{\"ledger_balance\":{n}}}")).collect();
    let json = format!("{{\"ledgers\":[{}],\"events\":[1,2,3,4]}}", items.join(","));
    insta::assert_snapshot!(shown(
        &json,
        &["ledgers.7.ledger_balance", "ledgers.9", "ledgers.77"],
        Mask::Personal
    ));
}

#[test]
fn paths_of_an_envelope_begin_inside_of_the_account() {
    let json = r#"{"payload":{"sales_channel":"A","customers":[]},
        "task_params":{"is_dry_run":true,"surprise":"x"},"other":1}"#;
    let paths = ["sales_channel", "task_params.is_dry_run", "task_params.schedule_window_end"];
    insta::assert_snapshot!(shown(json, &paths, Mask::Personal));
    let missing = shown(r#"{"task_params":null}"#, &["payload"], Mask::Personal);
    assert!(missing.starts_with("{ <- error-0\n"), "{missing}");
}

#[test]
fn a_payload_of_any_size_has_a_bounded_number_of_lines() {
    let items: Vec<_> = (0..5_000).map(|n| format!("{{\"ledger_balance\":{n}}}")).collect();
    let json = format!("{{\"ledgers\":[{}]}}", items.join(","));
    let errors: Vec<_> = (0..5_000).map(|n| issue(&format!("ledgers.{n}.ledger_balance"))).collect();
    let payload = Payload::new(&Value::read(&json).unwrap(), &marks(&errors, &[]), Mask::Personal);
    assert_eq!((payload.lines.len(), payload.is_cut), (super::payload::MAX_LINES, true));
    assert!(payload.anchor("error-7").is_some() && payload.anchor("error-4999").is_none());
    let long = format!("{{\"sales_channel\":\"{}\"}}", "é".repeat(100_000));
    assert!(shown(&long, &[], Mask::Personal).len() < 1_000);
    let members: Vec<_> = (0..1_900).map(|n| format!("\"m{n}\":\"{}\"", "é".repeat(200))).collect();
    let payload =
        Payload::new(&Value::read(&format!("{{{}}}", members.join(","))).unwrap(), &[], Mask::Nothing);
    assert!(payload.is_cut && payload.lines.len() < 1_000, "{}", payload.lines.len());
}

#[test]
fn warnings_of_later_requests_are_not_about_the_payload() {
    let later = StoredIssue { source: IssueSource::Notes.into(), ..issue("notes.0") };
    let warnings = [later, issue("notes")];
    let marked: Vec<Mark> = marks(&[], &warnings).into_iter().map(|(_, mark)| mark).collect();
    assert_eq!(marked, [Mark { id: "warning-1".into(), code: "required".into(), is_error: false }]);
}
