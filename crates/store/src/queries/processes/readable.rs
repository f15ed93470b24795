//! What can be read of an index, whatever stands before it.

use super::super::Conn;
use super::super::fit;
use super::super::types::Timestamp;
use super::row::ProcessRow;
use crate::error::Result;
use cutover_app::port::StoredProcess;

/// How many rows are read at once behind some that could not be read.
const MANY: i64 = 500;

/// A place in an index by a time and the key.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place(pub(super) Timestamp, pub(super) i64);

impl Place {
    /// Before every row.
    pub(super) const FIRST: Self = Self::before(Timestamp::FIRST);

    /// Before the rows of this time.
    pub(super) const fn before(time: Timestamp) -> Self {
        Self(time, i64::MIN)
    }
}

/// Rows that follow one another in an index.
#[derive(Debug, Clone, Copy)]
pub(super) struct Page {
    pub(super) behind: Place,
    /// At most so many.
    pub(super) limit: i64,
}

/// Reads page after page from the first on until it has as many processes as that is to have, or there are no more
/// rows: what cannot be read must not hide what stands behind it.
///
/// `load` reads a page, `time` is that of a row in the index, `restore` leaves out what cannot be read.
pub(super) fn readable(
    conn: &mut Conn,
    first: Page,
    mut load: impl FnMut(&mut Conn, Page) -> Result<Vec<ProcessRow<'static>>>,
    time: impl Fn(&ProcessRow<'static>) -> Option<Timestamp>,
    mut restore: impl FnMut(&mut Conn, Vec<ProcessRow<'static>>) -> Result<Vec<StoredProcess>>,
) -> Result<Vec<StoredProcess>> {
    let (mut found, mut page) = (Vec::new(), first);
    loop {
        let rows = load(conn, page)?;
        let is_last = fit::<_, i64>(rows.len())? < page.limit;
        let last = rows.last().and_then(|row| Some(Place(time(row)?, row.id)));
        found.extend(restore(conn, rows)?);
        let has_all = fit::<_, i64>(found.len())? >= first.limit;
        match last {
            Some(behind) if !is_last && !has_all => page = Page { behind, limit: MANY },
            _ => break,
        }
    }
    found.truncate(usize::try_from(first.limit).unwrap_or(usize::MAX));
    Ok(found)
}
