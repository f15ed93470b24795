use super::StoreError;
use chrono::{DateTime, Utc};
use cutover_model::Note;
use cutover_model::service::NoteIdentity;

/// What makes a note the same as another but for its time (contract D8): its identity,
/// hashed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct NoteContent([u8; 32]);

impl NoteContent {
    /// Of a note.
    pub fn of(note: &Note<'_>) -> Self {
        let mut hasher = blake3::Hasher::new();
        match NoteIdentity::of(note) {
            NoteIdentity::Body(body) => {
                hasher.update(b"body\0").update(body.as_bytes());
            }
            // A path holds no NUL, so paths cannot run into one another.
            NoteIdentity::Documents(paths) => paths.into_iter().for_each(|path| {
                hasher.update(b"path\0").update(path.as_bytes());
            }),
        }
        Self(*hasher.finalize().as_bytes())
    }

    /// The hash.
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

/// A note to be added to an imported account.
#[derive(Debug, Clone, PartialEq)]
pub struct NewNote {
    /// Its body, documents and pin, as sent; its times are below.
    pub note: Note<'static>,
    /// When it was written; the time of the call if nothing was sent.
    pub created_at: DateTime<Utc>,
    /// When the pin ends.
    pub unpin_at: Option<DateTime<Utc>>,
}

/// Notes of imported accounts. What a call costs does not depend on how many an account has.
pub trait Notes {
    /// When the account's note of this content was created: of this time if one is given, else the
    /// oldest; `None` if there is no such note.
    fn find_note(
        &mut self,
        account_id: i64,
        content: NoteContent,
        created_at: Option<DateTime<Utc>>,
    ) -> Result<Option<DateTime<Utc>>, StoreError>;

    /// Adds a note behind the others.
    fn add_note(&mut self, account_id: i64, note: &NewNote) -> Result<(), StoreError>;
}
