use super::super::Conn;
use super::super::dialect::{Db, Dialect};
use super::super::sql_dialect::SqlDialect;
use super::super::statement::Bind;
use super::super::types::Timestamp;
use super::count;
use super::counts::minute_of;
use crate::error::Result;
use crate::schema::columns;
use chrono::{DateTime, Utc};
use cutover_app::port::{ActivityCount, ActivityKind};
use cutover_core::Word;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Text};

statement! {
    Between { supplier_id: i64, since: Timestamp, until: Timestamp } -> (columns::Instant, Text, BigInt)
        = "SELECT minute, kind, CAST(sum(accounts) AS BIGINT) FROM (\
            SELECT minute, kind, accounts FROM activity_minutes WHERE supplier_id = " supplier_id
            " AND minute >= " since " AND minute < " until
            " UNION ALL SELECT minute, kind, change FROM activity_changes WHERE supplier_id = " supplier_id
            " AND id >= " (Dialect::FIRST_ACTIVITY_CHANGE) " AND minute >= " since " AND minute < " until
            ") AS counted GROUP BY minute, kind ORDER BY minute, kind"
}

/// The kinds that [`ActivityKind::is_failure`] names, for a condition.
const FAILURES: &str = "kind IN ('failed', 'dry_run_failed', 'refused')";

statement! {
    /// The newest minutes in which at least so many accounts failed.
    Failing { supplier_id: i64, until: Timestamp, at_least: i64, limit: i64 } -> (columns::Instant, BigInt)
        = "SELECT minute, CAST(sum(accounts) AS BIGINT) FROM (\
            SELECT minute, accounts FROM activity_minutes WHERE supplier_id = " supplier_id
            " AND minute < " until " AND " (FAILURES)
            " UNION ALL SELECT minute, change FROM activity_changes WHERE supplier_id = " supplier_id
            " AND id >= " (Dialect::FIRST_ACTIVITY_CHANGE) " AND minute < " until " AND " (FAILURES)
            ") AS counted GROUP BY minute HAVING sum(accounts) >= " at_least " ORDER BY minute DESC LIMIT " limit
}

pub(super) fn between(
    conn: &mut Conn,
    supplier_id: i64,
    since: DateTime<Utc>,
    until: DateTime<Utc>,
) -> Result<Vec<ActivityCount>> {
    let between = Between { supplier_id, since: minute_of(since)?, until: until.into() };
    let rows: Vec<(Timestamp, String, i64)> = between.load(conn)?;
    let of_row = |(minute, kind, accounts): (Timestamp, String, i64)| {
        Ok(ActivityCount {
            minute: minute.instant()?,
            kind: Word::<ActivityKind>::read(&kind),
            accounts: count(accounts),
        })
    };
    rows.into_iter().map(of_row).collect()
}

pub(super) fn failing(
    conn: &mut Conn,
    supplier_id: i64,
    at_least: u64,
    until: DateTime<Utc>,
    limit: u32,
) -> Result<Vec<(DateTime<Utc>, u64)>> {
    let at_least = super::super::fit(at_least)?;
    let failing = Failing { supplier_id, until: until.into(), at_least, limit: limit.into() };
    let rows: Vec<(Timestamp, i64)> = failing.load(conn)?;
    rows.into_iter().map(|(minute, accounts)| Ok((minute.instant()?, count(accounts)))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_are_named_in_the_condition() {
        let named: Vec<_> = ActivityKind::ALL.iter().filter(|kind| kind.is_failure()).collect();
        let named: Vec<_> = named.iter().map(|kind| format!("'{kind}'")).collect();
        assert_eq!(FAILURES, format!("kind IN ({})", named.join(", ")));
    }
}
