use super::State;
use super::processes::Row;
use chrono::{DateTime, Utc};
use cutover_app::port::{Archivable, ArchivedVersion, Position, ProcessToArchive};
use std::sync::Arc;

impl Row {
    fn is_archivable(&self, before: DateTime<Utc>) -> bool {
        let is = self.process.snapshot();
        is.state.has_ended() && is.modified_at < before && self.archived_at.is_none()
    }

    fn kept(&self) -> ProcessToArchive {
        ProcessToArchive {
            stored: self.stored(),
            history: self.history.clone(),
            payload: self.staged.payload.clone(),
        }
    }
}

impl State {
    pub(super) fn archivable_of(
        &self,
        supplier_id: i64,
        before: DateTime<Utc>,
        after: Option<Position>,
        limit: u32,
    ) -> Archivable {
        let looked_at = self.page(supplier_id, |row| row.position().0 < before, after, limit);
        let archivable = looked_at.iter().filter(|row| row.is_archivable(before));
        Archivable {
            ids: archivable.map(|row| row.process.id()).collect(),
            last: looked_at.last().map(|row| row.position()),
        }
    }

    pub(super) fn kept_of(&self, process_ids: &[i64], before: DateTime<Utc>) -> Vec<ProcessToArchive> {
        let wanted = |row: &&Row| process_ids.contains(&row.process.id()) && row.is_archivable(before);
        let mut rows: Vec<_> = self.rows().filter(wanted).collect();
        rows.sort_by_key(|row| row.position());
        rows.into_iter().map(Row::kept).collect()
    }

    pub(super) fn archive_all(&mut self, processes: &[ArchivedVersion], at: DateTime<Utc>) -> usize {
        let mut archived = 0;
        for row in self.processes.iter_mut() {
            let is_wanted = |wanted: &&ArchivedVersion| {
                (wanted.id, wanted.version) == (row.process.id(), row.process.version())
            };
            let wanted = processes.iter().find(is_wanted).filter(|_| row.archived_at.is_none());
            let Some(wanted) = wanted else { continue };
            let row = Arc::make_mut(row);
            row.content = wanted.content.or(row.content);
            row.archived_at = Some(at);
            row.previous = None;
            row.history.clear();
            row.staged.payload.clear();
            archived += 1;
        }
        archived
    }
}
