//! Gates of suppliers, and the accounts of their waves.

use super::dialect::{Db, Dialect};
use super::schema::{supplier_gates, suppliers, wave_accounts};
use super::sql_dialect::SqlDialect;
use super::statement::Bind;
use super::types::{Json, Timestamp};
use super::{Conn, SqlTx, fit, number};
use crate::error::{Error, Result};
use chrono::DateTime;
use cutover_app::port::{AnyGates, ErrorWindow, Gate, Gates, Hold, HoldReason, Operator, StoreError};
use cutover_core::{SupplierCode, Word};
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Bool, Text};
use serde::{Deserialize, Serialize};

#[derive(Insertable, AsChangeset, Queryable, Selectable)]
#[diesel(table_name = supplier_gates, treat_none_as_null = true, treat_none_as_default_value = false)]
struct GateRow {
    supplier_id: i64,
    wave: i64,
    wave_size: Option<i64>,
    claimed: i64,
    ended: i64,
    failed: i64,
    error_limit: Option<i64>,
    error_window: Option<i64>,
    recent: Option<Vec<u8>>,
    began_at: Option<Timestamp>,
    #[diesel(embed)]
    hold: HoldRow,
}

#[derive(Default, Insertable, AsChangeset, Queryable, Selectable)]
#[diesel(table_name = supplier_gates, treat_none_as_null = true, treat_none_as_default_value = false)]
struct HoldRow {
    held_by: Option<String>,
    held_since: Option<Timestamp>,
    held_wave: Option<i64>,
    held_ended: Option<i64>,
    held_failed: Option<i64>,
    held_window: Option<i64>,
    held_because: Option<String>,
    held_owner: Option<String>,
    held_also: Option<Json<'static>>,
}

/// A further reason in `held_also`.
#[derive(Serialize, Deserialize)]
struct ReasonRow {
    by: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    owner: Option<String>,
    /// In microseconds.
    since: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    because: Option<String>,
}

impl From<&HoldReason> for ReasonRow {
    fn from(reason: &HoldReason) -> Self {
        Self {
            by: reason.by.as_str().to_owned(),
            owner: reason.owner.as_ref().map(Operator::to_string),
            since: reason.since.timestamp_micros(),
            because: reason.because.clone(),
        }
    }
}

impl TryFrom<ReasonRow> for HoldReason {
    type Error = Error;

    fn try_from(row: ReasonRow) -> Result<Self> {
        let since = DateTime::from_timestamp_micros(row.since);
        Ok(Self {
            by: Word::read(&row.by),
            owner: row.owner.as_deref().map(Operator::read),
            since: since.ok_or_else(|| Error::corrupt("the time of a reason cannot be read"))?,
            because: row.because,
        })
    }
}

impl TryFrom<&Gate> for GateRow {
    type Error = Error;

    fn try_from(gate: &Gate) -> Result<Self> {
        let errors = gate.errors.as_ref();
        Ok(Self {
            supplier_id: gate.supplier_id,
            wave: gate.wave.into(),
            wave_size: gate.wave_size.map(fit).transpose()?,
            claimed: fit(gate.claimed)?,
            ended: fit(gate.ended)?,
            failed: fit(gate.failed)?,
            error_limit: errors.map(|errors| errors.limit.into()),
            error_window: errors.map(|errors| errors.window.into()),
            recent: errors.map(|errors| errors.failed.clone()),
            began_at: gate.began_at.map(Timestamp::from),
            hold: gate.hold.as_ref().map(HoldRow::try_from).transpose()?.unwrap_or_default(),
        })
    }
}

impl TryFrom<GateRow> for Gate {
    type Error = Error;

    fn try_from(row: GateRow) -> Result<Self> {
        let errors = match (row.error_limit, row.error_window, row.recent) {
            (Some(limit), Some(window), Some(failed)) if window > 0 => Some(ErrorWindow {
                limit: number(limit, "error_limit")?,
                window: number(window, "error_window")?,
                failed,
            }),
            _ => None,
        };
        Ok(Self {
            supplier_id: row.supplier_id,
            wave: number(row.wave, "wave")?,
            wave_size: row.wave_size.map(|size| number(size, "wave_size")).transpose()?,
            claimed: number(row.claimed, "claimed")?,
            ended: number(row.ended, "ended")?,
            failed: number(row.failed, "failed")?,
            errors,
            began_at: row.began_at.map(|at| at.instant()).transpose()?,
            hold: row.hold.hold()?,
        })
    }
}

