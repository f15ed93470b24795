//! Payloads as they are stored: sealed, if there is a key.

use super::super::Conn;
use super::super::schema::{payloads, processes};
use crate::error::Result;
use crate::sealed::{Place, Sealer};
use diesel::prelude::*;
use std::collections::HashMap;

/// A payload, or why it cannot be opened, with the key of its process.
type Found = (i64, Result<Vec<u8>>);

/// The payloads of processes as they were accepted.
pub(super) fn load(conn: &mut Conn, sealer: &Sealer, ids: &[i64]) -> Result<Vec<Found>> {
    let of_these = payloads::table.filter(payloads::process_id.eq_any(ids));
    let stored: Vec<(i64, Vec<u8>)> =
        of_these.select((payloads::process_id, payloads::payload)).load(conn)?;
    let places =
        Places::of(conn, stored.iter().filter(|(_, bytes)| Sealer::is_sealed(bytes)).map(|(id, _)| *id))?;
    let open = |(id, bytes): (i64, Vec<u8>)| match places.get(id) {
        Some(place) => (id, sealer.open(place, bytes)),
        None => (id, Ok(bytes)),
    };
    Ok(stored.into_iter().map(open).collect())
}

/// Where payloads belong, by the keys of their processes.
pub(crate) struct Places(HashMap<i64, (i64, String)>);

impl Places {
    /// Those of no process.
    pub(crate) fn none() -> Self {
        Self(HashMap::new())
    }

    /// Those of these processes; of none, nothing is asked.
    pub(crate) fn of(conn: &mut Conn, ids: impl Iterator<Item = i64>) -> Result<Self> {
        let ids: Vec<i64> = ids.collect();
        if ids.is_empty() {
            return Ok(Self::none());
        }
        let rows: Vec<(i64, i64, String)> = processes::table
            .filter(processes::id.eq_any(ids))
            .select((processes::id, processes::supplier_id, processes::external_account_number))
            .load(conn)?;
        Ok(Self(rows.into_iter().map(|(id, supplier_id, number)| (id, (supplier_id, number))).collect()))
    }

    pub(crate) fn get(&self, id: i64) -> Option<Place<'_>> {
        let (supplier_id, number) = self.0.get(&id)?;
        Some(Place::Payload { supplier_id: *supplier_id, number })
    }
}
