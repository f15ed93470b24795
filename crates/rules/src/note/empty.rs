use crate::prelude::*;

/// A note with neither a body nor documents.
pub(super) const NOT_01: Rule = Rule {
    id: RuleId("NOT-01"),
    codes: &[Code::NoteBodyOrDocumentPathNotFound],
    place: "`notes.#`",
    condition: "`body` absent (blank counts as absent), and `document_paths` absent or empty",
    on: On::Note(check),
    ..Rule::OF_PAYLOAD
};

fn check(note: &Note<'_>, at: &At<'_>, checker: &mut Checker<'_>) {
    if note.body.is_absent() && is_absent_or_empty(&note.document_paths) {
        checker.report(*at, Code::NoteBodyOrDocumentPathNotFound);
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::*;

    #[test]
    fn a_note_has_a_body_or_documents() {
        for note in
            [json!({}), json!({"body": "\n"}), json!({"document_paths": []}), json!({"is_pinned": true})]
        {
            let found = run("NOT-01", json!({"notes": [{"body": "x"}, note]}));
            assert_eq!(found, ["notes.1 note_body_or_document_path_not_found (error)"]);
        }
        for note in [
            json!({"body": 7}),
            json!({"body": null}),
            json!({"document_paths": "a.pdf"}),
            json!({"document_paths": [null]}),
            json!({"document_paths": [{}]}),
            json!(null),
        ] {
            assert_eq!(run("NOT-01", json!({"notes": [note]})), [""; 0]);
        }
    }
}
