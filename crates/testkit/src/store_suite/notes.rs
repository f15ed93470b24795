//! Notes after the import.

use super::helpers::{at, put, see, supplier};
use super::imported::{decided, import, seen};
use super::kept::{comparable, difference};
use chrono::{DateTime, Utc};
use cutover_app::port::{NewAccount, NewNote, NoteContent, Store};
use cutover_core::Zone;
use cutover_model::{Note, NoteDocument};

fn note(body: Option<&str>, paths: &[&str]) -> Note<'static> {
    let document = |path: &&str| NoteDocument { document_path: (*path).to_owned().into() };
    Note {
        body: body.map(|body| body.to_owned().into()),
        document_paths: (!paths.is_empty()).then(|| paths.iter().map(document).collect()),
        created_at: None,
        is_pinned: None,
        unpin_at: None,
    }
}

fn of_body(body: &str) -> Note<'static> {
    note(Some(body), &[])
}

fn add(store: &dyn Store, to: &NewAccount, note: Note<'static>, created_at: DateTime<Utc>) {
    add_new(store, to, NewNote { note, created_at, unpin_at: None });
}

fn add_new(store: &dyn Store, to: &NewAccount, new: NewNote) {
    let id = to.process_id;
    put(store, move |tx| tx.add_note(id, &new));
}

fn find(
    store: &dyn Store,
    of: &NewAccount,
    note: &Note<'_>,
    created_at: Option<DateTime<Utc>>,
) -> Option<DateTime<Utc>> {
    see(store, |tx| tx.find_note(of.process_id, NoteContent::of(note), created_at))
}

/// Notes of the payload and added ones are found, with a given time or with any.
pub fn notes_are_found_by_their_content(store: &dyn Store) {
    let acme = supplier(store, "ACME");
    let notes = r#""notes":[{"body":" Hello\n","created_at":"2026-07-01 10:00"},{"body":"Undated"}]"#;
    let (account, other) = (import(store, &acme, 1, notes), import(store, &acme, 2, r#""ledgers":[{}]"#));
    add(store, &account, of_body("Later "), at(2_000));
    let noon: DateTime<Utc> = "2026-07-01T00:00:00Z".parse().unwrap();
    for (body, time) in [("Hello", noon), ("Undated", account.imported_at), ("Later", at(2_000))] {
        let sought = of_body(body);
        assert_eq!(find(store, &account, &sought, None), Some(time), "{body}");
        assert_eq!(find(store, &account, &sought, Some(time)), Some(time), "{body}");
        assert_eq!(find(store, &account, &sought, Some(at(9_999))), None, "{body}");
        assert_eq!(find(store, &other, &sought, None), None, "{body}");
    }
    assert_eq!(find(store, &account, &of_body("hello"), None), None);
}

/// The oldest is found by its time, independently of the order of addition; a given time selects its note.
pub fn the_oldest_of_several_notes_is_found(store: &dyn Store) {
    let acme = supplier(store, "ACME");
    let account = import(store, &acme, 1, r#""notes":[{"body":"Again"}]"#);
    let again = of_body("Again");
    for seconds in [5_000, 200, 8_000] {
        add(store, &account, again.clone(), at(seconds));
    }
    assert_eq!(find(store, &account, &again, None), Some(at(200)));
    for seconds in [200, 1_000, 5_000, 8_000] {
        assert_eq!(find(store, &account, &again, Some(at(seconds))), Some(at(seconds)));
    }
    assert_eq!(find(store, &account, &again, Some(at(300))), None);
}

/// They are found by all paths in order; a note with a body is found by its body.
pub fn notes_of_documents_alone_are_found_by_their_paths(store: &dyn Store) {
    let acme = supplier(store, "ACME");
    let sent = r#""notes":[{"document_paths":[{"document_path":"a/1.pdf"},{"document_path":" a/2.pdf"}]}]"#;
    let account = import(store, &acme, 1, sent);
    add(store, &account, note(Some(" "), &["b.pdf"]), at(2_000));
    add(store, &account, note(Some("Body"), &["c.pdf"]), at(3_000));
    let found = |body, paths: &[&str]| find(store, &account, &note(body, paths), None);
    assert_eq!(found(None, &["a/1.pdf", "a/2.pdf"]), Some(account.imported_at));
    assert_eq!(found(None, &["b.pdf"]), Some(at(2_000)));
    assert_eq!(found(Some("Body"), &[]), Some(at(3_000)));
    for paths in [&["a/2.pdf", "a/1.pdf"][..], &["a/1.pdf"], &["a/1.pdfa/2.pdf"], &["c.pdf"], &[]] {
        assert_eq!(found(None, paths), None, "{paths:?}");
    }
}

/// Added notes follow those of the payload in the order of addition, complete and with their times.
pub fn added_notes_read_back_in_order(store: &dyn Store) {
    let acme = supplier(store, "ACME");
    let notes = r#""notes":[{"body":"First","created_at":"2026-12-01T00:00:00Z"}]"#;
    let (account, other) = (import(store, &acme, 1, notes), import(store, &acme, 2, notes));
    let pinned = Note {
        // The time of the note is the separate argument.
        created_at: Some(cutover_model::DateTime::at(at(1), Zone::UTC)),
        is_pinned: Some(true),
        ..note(Some("Third \"é\u{1F600}\"\n"), &["d/1.pdf", "d/2.pdf"])
    };
    add(store, &account, of_body("Second"), at(5_000));
    add_new(store, &account, NewNote { note: pinned.clone(), created_at: at(90), unpin_at: Some(at(9_000)) });
    add(store, &account, note(None, &["e.pdf"]), at(3_000));

    let at_utc = |seconds| Some(cutover_model::DateTime::at(at(seconds), Zone::UTC));
    let mut expected = decided(&account);
    expected.notes.as_mut().unwrap().extend([
        Note { created_at: at_utc(5_000), ..of_body("Second") },
        Note { created_at: at_utc(90), unpin_at: at_utc(9_000), ..pinned },
        Note { created_at: at_utc(3_000), ..note(None, &["e.pdf"]) },
    ]);
    let (kept, expected) =
        (comparable(&seen(store, &account).account, Zone::UTC), comparable(&expected, account.zone));
    assert_eq!(difference(&kept, &expected), None);
    assert_eq!(seen(store, &other).account.notes.unwrap().len(), 1);
}
