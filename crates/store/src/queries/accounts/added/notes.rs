use super::super::super::schema::notes;
use super::super::super::types::{Bits, Timestamp, instant};
use super::super::super::{SqlTx, next_position};
use super::super::builder::Builder;
use chrono::{DateTime, Utc};
use cutover_app::port::{NewNote, NoteContent, Notes, StoreError};
use cutover_core::Zone;
use diesel::prelude::*;

impl Notes for SqlTx<'_> {
    fn find_note(
        &mut self,
        account_id: i64,
        content: NoteContent,
        created_at: Option<DateTime<Utc>>,
    ) -> Result<Option<DateTime<Utc>>, StoreError> {
        self.run(|conn| {
            let hash = || Bits(*content.as_bytes());
            let notes = notes::table.filter(notes::account_id.eq(account_id)).select(notes::created_at);
            let found = match created_at.map(Timestamp::from) {
                Some(time) => notes
                    .filter(notes::content_hash.eq(hash()))
                    .filter(notes::created_at.eq(time))
                    .first(conn),
                // As for transactions, only the first entry of the index is read.
                None => notes
                    .filter(notes::content_hash.between(hash(), hash()))
                    .order((notes::content_hash, notes::created_at))
                    .first(conn),
            };
            instant(found.optional()?)
        })
    }

    fn add_note(&mut self, account_id: i64, new: &NewNote) -> Result<(), StoreError> {
        self.run(|conn| {
            // The row's times are given, so the zone does not matter.
            let mut builder = Builder::new(account_id, Zone::UTC);
            let position = next_position!(conn, notes, account_id);
            builder.note(position, &new.note, new.created_at.into(), new.unpin_at.map(Timestamp::from));
            builder.rows.insert(conn)
        })
    }
}
