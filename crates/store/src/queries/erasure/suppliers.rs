//! Removes what is kept of a supplier besides its accounts.

use super::super::dialect::Dialect;
use super::super::figures::numbers;
use super::super::runs::erase_runs;
use super::super::schema::{
    activity_changes, activity_minutes, businesses, cause_changes, cause_counts, certificate_erasures,
    certificate_subtrees, certificates, erased_accounts, job_items, jobs, manifest_lists, manifest_numbers,
    manifests, process_changes, process_counts, process_minutes, processes, refused_causes, refused_creates,
    refused_totals, row_changes, row_counts, service_holds, supplier_gates, supplier_notes, supplier_waves,
    suppliers, total_changes, totals, wave_accounts,
};
use super::super::sql_dialect::SqlDialect;
use super::super::types::Timestamp;
use super::super::{Conn, number};
use crate::error::Result;
use cutover_app::port::ErasedRows;
use diesel::dsl::exists;
use diesel::prelude::*;

pub(super) fn count(conn: &mut Conn, supplier_id: i64) -> Result<Vec<ErasedRows>> {
    let rows = |rows: i64| number::<i64, u64>(rows, "a number of rows");
    let of_businesses = businesses::table.filter(businesses::supplier_id.eq(supplier_id)).count();
    let of_jobs = jobs::table.filter(jobs::supplier_id.eq(supplier_id)).count();
    let of_certificates = certificates::table.filter(certificates::supplier_id.eq(supplier_id)).count();
    let counted = [
        ("businesses", rows(of_businesses.get_result(conn)?)?),
        ("certificates", rows(of_certificates.get_result(conn)?)?),
        ("jobs", rows(of_jobs.get_result(conn)?)?),
    ];
    Ok(counted.into_iter().filter(|(_, rows)| *rows > 0).collect())
}

pub(super) fn erase_some(
    conn: &mut Conn,
    supplier_id: i64,
    job_id: i64,
    limit: i64,
) -> Result<Vec<ErasedRows>> {
    let of_supplier = process_minutes::table.filter(process_minutes::supplier_id.eq(supplier_id));
    let first = of_supplier.order(process_minutes::minute).select(process_minutes::minute).limit(limit);
    let first: Vec<Timestamp> = first.load(conn)?;
    if let Some(last) = first.last() {
        let up_to = process_minutes::table
            .filter(process_minutes::supplier_id.eq(supplier_id))
            .filter(process_minutes::minute.le(last));
        return Ok(vec![("process_minutes", diesel::delete(up_to).execute(conn)? as u64)]);
    }
    numbers::drop_lists(conn, supplier_id)?;
    let declared = numbers::remove(conn, supplier_id, limit)?;
    if declared > 0 {
        return Ok(vec![("manifest_numbers", declared)]);
    }
    let activity = activity(conn, supplier_id, limit)?;
    if !activity.is_empty() {
        return Ok(activity);
    }
    let certificates = certificates(conn, supplier_id)?;
    if !certificates.is_empty() {
        return Ok(certificates);
    }
    let job = jobs::table.filter(jobs::supplier_id.eq(supplier_id)).filter(jobs::id.ne(job_id));
    let job = job.order(jobs::id).select(jobs::id).first::<i64>(conn).optional()?;
    let Some(job) = job else { return Ok(Vec::new()) };
    let items = job_items::table.filter(job_items::job_id.eq(job)).order(job_items::item_id);
    let first: Vec<i64> = items.limit(limit).select(job_items::item_id).load(conn)?;
    if let Some(last) = first.last() {
        let up_to = job_items::table.filter(job_items::job_id.eq(job)).filter(job_items::item_id.le(last));
        return Ok(vec![("job_items", diesel::delete(up_to).execute(conn)? as u64)]);
    }
    Ok(vec![("jobs", diesel::delete(jobs::table.find(job)).execute(conn)? as u64)])
}

