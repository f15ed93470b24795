//! Bulk operations and their lists of processes.

use super::dialect::{Conn, Db, Dialect};
use super::schema::{job_items, jobs};
use super::sql_dialect::SqlDialect;
use super::statement::Bind;
use super::types::{Json, Timestamp, instant};
use super::{SqlTx, changed, number};
use crate::error::{Error, Result};
use chrono::{DateTime, Utc};
use cutover_app::port::{
    AnyJobs, Job, JobFilter, JobKind, JobPosition, JobState, Jobs, StoreError, TimelineRange,
};
use cutover_core::Word;
use diesel::prelude::*;
use diesel::sql_types::BigInt;
use std::collections::BTreeSet;

/// The columns of a job that can change.
#[derive(Queryable, Selectable, AsChangeset, Insertable)]
#[diesel(table_name = jobs, treat_none_as_null = true)]
struct ProgressRow {
    state: String,
    ended_at: Option<Timestamp>,
    matched: i64,
    changed: i64,
    skipped: i64,
    failed: i64,
    removed: Option<Json<'static>>,
    part: i64,
    position_at: Option<Timestamp>,
    position_id: i64,
    due_at: Option<Timestamp>,
    claim: i64,
    version: i64,
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = jobs)]
struct JobRow {
    id: i64,
    name: String,
    kind: String,
    organisation_id: i64,
    supplier_id: i64,
    supplier: String,
    actor: String,
    status: Option<String>,
    error_code: Option<String>,
    changed_before: Option<Timestamp>,
    imported_since: Option<Timestamp>,
    is_list: bool,
    created_at: Timestamp,
    run: Option<String>,
    wave: Option<i64>,
    imported_until: Option<Timestamp>,
    is_undone: Option<bool>,
    because: Option<String>,
    #[diesel(embed)]
    progress: ProgressRow,
}

impl TryFrom<JobRow> for Job {
    type Error = Error;

    fn try_from(row: JobRow) -> Result<Self> {
        let count = |rows| number::<i64, u64>(rows, "a number of processes");
        let progress = row.progress;
        Ok(Self {
            id: row.id,
            name: row.name,
            kind: Word::read(&row.kind),
            organisation_id: row.organisation_id,
            supplier_id: row.supplier_id,
            supplier: row.supplier,
            actor: row.actor,
            filter: JobFilter {
                status: row.status.as_deref().map(Word::read),
                error_code: row.error_code,
                before: instant(row.changed_before)?,
                imported_since: instant(row.imported_since)?,
                imported_until: instant(row.imported_until)?,
                run: row.run,
                wave: row.wave.map(|wave| number(wave, "a wave")).transpose()?,
                is_undone: row.is_undone,
                is_list: row.is_list,
            },
            because: row.because,
            created_at: row.created_at.instant()?,
            state: Word::read(&progress.state),
            ended_at: instant(progress.ended_at)?,
            matched: count(progress.matched)?,
            changed: count(progress.changed)?,
            skipped: count(progress.skipped)?,
            failed: count(progress.failed)?,
            removed: progress
                .removed
                .map(|json| json.read("the rows of an erasure"))
                .transpose()?
                .unwrap_or_default(),
            position: JobPosition {
                part: number(progress.part, "a part of a job")?,
                at: instant(progress.position_at)?,
                id: progress.position_id,
            },
            due_at: instant(progress.due_at)?,
            claim: progress.claim,
            version: progress.version,
        })
    }
}

impl ProgressRow {
    fn new(job: &Job, version: i64) -> Result<Self> {
        let count = |rows| number::<u64, i64>(rows, "a number of processes");
        Ok(Self {
            state: job.state.as_str().to_owned(),
            ended_at: job.ended_at.map(Timestamp::from),
            matched: count(job.matched)?,
            changed: count(job.changed)?,
            skipped: count(job.skipped)?,
            failed: count(job.failed)?,
            removed: if job.removed.is_empty() { None } else { Some(Json::of(&job.removed)?) },
            part: job.position.part.into(),
            position_at: job.position.at.map(Timestamp::from),
            position_id: job.position.id,
            due_at: job.due_at.map(Timestamp::from),
            claim: job.claim,
            version,
        })
    }
}