impl TryFrom<&Hold> for HoldRow {
    type Error = Error;

    fn try_from(hold: &Hold) -> Result<Self> {
        let HoldReason { by, owner, since, because } = &hold.first;
        let also: Vec<ReasonRow> = hold.also.iter().map(ReasonRow::from).collect();
        Ok(Self {
            held_by: Some(by.as_str().to_owned()),
            held_since: Some((*since).into()),
            held_wave: hold.wave.map(i64::from),
            held_ended: Some(fit(hold.ended)?),
            held_failed: Some(fit(hold.failed)?),
            held_window: hold.window.map(i64::from),
            held_because: because.clone(),
            held_owner: owner.as_ref().map(Operator::to_string),
            held_also: (!also.is_empty()).then(|| Json::of(&also)).transpose()?,
        })
    }
}

impl HoldRow {
    fn hold(self) -> Result<Option<Hold>> {
        let (Some(by), Some(since)) = (self.held_by, self.held_since) else { return Ok(None) };
        let first = HoldReason {
            by: Word::read(&by),
            owner: self.held_owner.as_deref().map(Operator::read),
            since: since.instant()?,
            because: self.held_because,
        };
        let also: Vec<ReasonRow> =
            self.held_also.map(|also| also.read("held_also")).transpose()?.unwrap_or_default();
        Ok(Some(Hold {
            first,
            also: also.into_iter().map(HoldReason::try_from).collect::<Result<_>>()?,
            wave: self.held_wave.map(|wave| number(wave, "held_wave")).transpose()?,
            ended: number(self.held_ended.unwrap_or_default(), "held_ended")?,
            failed: number(self.held_failed.unwrap_or_default(), "held_failed")?,
            window: self.held_window.map(|window| number(window, "held_window")).transpose()?,
        }))
    }
}

statement! {
    /// The row is read by a statement of its own, which sees what the holder of the lock before has written.
    Lock { supplier_id: i64 } -> BigInt
        = "SELECT supplier_id FROM supplier_gates WHERE supplier_id = " supplier_id (Dialect::LOCK)
}

statement! {
    IsOpen { supplier_id: i64 } -> Bool
        = "SELECT (SELECT process_id FROM wave_accounts WHERE supplier_id = " supplier_id
            " AND is_open = TRUE ORDER BY process_id LIMIT 1) IS NOT NULL"
}

statement! {
    EndedWaves {} -> Text
        = "SELECT s.code FROM supplier_gates g JOIN suppliers s ON s.id = g.supplier_id \
            WHERE g.held_by IS NULL AND g.claimed >= g.wave_size AND NOT EXISTS (\
            SELECT 1 FROM wave_accounts w WHERE w.supplier_id = g.supplier_id AND w.is_open = TRUE) ORDER BY s.code"
}

fn lock(conn: &mut Conn, codes: &[SupplierCode]) -> Result<Vec<(SupplierCode, Gate)>> {
    let codes: Vec<&str> = codes.iter().map(SupplierCode::as_str).collect();
    let having: Vec<(i64, String)> = supplier_gates::table
        .inner_join(suppliers::table)
        .filter(suppliers::code.eq_any(codes))
        .order(supplier_gates::supplier_id)
        .select((supplier_gates::supplier_id, suppliers::code))
        .load(conn)?;
    let mut gates = Vec::new();
    // In this order, so that no two transactions wait for each other.
    for (supplier_id, code) in having {
        Lock { supplier_id }.get_result::<i64>(conn).optional()?;
        let row = supplier_gates::table.find(supplier_id).select(GateRow::as_select());
        if let Some(row) = row.get_result(conn).optional()? {
            gates.push((code.parse().map_err(Error::corrupt)?, row.try_into()?));
        }
    }
    Ok(gates)
}

fn join(conn: &mut Conn, supplier_id: i64, ids: &[i64]) -> Result<u64> {
    let members = wave_accounts::table.filter(wave_accounts::process_id.eq_any(ids));
    let known: Vec<i64> = members.clone().select(wave_accounts::process_id).load(conn)?;
    if !known.is_empty() {
        diesel::update(members).set(wave_accounts::is_open.eq(true)).execute(conn)?;
    }
    let row = |id: &i64| {
        (
            wave_accounts::process_id.eq(*id),
            wave_accounts::supplier_id.eq(supplier_id),
            wave_accounts::is_open.eq(true),
        )
    };
    let rows: Vec<_> = ids.iter().filter(|id| !known.contains(id)).map(row).collect();
    if !rows.is_empty() {
        diesel::insert_into(wave_accounts::table).values(&rows).execute(conn)?;
    }
    Ok(rows.len() as u64)
}

