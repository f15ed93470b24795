use crate::env::{TestEnv, request};
use cutover_app::Step;
use cutover_app::additions::AddRefused;
use cutover_core::Code;

fn add(env: &TestEnv, notes: &[String]) -> Vec<String> {
    let added = env.app.add_notes(&env.caller, request("notes", notes).as_bytes(), None);
    let Step::Done(results) = added.unwrap() else { panic!("the supplier verifies no documents") };
    results.iter().map(|r| format!("{} {:?} {}", r.created_at, r.body, r.status)).collect()
}

/// The faults of a request that is refused.
fn faults(env: &TestEnv, body: &str) -> Vec<String> {
    match env.app.add_notes(&env.caller, body.as_bytes(), None) {
        Err(AddRefused::Faults(faults)) => faults.iter().map(|f| format!("{} {}", f.attr, f.code)).collect(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_note_is_added_once() {
    let env = TestEnv::with(
        r#""unknown_occupier":true,"notes":[{"body":"Old","created_at":"2026-01-01T12:00:00Z"}]"#,
    );
    let dated = |body, at| format!(r#"{{"body":"{body}","created_at":"2026-01-01T{at}"}}"#);
    let notes = [
        r#"{"body":" Old "}"#,
        &dated("Old", "22:00:00+10:00"),
        &dated("Old", "13:00:00Z"),
        r#"{"body":"New"}"#,
        r#"{"body":"New"}"#,
        r#"{"document_paths":[{"document_path":"a.pdf"},{"document_path":"b.pdf"}]}"#,
        r#"{"document_paths":[{"document_path":"a.pdf"},{"document_path":"b.pdf"}],"body":" "}"#,
        r#"{"document_paths":[{"document_path":"a.pdf"}]}"#,
    ]
    .map(str::to_owned);
    insta::assert_snapshot!(add(&env, &notes).join("\n"));
    let once = env.imported();
    assert_eq!(once.account.notes.as_ref().unwrap().len(), 5);
    let again = add(&env, &notes);
    assert!(again.iter().all(|line| line.ends_with(" NOTE_ALREADY_EXISTS")), "{again:?}");
    assert_eq!(env.imported(), once);
}

#[test]
fn notes_need_an_imported_account() {
    let env = TestEnv::new();
    let body = request("notes", &[r#"{"body":"N"}"#.to_owned()]);
    let refused = |body: &str| env.app.add_notes(&env.caller, body.as_bytes(), None).unwrap_err();
    let code = |refused| match refused {
        AddRefused::NotFound(code) => code,
        other => panic!("{other}"),
    };
    assert_eq!(code(refused(&body)), Code::ImportProcessDoesNotExist);
    assert_eq!(code(refused(&body.replace("ACME", "NOBODY"))), Code::ImportProcessDoesNotExist);
    env.create(r#""unknown_occupier":true"#);
    assert_eq!(code(refused(&body)), Code::AccountNotFound);
    // Errors of the request come first.
    let faulty = body.replace("\"body\"", "\"bodi\"").replace("ACME", "NOBODY");
    assert_eq!(
        faults(&env, &faulty),
        ["notes.0 note_body_or_document_path_not_found", "notes.0.bodi unknown_field"]
    );
}

#[test]
fn every_fault_is_reported_and_nothing_is_stored() {
    let env = TestEnv::with(r#""unknown_occupier":true"#);
    let notes = [
        r#"{"body":"Good"}"#,
        r#"{"created_at":"2025-01-01T00:00:00Z"}"#,
        r#"{"body":"B","created_at":"2025-02-01T00:00:00Z","unpin_at":"2025-01-31T23:59:59Z"}"#,
        r#"{"body":"B","document_paths":[{"document_path":"../out.txt"}],"typo":1}"#,
    ];
    assert_eq!(
        faults(&env, &request("notes", &notes.map(str::to_owned))),
        [
            "notes.1 note_body_or_document_path_not_found",
            "notes.2.unpin_at note_unpin_at_earlier_than_creation_date",
            "notes.3.document_paths.0.document_path invalid_document_path",
            "notes.3.typo unknown_field",
        ]
    );
    let many = vec![r#"{"body":"B"}"#.to_owned(); 1_001];
    assert_eq!(faults(&env, &request("notes", &many)), ["notes too_many_items"]);
    assert_eq!(
        faults(&env, r#"{"external_account_number": 7, "notes": []}"#),
        ["external_account_number invalid", "import_supplier required", "notes too_few_items"]
    );
    assert_eq!(env.imported().account.notes, None, "half a batch is never stored");
}
