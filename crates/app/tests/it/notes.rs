use crate::env::{TestEnv, request};
use cutover_app::Step;
use cutover_app::additions::AddRefused;
use cutover_core::Code;

fn add(env: &TestEnv, notes: &[&str]) -> Vec<String> {
    let notes: Vec<String> = notes.iter().map(|note| (*note).to_owned()).collect();
    let added = env.app.add_notes(&env.caller, request("notes", &notes).as_bytes(), None);
    let Step::Done(results) = added.unwrap() else { panic!("the supplier verifies no documents") };
    results.iter().map(|r| format!("{} {:?} {}", r.created_at, r.body, r.status)).collect()
}

#[test]
fn a_note_is_added_once() {
    let env = TestEnv::with(
        r#""unknown_occupier":true,"notes":[{"body":"Old","created_at":"2026-01-01T12:00:00Z"}]"#,
    );
    let dated = |body, at| format!(r#"{{"body":"{body}","created_at":"2026-01-01T{at}"}}"#);
    let results = add(
        &env,
        &[
            r#"{"body":" Old "}"#,
            &dated("Old", "22:00:00+10:00"),
            &dated("Old", "13:00:00Z"),
            r#"{"body":"New"}"#,
            r#"{"body":"New"}"#,
            r#"{"document_paths":[{"document_path":"a.pdf"},{"document_path":"b.pdf"}]}"#,
            r#"{"document_paths":[{"document_path":"a.pdf"},{"document_path":"b.pdf"}],"body":" "}"#,
            r#"{"document_paths":[{"document_path":"a.pdf"}]}"#,
        ],
    );
    insta::assert_snapshot!(results.join("\n"));
    assert_eq!(env.imported().account.notes.unwrap().len(), 5);
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
    let faulty = body.replace("\"body\"", "\"bodi\"").replace("ACME", "NOBODY");
    let AddRefused::Faults(faults) = refused(&faulty) else { panic!("errors of the request come first") };
    let faults: Vec<String> = faults.iter().map(|f| format!("{} {}", f.attr, f.code)).collect();
    assert_eq!(faults, ["notes.0 note_body_or_document_path_not_found", "notes.0.bodi unknown_field"]);
}