/// Removes the first counts by the minute of what happened.
fn activity(conn: &mut Conn, supplier_id: i64, limit: i64) -> Result<Vec<ErasedRows>> {
    let of_supplier = activity_minutes::table.filter(activity_minutes::supplier_id.eq(supplier_id));
    let key = (activity_minutes::minute, activity_minutes::kind);
    let first: Vec<(Timestamp, String)> = of_supplier.order(key).select(key).limit(limit).load(conn)?;
    let Some((minute, kind)) = first.last() else { return Ok(Vec::new()) };
    let is_of_minute = activity_minutes::minute.eq(minute).and(activity_minutes::kind.le(kind));
    let up_to = activity_minutes::table
        .filter(activity_minutes::supplier_id.eq(supplier_id))
        .filter(activity_minutes::minute.lt(minute).or(is_of_minute));
    Ok(vec![("activity_minutes", diesel::delete(up_to).execute(conn)? as u64)])
}

/// Number of subtrees of a certificate that are removed at once: each has some 80 KB.
const SUBTREES: i64 = 50;

/// Removes some leaves of the first certificate of a supplier, or the certificate if it has none.
fn certificates(conn: &mut Conn, supplier_id: i64) -> Result<Vec<ErasedRows>> {
    let first = certificates::table.filter(certificates::supplier_id.eq(supplier_id)).order(certificates::id);
    let first = first.select(certificates::id).first::<i64>(conn).optional()?;
    let Some(id) = first else { return Ok(Vec::new()) };
    let of = certificate_subtrees::table.filter(certificate_subtrees::certificate_id.eq(id));
    let positions = of.order(certificate_subtrees::position).limit(SUBTREES);
    let positions: Vec<i64> = positions.select(certificate_subtrees::position).load(conn)?;
    if let Some(last) = positions.last() {
        let removed = diesel::delete(of.filter(certificate_subtrees::position.le(*last))).execute(conn)?;
        return Ok(vec![("certificate_subtrees", removed as u64)]);
    }
    let erasures = certificate_erasures::table.filter(certificate_erasures::certificate_id.eq(id));
    diesel::delete(erasures).execute(conn)?;
    let removed = diesel::delete(certificates::table.find(id)).execute(conn)?;
    Ok(vec![("certificates", removed as u64)])
}

/// A transaction that folds locks rows of changes and waits for rows of counts, so this excludes folding.
pub(super) fn erase(conn: &mut Conn, supplier_id: i64) -> Result<Option<Vec<ErasedRows>>> {
    if Dialect::begin_fold(conn)?.is_none() {
        return Ok(None);
    }
    let of_processes = processes::table.filter(processes::supplier_id.eq(supplier_id));
    let of_businesses = businesses::table.filter(businesses::supplier_id.eq(supplier_id));
    let of_certificates = certificates::table.filter(certificates::supplier_id.eq(supplier_id));
    let of_refused = refused_creates::table.filter(refused_creates::supplier_id.eq(supplier_id));
    let is_in_use = diesel::select(exists(of_processes)).get_result(conn)?
        || diesel::select(exists(of_businesses)).get_result(conn)?
        || diesel::select(exists(of_certificates)).get_result(conn)?
        || diesel::select(exists(of_refused)).get_result(conn)?;
    if is_in_use {
        return Ok(None);
    }
    let mut erased = erase_runs(conn, supplier_id)?;
    let ids = &[supplier_id][..];
    erased.extend(erase!(conn, ids:
        refused_causes.supplier_id
        refused_totals.supplier_id
        process_changes.supplier_id
        process_counts.supplier_id
        process_minutes.supplier_id
        cause_changes.supplier_id
        cause_counts.supplier_id
        activity_changes.supplier_id
        activity_minutes.supplier_id
        service_holds.supplier_id
        supplier_notes.supplier_id
        manifests.supplier_id
        manifest_numbers.supplier_id
        manifest_lists.supplier_id
        row_changes.supplier_id
        row_counts.supplier_id
        total_changes.supplier_id
        totals.supplier_id
        wave_accounts.supplier_id
        supplier_gates.supplier_id
        supplier_waves.supplier_id
        erased_accounts.supplier_id
        suppliers.id
    ));
    Ok(Some(erased))
}
