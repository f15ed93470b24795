//! How values lie: all of a small table, a sample of a large one.

use super::super::Conn;
use super::rows::{At, Page, START, Values, last, page, row};
use crate::error::{Error, Result};
use crate::sealed::{KeyState, Seal, SealedTable, Sealer, Seals};
use std::collections::BTreeMap;

/// So many rows are looked at one by one.
const FEW: i64 = 1_000;
/// Of more, some at so many places, evenly over their keys, and the last ones.
const PLACES: i64 = 20;
const AT_PLACE: i64 = 50;

pub(crate) fn seals(conn: &mut Conn, sealer: &Sealer) -> Result<Vec<Seals>> {
    SealedTable::ALL.into_iter().map(|table| seals_of(conn, sealer, table)).collect()
}

fn seals_of(conn: &mut Conn, sealer: &Sealer, table: SealedTable) -> Result<Seals> {
    let Page { rows, .. } = page(conn, table, &START, FEW + 1)?;
    let is_all = (rows.len() as i64) <= FEW;
    let mut looked_at: BTreeMap<At, Seal> = BTreeMap::new();
    // Signing keys are few: old ones go by themselves.
    if is_all || table == SealedTable::SigningKeys {
        looked_at.extend(rows.into_iter().map(|row| (row.at, sealer.seal_of(&row.beginning))));
    } else if let Some(last) = last(conn, table)? {
        let places = (0..PLACES).map(|place| (last / PLACES) * place).chain([last - AT_PLACE]);
        for after in places {
            let Page { rows, .. } = page(conn, table, &At::Row(after, i64::MAX), AT_PLACE)?;
            looked_at.extend(rows.into_iter().map(|row| (row.at, sealer.seal_of(&row.beginning))));
        }
    }
    let mut found = BTreeMap::new();
    for (seal, (count, at)) in counted(looked_at) {
        found.insert(proved(conn, sealer, table, seal, &at)?, count);
    }
    Ok(Seals { table, found, is_all })
}

/// How many lie how, and the last one that does.
fn counted(looked_at: BTreeMap<At, Seal>) -> BTreeMap<Seal, (u64, At)> {
    let mut counts = BTreeMap::new();
    for (at, seal) in looked_at {
        let entry = counts.entry(seal).or_insert_with(|| (0, START));
        *entry = (entry.0 + 1, at);
    }
    counts
}

/// Whether a key of the name is the key: it is tried on the last value.
fn proved(conn: &mut Conn, sealer: &Sealer, table: SealedTable, seal: Seal, at: &At) -> Result<Seal> {
    let Seal::Key(name, state @ (KeyState::Seals | KeyState::Opens)) = seal else { return Ok(seal) };
    let last = row(conn, table, at)?;
    let mut values = Values::of(conn, table, last.into_iter().collect())?;
    let opened = values.stored.pop().map(|(at, stored)| values.opened(sealer, &at, stored));
    let is_wrong = matches!(opened, Some(Err(Error::Corrupt(_))));
    Ok(Seal::Key(name, if is_wrong { KeyState::Wrong } else { state }))
}
