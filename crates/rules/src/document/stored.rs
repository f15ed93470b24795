use crate::DocumentState;
use crate::prelude::*;

/// A document that does not exist in the storage.
pub(super) const DOC_02: Rule = Rule {
    id: RuleId("DOC-02"),
    codes: &[Code::PathDoesNotExistInFileStore],
    place: "`notes.#.document_paths.#.document_path`, `statements.#.statement_path`",
    condition: "no such object under the supplier's root; only where the supplier has `verify_documents`",
    on: On::Several(&[On::Note(note_exists), On::Statement(statement_exists)]),
    ..Rule::OF_SERVICE
};

/// A statement that is not a PDF.
pub(super) const DOC_03: Rule = Rule {
    id: RuleId("DOC-03"),
    codes: &[Code::DocumentNotPdf],
    place: "`statements.#.statement_path`",
    condition: "the object does not begin as a PDF does; only where the supplier has `verify_documents`",
    on: On::Statement(statement_is_pdf),
    ..Rule::OF_SERVICE
};

fn note_exists(note: &Note<'_>, at: &At<'_>, checker: &mut Checker<'_>) {
    if checker.facts.documents.is_some() {
        items(&note.document_paths, "document_paths", at, |document, at| {
            exists(&document.document_path, at.member("document_path"), checker);
        });
    }
}

fn statement_exists(statement: &Statement<'_, '_>, at: &At<'_>, checker: &mut Checker<'_>) {
    exists(statement.statement_path, at.member("statement_path"), checker);
}

fn exists(path: &Field<Text<'_>>, at: At<'_>, checker: &mut Checker<'_>) {
    if state(path, checker) == Some(DocumentState::Missing) {
        checker.report(at, Code::PathDoesNotExistInFileStore);
    }
}

fn statement_is_pdf(statement: &Statement<'_, '_>, at: &At<'_>, checker: &mut Checker<'_>) {
    if state(statement.statement_path, checker) == Some(DocumentState::Present) {
        checker.report(at.member("statement_path"), Code::DocumentNotPdf);
    }
}

/// Returns the state of the document, if it was looked up.
fn state(path: &Field<Text<'_>>, checker: &Checker<'_>) -> Option<DocumentState> {
    checker.facts.documents?.get(stored_path(path)?).copied()
}

#[cfg(test)]
mod tests {
    use crate::DocumentState;
    use crate::testing::*;
    use std::collections::HashMap;

    /// Runs a check with the facts of a storage that holds a text and a PDF.
    fn with_documents<T>(check: impl FnOnce(Facts<'_>) -> T) -> T {
        let documents = [
            ("a/text", DocumentState::Present),
            ("a/b.pdf", DocumentState::Pdf),
            ("gone.pdf", DocumentState::Missing),
            ("../out", DocumentState::Missing),
        ];
        let documents = HashMap::from(documents.map(|(path, state)| (path.to_owned(), state)));
        check(Facts { documents: Some(&documents), ..facts() })
    }

    fn account(path: Value) -> Value {
        json!({
            "notes": [{}, {"document_paths": [{}, {"document_path": path}]}],
            "statements": [{"statement_path": path}],
        })
    }

    #[test]
    fn missing_documents_are_reported() {
        let found = |path| with_documents(|facts| run_with("DOC-02", account(path), facts));
        let places = ["notes.1.document_paths.1.document_path", "statements.0.statement_path"];
        let missing = places.map(|place| format!("{place} path_does_not_exist_in_file_store (error)"));
        for path in ["gone.pdf", " /gone.pdf\n"] {
            assert_eq!(found(json!(path)), missing);
        }
        for path in ["a/b.pdf", "/a/b.pdf", "a/text", "not/asked", "//gone.pdf", "../out", ""] {
            assert_eq!(found(json!(path)), [""; 0], "{path}");
        }
        assert_eq!(found(json!(7)), [""; 0]);
    }

    #[test]
    fn statements_that_are_not_pdfs_are_reported() {
        let found = |path: &str| with_documents(|facts| run_with("DOC-03", account(json!(path)), facts));
        assert_eq!(found("/a/text "), ["statements.0.statement_path document_not_pdf (error)"]);
        for path in ["a/b.pdf", "gone.pdf", "not/asked", "../out"] {
            assert_eq!(found(path), [""; 0], "{path}");
        }
    }

    #[test]
    fn requests_after_the_import_are_checked() {
        let notes = json!({"notes": [{"document_paths": [{"document_path": "gone.pdf"}]}]});
        assert_eq!(
            with_documents(|facts| run_notes("DOC-02", notes, facts)),
            ["notes.0.document_paths.0.document_path path_does_not_exist_in_file_store (error)"]
        );
        let statements =
            json!({"statements": [{"statement_path": "gone.pdf"}, {"statement_path": "a/text"}]});
        assert_eq!(
            with_documents(|facts| run_statements("DOC-02", &statements, facts)),
            ["statements.0.statement_path path_does_not_exist_in_file_store (error)"]
        );
        assert_eq!(
            with_documents(|facts| run_statements("DOC-03", &statements, facts)),
            ["statements.1.statement_path document_not_pdf (error)"]
        );
    }

    #[test]
    fn silent_if_documents_were_not_looked_up() {
        for id in ["DOC-02", "DOC-03"] {
            assert_eq!(run_with(id, account(json!("gone.pdf")), facts()), [""; 0]);
        }
    }
}
