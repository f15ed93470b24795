use super::super::schema::{note_documents, notes};
use super::super::types::{Bits, Timestamp};
use super::builder::{Builder, next, text};
use super::json::Members;
use super::rows::Tree;
use crate::error::Result;
use cutover_app::port::NoteContent;
use cutover_model::{Note, Writer};
use diesel::prelude::*;
use std::borrow::Cow;

row! {
    #[derive(Insertable, Queryable, Selectable)]
    #[diesel(table_name = notes, treat_none_as_default_value = false)]
    pub(super) struct NoteRow<'a> {
        pub(super) account_id: i64,
        position: i64,
        body: Option<Cow<'a, str>>,
        content_hash: Bits,
        created_at: Timestamp,
        is_pinned: Option<bool>,
        unpin_at: Option<Timestamp>,
    }
}

row! {
    #[derive(Insertable, Queryable, Selectable)]
    #[diesel(table_name = note_documents, treat_none_as_default_value = false)]
    pub(super) struct NoteDocumentRow<'a> {
        pub(super) account_id: i64,
        pub(super) note: i64,
        position: i64,
        document_path: Cow<'a, str>,
    }
}

impl<'a> Builder<'a> {
    /// A note without a creation time gets the time of the import.
    pub(super) fn notes(&mut self, notes: &'a [Note<'_>], imported_at: Timestamp) -> Result<()> {
        for note in notes {
            let created_at = self.instant_if(note.created_at.as_ref())?.unwrap_or(imported_at);
            let unpin_at = self.instant_if(note.unpin_at.as_ref())?;
            self.note(next(&self.rows.notes), note, created_at, unpin_at);
        }
        Ok(())
    }

    pub(super) fn note(
        &mut self,
        position: i64,
        note: &'a Note<'_>,
        created_at: Timestamp,
        unpin_at: Option<Timestamp>,
    ) {
        self.rows.notes.push(NoteRow {
            account_id: self.account_id,
            position,
            body: note.body.as_ref().map(text),
            content_hash: Bits(*NoteContent::of(note).as_bytes()),
            created_at,
            is_pinned: note.is_pinned,
            unpin_at,
        });
        for (place, document) in (0..).zip(note.document_paths.as_deref().unwrap_or_default()) {
            self.rows.note_documents.push(NoteDocumentRow {
                account_id: self.account_id,
                note: position,
                position: place,
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
