//! Seals stored values again, in batches.

use super::super::Conn;
use super::rows::{Page, Row, RowKey, START, Values, page, replace};
use crate::error::{Error, Result};
use crate::sealed::{KeyState, Resealed, Seal, SealedTable, Sealer};
use diesel::connection::SimpleConnection;

/// Number of rows that one statement reads.
const READ: i64 = 512;
/// Maximum number of values that one transaction writes, for which others wait.
const BATCH: usize = 64;
/// Maximum size of these values in bytes.
const BATCH_BYTES: usize = 1 << 20;

/// Begins a transaction.
pub(crate) type Begin<'b> = dyn Fn(&mut Conn) -> diesel::QueryResult<()> + 'b;

/// The replacement of a value.
struct Renewal {
    key: RowKey,
    before: Vec<u8>,
    after: Vec<u8>,
}

/// Seals the values of all tables. Values are opened and sealed outside of transactions; each is written only
/// if it has not changed meanwhile.
pub(crate) fn reseal(
    conn: &mut Conn,
    sealer: &Sealer,
    begin: &Begin<'_>,
    progress: &mut dyn FnMut(&Resealed),
) -> Result<Vec<Resealed>> {
    let mut table = |table| {
        let mut done = Resealed::of(table);
        let mut after = START;
        loop {
            let Page { rows, last } = page(conn, table, &after, READ)?;
            let Some(last) = last else { return Ok(done) };
            let stale = rows.into_iter().filter(|row| is_stale(sealer, row, &mut done)).collect();
            for batch in batches(stale) {
                renew(conn, sealer, begin, batch, &mut done)?;
                progress(&done);
            }
            after = last;
        }
    };
    SealedTable::ALL.into_iter().map(&mut table).collect()
}

/// Returns true if a value has to be sealed again. Counts the others.
fn is_stale(sealer: &Sealer, row: &Row, done: &mut Resealed) -> bool {
    match sealer.seal_of(&row.beginning) {
        Seal::Open | Seal::Key(_, KeyState::Opens) => true,
        Seal::Key(_, KeyState::Seals) => {
            done.fresh += 1;
            false
        }
        seal => {
            *done.left.entry(seal).or_default() += 1;
            false
        }
    }
}

fn batches(rows: Vec<Row>) -> Vec<Vec<Row>> {
    let (mut batches, mut bytes) = (Vec::<Vec<Row>>::new(), 0);
    for row in rows {
        bytes += row.length;
        match batches.last_mut() {
            Some(batch) if batch.len() < BATCH && bytes <= BATCH_BYTES => batch.push(row),
            _ => {
                bytes = row.length;
                batches.push(vec![row]);
            }
        }
    }
    batches
}

fn renew(
    conn: &mut Conn,
    sealer: &Sealer,
    begin: &Begin<'_>,
    batch: Vec<Row>,
    done: &mut Resealed,
) -> Result<()> {
    let count = batch.len() as u64;
    let mut values = Values::of(conn, done.table, batch)?;
    done.changed += count - values.stored.len() as u64;
    let mut renewals = Vec::with_capacity(values.stored.len());
    for (key, before) in std::mem::take(&mut values.stored) {
        match values.opened(sealer, &key, before.clone()) {
            Ok(opened) => {
                let after = values.sealed(sealer, &key, opened)?;
                renewals.push(Renewal { key, before, after });
            }
            Err(_) => *done.left.entry(unopened(sealer, &before)).or_default() += 1,
        }
    }
    let (count, written) = (renewals.len() as u64, write(conn, begin, done.table, renewals)?);
    done.sealed += written;
    done.changed += count - written;
    Ok(())
}

/// Returns the state of a value that did not open: another key of that name has sealed it.
fn unopened(sealer: &Sealer, stored: &[u8]) -> Seal {
    match sealer.seal_of(stored) {
        Seal::Key(name, KeyState::Seals | KeyState::Opens) => Seal::Key(name, KeyState::Wrong),
        seal => seal,
    }
}

/// Writes a batch. Returns the number of values that had not changed.
fn write(conn: &mut Conn, begin: &Begin<'_>, table: SealedTable, renewals: Vec<Renewal>) -> Result<u64> {
    begin(conn)?;
    let written = renewals.into_iter().try_fold(0, |written, Renewal { key, before, after }| {
        Ok::<_, Error>(written + u64::from(replace(conn, table, &key, before, after)?))
    });
    conn.batch_execute(if written.is_ok() { "COMMIT" } else { "ROLLBACK" })?;
    written
}
