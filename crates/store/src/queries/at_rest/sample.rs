//! Counts the states of stored values: all of a small table, a sample of a large one.

use super::super::Conn;
use super::rows::{Page, RowKey, START, Values, last, page, row};
use crate::error::{Error, Result};
use crate::sealed::{KeyState, Seal, SealedTable, Sealer, Seals};
use std::collections::BTreeMap;

/// Maximum number of rows of a table that is read completely.
const SMALL: i64 = 1_000;
/// Number of samples of a large table, evenly spaced over its keys. One of the last rows is added.
const SAMPLES: i64 = 20;
/// Number of rows in a sample.
const SAMPLE: i64 = 50;

pub(crate) fn seals(conn: &mut Conn, sealer: &Sealer) -> Result<Vec<Seals>> {
    SealedTable::ALL.into_iter().map(|table| seals_of(conn, sealer, table)).collect()
}

fn seals_of(conn: &mut Conn, sealer: &Sealer, table: SealedTable) -> Result<Seals> {
    let Page { rows, .. } = page(conn, table, &START, SMALL + 1)?;
    let is_all = (rows.len() as i64) <= SMALL;
    let mut checked: BTreeMap<RowKey, Seal> = BTreeMap::new();
    // There are few keys: old ones that sign tokens are removed.
    if is_all || table.is_of_keys() {
        checked.extend(rows.into_iter().map(|row| (row.key, sealer.seal_of(&row.beginning))));
    } else if let Some(last) = last(conn, table)? {
        let samples = (0..SAMPLES).map(|sample| (last / SAMPLES) * sample).chain([last - SAMPLE]);
        for after in samples {
            let Page { rows, .. } = page(conn, table, &RowKey::Row(after, i64::MAX), SAMPLE)?;
            checked.extend(rows.into_iter().map(|row| (row.key, sealer.seal_of(&row.beginning))));
        }
    }
    let mut counts = BTreeMap::new();
    for (seal, (count, key)) in counted(checked) {
        counts.insert(verified(conn, sealer, table, seal, &key)?, count);
    }
    Ok(Seals { table, found: counts, is_all })
}

/// Counts the values in each state. Also returns the last row in each.
fn counted(checked: BTreeMap<RowKey, Seal>) -> BTreeMap<Seal, (u64, RowKey)> {
    let mut counts = BTreeMap::new();
    for (key, seal) in checked {
        let entry = counts.entry(seal).or_insert_with(|| (0, START));
        *entry = (entry.0 + 1, key);
    }
    counts
}

/// Checks that the key of the name is the right one, by opening a value.
fn verified(conn: &mut Conn, sealer: &Sealer, table: SealedTable, seal: Seal, key: &RowKey) -> Result<Seal> {
    let Seal::Key(name, state @ (KeyState::Seals | KeyState::Opens)) = seal else { return Ok(seal) };
    let last = row(conn, table, key)?;
    let mut values = Values::of(conn, table, last.into_iter().collect())?;
    let opened = values.stored.pop().map(|(key, stored)| values.opened(sealer, &key, stored));
    let is_wrong = matches!(opened, Some(Err(Error::Corrupt(_))));
    Ok(Seal::Key(name, if is_wrong { KeyState::Wrong } else { state }))
}
