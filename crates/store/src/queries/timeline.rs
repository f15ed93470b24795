//! Notes, holds by the service, and what else the timeline of a supplier shows by time.

use super::schema::{service_holds, supplier_notes, supplier_waves};
use super::types::Timestamp;
use super::{Conn, SqlTx, certificates, fit, jobs, number};
use crate::error::Result;
use chrono::{DateTime, Utc};
use cutover_app::port::{
    Job, Operator, ServiceHold, StoreError, StoredCertificate, SupplierNote, Timeline, TimelineRange,
};
use cutover_core::Word;
use diesel::prelude::*;

type NoteRow = (Timestamp, String, String);
type HoldRow = (Timestamp, String, Option<i64>, i64, i64);

fn note((at, by, text): NoteRow) -> Result<SupplierNote> {
    Ok(SupplierNote { at: at.instant()?, by: Operator::read(&by), text })
}

fn hold((at, by, wave, ended, failed): HoldRow) -> Result<ServiceHold> {
    Ok(ServiceHold {
        at: at.instant()?,
        by: Word::read(&by),
        wave: wave.map(|wave| number(wave, "wave")).transpose()?,
        ended: number(ended, "ended")?,
        failed: number(failed, "failed")?,
    })
}

fn notes(conn: &mut Conn, range: TimelineRange) -> Result<Vec<SupplierNote>> {
    let rows: Vec<NoteRow> = supplier_notes::table
        .filter(supplier_notes::supplier_id.eq(range.supplier_id))
        .filter(supplier_notes::written_at.lt(Timestamp::from(range.before)))
        .order((supplier_notes::written_at.desc(), supplier_notes::id.desc()))
        .limit(range.limit.into())
        .select((supplier_notes::written_at, supplier_notes::author, supplier_notes::body))
        .load(conn)?;
    rows.into_iter().map(note).collect()
}

fn holds(conn: &mut Conn, range: TimelineRange) -> Result<Vec<ServiceHold>> {
    let rows: Vec<HoldRow> = service_holds::table
        .filter(service_holds::supplier_id.eq(range.supplier_id))
        .filter(service_holds::held_at.lt(Timestamp::from(range.before)))
        .order((service_holds::held_at.desc(), service_holds::id.desc()))
        .limit(range.limit.into())
        .select((
            service_holds::held_at,
            service_holds::held_by,
            service_holds::wave,
            service_holds::ended,
            service_holds::failed,
        ))
        .load(conn)?;
    rows.into_iter().map(hold).collect()
}

fn waves(conn: &mut Conn, range: TimelineRange) -> Result<Vec<(DateTime<Utc>, u32)>> {
    let rows: Vec<(Timestamp, i64)> = supplier_waves::table
        .filter(supplier_waves::supplier_id.eq(range.supplier_id))
        .filter(supplier_waves::began_at.lt(Timestamp::from(range.before)))
        .order((supplier_waves::began_at.desc(), supplier_waves::id.desc()))
        .limit(range.limit.into())
        .select((supplier_waves::began_at, supplier_waves::wave))
        .load(conn)?;
    rows.into_iter().map(|(at, wave)| Ok((at.instant()?, number(wave, "wave")?))).collect()
}

impl Timeline for SqlTx<'_> {
    fn add_supplier_note(&mut self, supplier_id: i64, note: &SupplierNote) -> Result<(), StoreError> {
        self.run(|conn| {
            diesel::insert_into(supplier_notes::table)
                .values((
                    supplier_notes::supplier_id.eq(supplier_id),
                    supplier_notes::written_at.eq(Timestamp::from(note.at)),
                    supplier_notes::author.eq(note.by.to_string()),
                    supplier_notes::body.eq(&note.text),
                ))
                .execute(conn)?;
            Ok(())
        })
    }

    fn add_service_hold(&mut self, supplier_id: i64, hold: &ServiceHold) -> Result<(), StoreError> {
        self.run(|conn| {
            diesel::insert_into(service_holds::table)
                .values((
                    service_holds::supplier_id.eq(supplier_id),
                    service_holds::held_at.eq(Timestamp::from(hold.at)),
                    service_holds::held_by.eq(hold.by.as_str()),
                    service_holds::wave.eq(hold.wave.map(i64::from)),
                    service_holds::ended.eq(fit::<u64, i64>(hold.ended)?),
                    service_holds::failed.eq(fit::<u64, i64>(hold.failed)?),
                ))
                .execute(conn)?;
            Ok(())
        })
    }

    fn supplier_notes(&mut self, range: TimelineRange) -> Result<Vec<SupplierNote>, StoreError> {
        self.run(|conn| notes(conn, range))
    }

    fn service_holds(&mut self, range: TimelineRange) -> Result<Vec<ServiceHold>, StoreError> {
        self.run(|conn| holds(conn, range))
    }

    fn wave_begins(&mut self, range: TimelineRange) -> Result<Vec<(DateTime<Utc>, u32)>, StoreError> {
        self.run(|conn| waves(conn, range))
    }

    fn begun_jobs(&mut self, range: TimelineRange) -> Result<Vec<Job>, StoreError> {
        self.run(|conn| jobs::begun(conn, range))
    }

    fn issued_certificates(&mut self, range: TimelineRange) -> Result<Vec<StoredCertificate>, StoreError> {
        self.run(|conn| certificates::issued(conn, range))
    }
}