statement! {
    Lock { id: i64 } -> BigInt = "SELECT id FROM jobs WHERE id = " id (Dialect::LOCK)
}

statement! {
    LockIfFree { id: i64 } -> BigInt
        = "SELECT id FROM jobs WHERE id = " id (Dialect::LOCK) (Dialect::SKIP_LOCKED)
}

statement! {
    /// Jobs that have items to be removed. There are as few jobs as operators begin.
    Cleared { prepared_before: Timestamp } -> BigInt
        = "SELECT id FROM jobs WHERE is_list AND (state = 'done' OR state = 'preparing' AND created_at < "
            prepared_before ") AND EXISTS (SELECT 1 FROM job_items WHERE job_id = jobs.id) ORDER BY id LIMIT 1"
}

fn find(conn: &mut Conn, id: i64) -> Result<Option<Job>> {
    let row = jobs::table.find(id).select(JobRow::as_select()).get_result(conn).optional()?;
    row.map(Job::try_from).transpose()
}

fn find_by_name(conn: &mut Conn, name: &str) -> Result<Option<Job>> {
    let named = jobs::table.filter(jobs::name.eq(name)).select(JobRow::as_select());
    named.get_result(conn).optional()?.map(Job::try_from).transpose()
}

impl Jobs for SqlTx<'_> {
    fn add_job(&mut self, job: &Job) -> Result<Job, StoreError> {
        self.run(|conn| {
            diesel::insert_into(jobs::table)
                .values((
                    (
                        jobs::name.eq(&job.name),
                        jobs::kind.eq(job.kind.as_str()),
                        jobs::organisation_id.eq(job.organisation_id),
                        jobs::supplier_id.eq(job.supplier_id),
                        jobs::supplier.eq(&job.supplier),
                        jobs::actor.eq(&job.actor),
                        jobs::status.eq(job.filter.status.as_ref().map(Word::as_str)),
                        jobs::error_code.eq(job.filter.error_code.as_deref()),
                        jobs::changed_before.eq(job.filter.before.map(Timestamp::from)),
                        jobs::imported_since.eq(job.filter.imported_since.map(Timestamp::from)),
                        jobs::is_list.eq(job.filter.is_list),
                        jobs::created_at.eq(Timestamp::from(job.created_at)),
                    ),
                    (
                        jobs::imported_until.eq(job.filter.imported_until.map(Timestamp::from)),
                        jobs::run.eq(job.filter.run.as_deref()),
                        jobs::wave.eq(job.filter.wave.map(i64::from)),
                        jobs::is_undone.eq(job.filter.is_undone),
                        jobs::because.eq(job.because.as_deref()),
                    ),
                    ProgressRow::new(job, job.version)?,
                ))
                .execute(conn)?;
            find_by_name(conn, &job.name)?.ok_or_else(|| Error::corrupt("a job was not added"))
        })
    }

    fn add_job_items(&mut self, job_id: i64, process_ids: &[i64]) -> Result<u64, StoreError> {
        self.run(|conn| {
            let of_job = job_items::table.filter(job_items::job_id.eq(job_id));
            let known = of_job.filter(job_items::item_id.eq_any(process_ids)).select(job_items::item_id);
            let known: BTreeSet<i64> = known.load(conn)?.into_iter().collect();
            let new: BTreeSet<i64> = process_ids.iter().filter(|id| !known.contains(id)).copied().collect();
            let row = |id: &i64| (job_items::job_id.eq(job_id), job_items::item_id.eq(*id));
            let rows: Vec<_> = new.iter().map(row).collect();
            diesel::insert_into(job_items::table).values(&rows).execute(conn)?;
            Ok(rows.len() as u64)
        })
    }

    fn job_items(&mut self, job_id: i64, after: i64, limit: u32) -> Result<Vec<i64>, StoreError> {
        self.run(|conn| {
            let items = job_items::table.filter(job_items::job_id.eq(job_id));
            let items = items.filter(job_items::item_id.gt(after)).order(job_items::item_id);
            Ok(items.limit(limit.into()).select(job_items::item_id).load(conn)?)
        })
    }

    fn clear_job_items(&mut self, prepared_before: DateTime<Utc>, limit: u32) -> Result<bool, StoreError> {
        self.run(|conn| {
            let cleared = Cleared { prepared_before: prepared_before.into() };
            let Some(id) = cleared.get_result::<i64>(conn).optional()? else { return Ok(false) };
            let items = job_items::table.filter(job_items::job_id.eq(id)).order(job_items::item_id);
            let first: Vec<i64> = items.limit(limit.into()).select(job_items::item_id).load(conn)?;
            let Some(last) = first.last() else { return Ok(false) };
            let up_to = job_items::table.filter(job_items::job_id.eq(id)).filter(job_items::item_id.le(last));
            diesel::delete(up_to).execute(conn)?;
            Ok(true)
        })
    }

    fn erasure_of(&mut self, supplier_id: i64) -> Result<Option<Job>, StoreError> {
        self.run(|conn| {
            let row = jobs::table
                .filter(jobs::supplier_id.eq(supplier_id))
                .filter(jobs::kind.eq(JobKind::EraseSupplier.as_str()))
                .filter(jobs::state.ne(JobState::Done.as_str()))
                .order(jobs::id)
                .select(JobRow::as_select());
            row.first(conn).optional()?.map(Job::try_from).transpose()
        })
    }

    fn lock_job(&mut self, id: i64, waits: bool) -> Result<Option<Job>, StoreError> {
        self.run(|conn| {
            let locked: Option<i64> = match waits {
                true => Lock { id }.get_result(conn).optional()?,
                false => LockIfFree { id }.get_result(conn).optional()?,
            };
            if locked.is_some() { find(conn, id) } else { Ok(None) }
        })
    }

    fn change_job(&mut self, job: &Job) -> Result<bool, StoreError> {
        self.run(|conn| {
            let same = jobs::table.find(job.id).filter(jobs::version.eq(job.version));
            let change = ProgressRow::new(job, job.version + 1)?;
            Ok(changed(diesel::update(same).set(change).execute(conn)?))
        })
    }

    fn release_jobs(&mut self, at: DateTime<Utc>) -> Result<usize, StoreError> {
        self.run(|conn| {
            let running = jobs::table.filter(jobs::state.eq(JobState::Running.as_str()));
            let release = (jobs::due_at.eq(Some(Timestamp::from(at))), jobs::version.eq(jobs::version + 1));
            Ok(diesel::update(running).set(release).execute(conn)?)
        })
    }
}

