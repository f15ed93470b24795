//! Sealing values anew, a batch at a time.

use super::super::Conn;
use super::rows::{At, Page, Row, START, Values, page, replace};
use crate::error::{Error, Result};
use crate::sealed::{KeyState, Resealed, Seal, SealedTable, Sealer};
use diesel::connection::SimpleConnection;

/// How many rows are looked at in one statement.
const LOOK: i64 = 512;
/// How many are written in one transaction, and how many bytes of them: others wait for it.
const BATCH: usize = 64;
const BATCH_BYTES: usize = 1 << 20;

/// A value in the place of another.
struct Renewal {
    at: At,
    before: Vec<u8>,
    after: Vec<u8>,
}

/// Goes through all tables. Values are opened and sealed outside of transactions; each is then written only if
/// it is still what it was. `begin` begins a transaction that writes.
pub(crate) fn reseal(
    conn: &mut Conn,
    sealer: &Sealer,
    begin: &str,
    told: &mut dyn FnMut(&Resealed),
) -> Result<Vec<Resealed>> {
    let mut table = |table| {
        let mut done = Resealed::of(table);
        let mut after = START;
        loop {
            let Page { rows, last } = page(conn, table, &after, LOOK)?;
            let Some(last) = last else { return Ok(done) };
            let stale = rows.into_iter().filter(|row| is_stale(sealer, row, &mut done)).collect();
            for batch in batches(stale) {
                renew(conn, sealer, begin, batch, &mut done)?;
                told(&done);
            }
            after = last;
        }
    };
    SealedTable::ALL.into_iter().map(&mut table).collect()
}

/// Whether a value is to be sealed anew; if not, it is counted.
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

fn renew(conn: &mut Conn, sealer: &Sealer, begin: &str, batch: Vec<Row>, done: &mut Resealed) -> Result<()> {
    let count = batch.len() as u64;
    let mut values = Values::of(conn, done.table, batch)?;
    done.changed += count - values.stored.len() as u64;
    let mut renewals = Vec::with_capacity(values.stored.len());
    for (at, before) in std::mem::take(&mut values.stored) {
        match values.opened(sealer, &at, before.clone()) {
            Ok(opened) => {
                let after = values.sealed(sealer, &at, opened)?;
                renewals.push(Renewal { at, before, after });
            }
            Err(_) => *done.left.entry(unopened(sealer, &before)).or_default() += 1,
        }
    }
    let (count, written) = (renewals.len() as u64, write(conn, begin, done.table, renewals)?);
    done.sealed += written;
    done.changed += count - written;
    Ok(())
}

/// What does not open is not of the key of that name.
fn unopened(sealer: &Sealer, stored: &[u8]) -> Seal {
    match sealer.seal_of(stored) {
        Seal::Key(name, KeyState::Seals | KeyState::Opens) => Seal::Key(name, KeyState::Wrong),
        seal => seal,
    }
}

/// Writes a batch; how many were still what they were.
fn write(conn: &mut Conn, begin: &str, table: SealedTable, renewals: Vec<Renewal>) -> Result<u64> {
    conn.batch_execute(begin)?;
    let written = renewals.into_iter().try_fold(0, |written, Renewal { at, before, after }| {
        Ok::<_, Error>(written + u64::from(replace(conn, table, &at, before, after)?))
    });
    conn.batch_execute(if written.is_ok() { "COMMIT" } else { "ROLLBACK" })?;
    written
}
