use crate::prelude::*;

/// A document path that is not safe.
pub(super) const DOC_01: Rule = Rule {
    id: RuleId("DOC-01"),
    codes: &[Code::InvalidDocumentPath],
    place: "`notes.#.document_paths.#.document_path`, `statements.#.statement_path`",
    condition: "not a [safe relative path](#105-document-paths)",
    fixed: true,
    on: On::Several(&[On::Note(note), On::Statement(statement)]),
    ..Rule::OF_PAYLOAD
};

fn note(note: &Note<'_>, at: &At<'_>, checker: &mut Checker<'_>) {
    items(&note.document_paths, "document_paths", at, |document, at| {
        check(&document.document_path, "document_path", at, checker);
    });
}

fn statement(statement: &Statement<'_, '_>, at: &At<'_>, checker: &mut Checker<'_>) {
    check(statement.statement_path, "statement_path", at, checker);
}

fn check(path: &Field<Text<'_>>, name: &'static str, at: &At<'_>, checker: &mut Checker<'_>) {
    if path.usable().is_some_and(|path| !is_document_path(path.trimmed())) {
        checker.report(at.member(name), Code::InvalidDocumentPath);
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::*;

    fn found(path: Value) -> Vec<String> {
        run(
            "DOC-01",
            json!({
                "notes": [{}, {"document_paths": [{}, {"document_path": path}]}],
                "statements": [{"statement_path": path}],
            }),
        )
    }

    #[test]
    fn paths_out_of_the_root_are_reported() {
        let places = ["notes.1.document_paths.1.document_path", "statements.0.statement_path"];
        let expected = places.map(|place| format!("{place} invalid_document_path (error)"));
        for path in ["../a.pdf", "a//b", "/", "file:///a", "a/%2E%2e/b"] {
            assert_eq!(found(json!(path)), expected);
        }
        for path in [json!("\n/a/b.pdf\t"), json!(""), json!(7), json!(null), json!("../".repeat(400))] {
            assert_eq!(found(path), [""; 0]);
        }
    }

    #[test]
    fn requests_after_the_import_are_checked() {
        let notes = json!({"notes": [{"document_paths": [{"document_path": "/a/../b"}]}]});
        assert_eq!(
            run_notes("DOC-01", notes, facts()),
            ["notes.0.document_paths.0.document_path invalid_document_path (error)"]
        );
        let statements = json!({"statements": [{"statement_path": "a.pdf"}, {"statement_path": "a.pdf/"}]});
        assert_eq!(
            run_statements("DOC-01", statements, facts()),
            ["statements.1.statement_path invalid_document_path (error)"]
        );
    }
}
