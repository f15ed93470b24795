//! Reading of an index past rows that cannot be read.

use super::super::types::Timestamp;
use super::super::{Conn, fit};
use super::restored;
use super::row::{ProcessRow, StoredRow};
use crate::error::Result;
use cutover_app::port::StoredProcess;

/// Number of rows that are read at once after some that could not be read.
const MANY: i64 = 500;

/// A position in an index of a time and the key.
#[derive(Debug, Clone, Copy)]
pub(super) struct IndexPosition(pub(super) Timestamp, pub(super) i64);

impl IndexPosition {
    /// The position before the rows of a time.
    pub(super) const fn before(time: Timestamp) -> Self {
        Self(time, i64::MIN)
    }
}

/// Consecutive rows of an index.
#[derive(Debug, Clone, Copy)]
pub(super) struct Page {
    /// The position before the first row.
    pub(super) after: IndexPosition,
    /// Maximum number of rows.
    pub(super) limit: i64,
}

/// Reads processes of a supplier page by page, from the first page on, until it has as many as the first
/// page's limit or there are no more rows. Rows that cannot be read must not hide those after them.
///
/// `load` reads a page, `time` returns the time of a row in the index.
pub(super) fn readable(
    conn: &mut Conn,
    supplier: &str,
    first: Page,
    mut load: impl FnMut(&mut Conn, Page) -> Result<Vec<ProcessRow<'static>>>,
    time: impl Fn(&ProcessRow<'static>) -> Option<Timestamp>,
) -> Result<Vec<StoredProcess>> {
    let (mut processes, mut page) = (Vec::new(), first);
    loop {
        let rows = load(conn, page)?;
        let is_last = fit::<_, i64>(rows.len())? < page.limit;
        let last = rows.last().and_then(|row| Some(IndexPosition(time(row)?, row.id)));
        processes.extend(restored(rows.into_iter().map(|row| StoredRow::new(row, supplier))));
        let has_all = fit::<_, i64>(processes.len())? >= first.limit;
        match last {
            Some(after) if !is_last && !has_all => page = Page { after, limit: MANY },
            _ => break,
        }
    }
    processes.truncate(usize::try_from(first.limit).unwrap_or(usize::MAX));
    Ok(processes)
}
