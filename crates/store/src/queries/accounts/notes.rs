use super::super::schema::{note_documents, notes};
use super::super::types::{Bits, Timestamp};
use super::builder::{Builder, next, text};
use super::json::Members;
use super::rows::Tree;
use crate::error::Result;
use cutover_model::{Note, NoteDocument, Writer};
use diesel::prelude::*;
use std::borrow::Cow;

#[derive(Insertable, Queryable, Selectable)]
#[diesel(table_name = notes, treat_none_as_default_value = false)]
pub(super) struct NoteRow<'a> {
    account_id: i64,
    position: i64,
    body: Option<Cow<'a, str>>,
    content_hash: Bits,
    created_at: Timestamp,
    is_pinned: Option<bool>,
    unpin_at: Option<Timestamp>,
}

#[derive(Insertable, Queryable, Selectable)]
#[diesel(table_name = note_documents, treat_none_as_default_value = false)]
pub(super) struct NoteDocumentRow<'a> {
    account_id: i64,
    position: i64,
    pub(super) note: i64,
    document_path: Cow<'a, str>,
}

/// Equal for notes that may be duplicates of one another (decisions D8): those with the same body, or
/// without one with the same documents.
fn content_hash(note: &Note<'_>) -> Bits {
    let mut hasher = blake3::Hasher::new();
    match note.body.as_ref().filter(|body| !body.is_blank()) {
        Some(body) => {
            hasher.update(b"body\0").update(body.trimmed().as_bytes());
        }
        None => {
            for document in note.document_paths.iter().flatten() {
                // A path holds no NUL, so paths cannot run into one another.
                hasher.update(b"path\0").update(document.document_path.trimmed().as_bytes());
            }
        }
    }
    Bits(*hasher.finalize().as_bytes())
}

impl<'a> Builder<'a> {
    pub(super) fn notes(&mut self, notes: &'a [Note<'_>]) -> Result<()> {
        for note in notes {
            let position = next(&self.rows.notes);
            let row = NoteRow {
                account_id: self.account_id,
                position,
                body: note.body.as_ref().map(text),
                content_hash: content_hash(note),
                created_at: self.instant_if(note.created_at.as_ref())?.unwrap_or(self.imported_at),
                is_pinned: note.is_pinned,
                unpin_at: self.instant_if(note.unpin_at.as_ref())?,
            };
            self.rows.notes.push(row);
            self.note_documents(position, note.document_paths.as_deref().unwrap_or_default());
        }
        Ok(())
    }

    fn note_documents(&mut self, note: i64, documents: &'a [NoteDocument<'_>]) {
        for document in documents {
            self.rows.note_documents.push(NoteDocumentRow {
                account_id: self.account_id,
                position: next(&self.rows.note_documents),
                note,
                document_path: text(&document.document_path),
            });
        }
    }
}

impl NoteRow<'_> {
    pub(super) fn write(&self, tree: &Tree<'_>, writer: &mut Writer) {
        writer.set_if("body", &self.body);
        let documents = tree.documents.of(self.position);
        writer.list_if("document_paths", false, documents, |row, w| {
            w.set("document_path", &row.document_path);
        });
        writer.set("created_at", &self.created_at);
        writer.flag("is_pinned", self.is_pinned);
        writer.set_if("unpin_at", &self.unpin_at);
    }
}
