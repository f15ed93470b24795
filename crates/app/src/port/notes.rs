use super::StoreError;
use chrono::{DateTime, Utc};
use cutover_model::Note;
use cutover_model::service::NoteIdentity;

/// Hash of a note's identity without its time (contract D8).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct NoteContent([u8; 32]);

impl NoteContent {
    /// Hashes the identity of a note.
    pub fn of(note: &Note<'_>) -> Self {
        let mut hasher = blake3::Hasher::new();
        match NoteIdentity::of(note) {
            NoteIdentity::Body(body) => {
                hasher.update(b"body\0").update(body.as_bytes());
            }
            // A path contains no NUL, so the list of paths is unambiguous.
            NoteIdentity::Documents(paths) => paths.into_iter().for_each(|path| {
                hasher.update(b"path\0").update(path.as_bytes());
            }),
        }
        Self(*hasher.finalize().as_bytes())
    }

    /// Returns the hash.
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

/// A note to be added to an imported account.
#[derive(Debug, Clone, PartialEq)]
pub struct NewNote {
    /// Its body, documents and pin, as sent.
    pub note: Note<'static>,
    /// Time at which it was written, or of the call if none was sent.
    pub created_at: DateTime<Utc>,
    /// Time at which the pin ends.
    pub unpin_at: Option<DateTime<Utc>>,
}

/// Queries of notes of imported accounts. The cost of a call does not depend on their number.
pub trait Notes {
    /// Returns the time of the account's note with this content and, if given, this time. The oldest counts,
    /// if there are several.
    fn find_note(
        &mut self,
        account_id: i64,
        content: NoteContent,
        created_at: Option<DateTime<Utc>>,
    ) -> Result<Option<DateTime<Utc>>, StoreError>;

    /// Appends a note.
    fn add_note(&mut self, account_id: i64, note: &NewNote) -> Result<(), StoreError>;
}