impl Gates for SqlTx<'_> {
    fn gate(&mut self, supplier_id: i64) -> Result<Option<Gate>, StoreError> {
        self.run(|conn| {
            let row = supplier_gates::table.find(supplier_id).select(GateRow::as_select());
            row.get_result(conn).optional()?.map(Gate::try_from).transpose()
        })
    }

    fn save_gate(&mut self, gate: &Gate) -> Result<(), StoreError> {
        self.run(|conn| {
            let row = GateRow::try_from(gate)?;
            let changed =
                diesel::update(supplier_gates::table.find(gate.supplier_id)).set(&row).execute(conn)?;
            if changed == 0 {
                diesel::insert_into(supplier_gates::table).values(&row).execute(conn)?;
            }
            Ok(())
        })
    }

    fn remove_gate(&mut self, supplier_id: i64) -> Result<(), StoreError> {
        self.run(|conn| {
            diesel::delete(supplier_gates::table.find(supplier_id)).execute(conn)?;
            Ok(())
        })
    }

    fn hold(&mut self, supplier_id: i64) -> Result<Option<Hold>, StoreError> {
        self.run(|conn| {
            let row = supplier_gates::table.find(supplier_id).select(HoldRow::as_select());
            row.get_result(conn).optional()?.map_or(Ok(None), HoldRow::hold)
        })
    }

    fn join_wave(&mut self, supplier_id: i64, process_ids: &[i64]) -> Result<u64, StoreError> {
        if process_ids.is_empty() {
            return Ok(0);
        }
        self.run(|conn| join(conn, supplier_id, process_ids))
    }

    fn leave_wave(&mut self, process_ids: &[i64]) -> Result<(), StoreError> {
        if process_ids.is_empty() {
            return Ok(());
        }
        self.run(|conn| {
            let members = wave_accounts::table.filter(wave_accounts::process_id.eq_any(process_ids));
            diesel::update(members).set(wave_accounts::is_open.eq(false)).execute(conn)?;
            Ok(())
        })
    }

    fn is_wave_open(&mut self, supplier_id: i64) -> Result<bool, StoreError> {
        self.run(|conn| Ok(IsOpen { supplier_id }.get_result(conn)?))
    }

    fn open_in_wave(&mut self, process_ids: &[i64]) -> Result<Vec<i64>, StoreError> {
        self.run(|conn| {
            let open = wave_accounts::table
                .filter(wave_accounts::process_id.eq_any(process_ids))
                .filter(wave_accounts::is_open.eq(true))
                .order(wave_accounts::process_id)
                .select(wave_accounts::process_id);
            Ok(open.load(conn)?)
        })
    }

    fn clear_wave(&mut self, supplier_id: i64) -> Result<(), StoreError> {
        self.run(|conn| {
            let members = wave_accounts::table.filter(wave_accounts::supplier_id.eq(supplier_id));
            diesel::delete(members).execute(conn)?;
            Ok(())
        })
    }
}

impl AnyGates for SqlTx<'_> {
    fn lock_gates(&mut self, suppliers: &[SupplierCode]) -> Result<Vec<(SupplierCode, Gate)>, StoreError> {
        self.run(|conn| lock(conn, suppliers))
    }

    fn holds(&mut self) -> Result<Vec<(SupplierCode, Hold)>, StoreError> {
        self.run(|conn| {
            let rows: Vec<(String, HoldRow)> = supplier_gates::table
                .inner_join(suppliers::table)
                .filter(supplier_gates::held_by.is_not_null())
                .order(suppliers::code)
                .select((suppliers::code, HoldRow::as_select()))
                .load(conn)?;
            let mut holds = Vec::new();
            for (code, row) in rows {
                holds.extend(row.hold()?.map(|hold| (code, hold)));
            }
            let read = |(code, hold): (String, Hold)| Ok((code.parse().map_err(Error::corrupt)?, hold));
            holds.into_iter().map(read).collect()
        })
    }

    fn ended_waves(&mut self) -> Result<Vec<SupplierCode>, StoreError> {
        self.run(|conn| {
            let codes: Vec<String> = EndedWaves {}.load(conn)?;
            codes.into_iter().map(|code| code.parse().map_err(Error::corrupt)).collect()
        })
    }
}
