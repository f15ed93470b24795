use super::State;
use super::accounts::Imported;
use chrono::{DateTime, Utc};
use cutover_app::port::{NewNote, NoteContent, Notes, StoreError};

impl Imported {
    /// Creation times of the notes with a content, in the payload and added.
    fn times_of_notes(&self, content: NoteContent) -> impl Iterator<Item = DateTime<Utc>> {
        let sent = self.new.account.notes.iter().flatten().filter(move |n| NoteContent::of(n) == content);
        let sent = sent.filter_map(|note| note.created_at.as_ref()?.instant(self.new.zone));
        let added = self.notes.iter().filter(move |new| NoteContent::of(&new.note) == content);
        sent.chain(added.map(|new| new.created_at))
    }
}

impl Notes for State {
    fn find_note(
        &mut self,
        account_id: i64,
        content: NoteContent,
        created_at: Option<DateTime<Utc>>,
    ) -> Result<Option<DateTime<Utc>>, StoreError> {
        let times = self.account(account_id).into_iter().flat_map(|a| a.times_of_notes(content));
        Ok(times.filter(|time| created_at.is_none_or(|sought| sought == *time)).min())
    }

    fn add_note(&mut self, account_id: i64, note: &NewNote) -> Result<(), StoreError> {
        self.account_mut(account_id)?.notes.push(note.clone());
        Ok(())
    }
}
