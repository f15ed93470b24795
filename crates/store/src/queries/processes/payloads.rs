//! Stored payloads, sealed if there is a key.

use super::super::Conn;
use super::super::schema::{payloads, processes};
use crate::error::Result;
use crate::sealed::{Location, Sealer};
use diesel::prelude::*;
use std::collections::HashMap;

/// The key of a process and its payload, or the reason why it cannot be opened.
type OpenedPayload = (i64, Result<Vec<u8>>);

/// Returns the payloads of processes as they were accepted.
pub(super) fn load(conn: &mut Conn, sealer: &Sealer, ids: &[i64]) -> Result<Vec<OpenedPayload>> {
    let of_these = payloads::table.filter(payloads::process_id.eq_any(ids));
    let stored: Vec<(i64, Vec<u8>)> =
        of_these.select((payloads::process_id, payloads::payload)).load(conn)?;
    let locations = PayloadLocations::of(
        conn,
        stored.iter().filter(|(_, bytes)| Sealer::is_sealed(bytes)).map(|(id, _)| *id),
    )?;
    let open = |(id, bytes): (i64, Vec<u8>)| match locations.get(id) {
        Some(location) => (id, sealer.open(location, bytes)),
        None => (id, Ok(bytes)),
    };
    Ok(stored.into_iter().map(open).collect())
}

/// Locations that payloads are bound to, by the keys of their processes.
pub(crate) struct PayloadLocations(HashMap<i64, (i64, String)>);

impl PayloadLocations {
    /// Returns no locations.
    pub(crate) fn none() -> Self {
        Self(HashMap::new())
    }

    /// Returns the locations of processes. Runs no query if there are none.
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

    pub(crate) fn get(&self, id: i64) -> Option<Location<'_>> {
        let (supplier_id, number) = self.0.get(&id)?;
        Some(Location::Payload { supplier_id: *supplier_id, number })
    }
}