/// Returns jobs of a supplier that are not being prepared, the last first.
pub(super) fn begun(conn: &mut Conn, range: TimelineRange) -> Result<Vec<Job>> {
    let rows: Vec<JobRow> = jobs::table
        .filter(jobs::supplier_id.eq(range.supplier_id))
        .filter(jobs::created_at.lt(Timestamp::from(range.before)))
        .filter(jobs::state.ne(JobState::Preparing.as_str()))
        .order((jobs::created_at.desc(), jobs::id.desc()))
        .limit(range.limit.into())
        .select(JobRow::as_select())
        .load(conn)?;
    rows.into_iter().map(Job::try_from).collect()
}

impl AnyJobs for SqlTx<'_> {
    fn job(&mut self, name: &str) -> Result<Option<Job>, StoreError> {
        self.run(|conn| find_by_name(conn, name))
    }

    fn jobs(&mut self, organisation_id: Option<i64>, limit: u32) -> Result<Vec<Job>, StoreError> {
        self.run(|conn| {
            let all = jobs::table.order(jobs::id.desc()).limit(limit.into()).select(JobRow::as_select());
            let rows: Vec<JobRow> = match organisation_id {
                Some(of) => all.filter(jobs::organisation_id.eq(of)).load(conn)?,
                None => all.load(conn)?,
            };
            rows.into_iter().map(Job::try_from).collect()
        })
    }

    fn due_job(&mut self, at: DateTime<Utc>) -> Result<Option<Job>, StoreError> {
        self.run(|conn| {
            let due = jobs::table.filter(jobs::due_at.le(Timestamp::from(at)));
            let due = due.order((jobs::due_at, jobs::id)).limit(1).select(JobRow::as_select());
            let rows: Vec<JobRow> = due.load(conn)?;
            rows.into_iter().next().map(Job::try_from).transpose()
        })
    }
}
