//! Statements about many rows at once.

use super::dialect::{Columns, Conn, Db, Dialect};
use super::queries::processes::row::{Outcome, Status};
use super::queries::processes::write::Step;
use super::queries::refusals;
use super::queries::similar;
use super::queries::sql_dialect::SqlDialect;
use super::queries::statement::Bind;
use super::queries::types::{Bits, Day, Json, Timestamp};
use crate::error::Result;
use crate::schema::columns;
use cutover_app::port::{HeldMeterPoint, MeterPointHolder, MeterPointQuestion};
use cutover_core::{ExternalAccountNumber, folded};
use diesel::prelude::*;
use diesel::sql_types::{Array, BigInt, Binary, Bool, Nullable, Text};
use std::collections::{BTreeSet, HashMap, HashSet};

bind_arrays! {
    Vec<bool> => Bool;
    Vec<String> => Text;
    Vec<Option<&'static str>> => Nullable<Text>;
    Vec<Option<String>> => Nullable<Text>;
    Vec<Option<Timestamp>> => Nullable<columns::Instant>;
    Vec<Option<Json<'static>>> => Nullable<columns::Json>;
    Vec<Day> => columns::Day;
    Vec<Vec<u8>> => Binary;
    Vec<Option<Bits>> => Nullable<Binary>;
}

statement! {
    /// Writes many steps as [`Step`] writes one, and publishes their events. Returns the keys of the processes
    /// whose step was written.
    Steps<'r> {
        id: Vec<i64>,
        version_before: Vec<i64>,
        status: <Status<'r> as Columns>::Arrays<'r>,
        outcome: <Outcome<'r> as Columns>::Arrays<'r>,
        sets_issues: Vec<bool>,
        issues: Vec<Option<Json<'static>>>,
        error_causes: Vec<Option<Json<'static>>>,
        warning_causes: Vec<Option<Json<'static>>>,
        content: Vec<Option<Bits>>,
        kind: Vec<Option<&'static str>>,
        removed_account: Vec<Option<String>>,
        data: Vec<Option<Json<'static>>>,
    } -> BigInt
        = "WITH stepped AS (\
            UPDATE processes p SET " (Status::FROM_N) ", " (Outcome::FROM_N) ", \
                issues = CASE WHEN n.sets_issues THEN n.issues ELSE p.issues END, \
                error_causes = n.error_causes, \
                warning_causes = CASE WHEN n.sets_issues THEN n.warning_causes ELSE p.warning_causes END, \
                content = coalesce(n.content, p.content) \
            FROM unnest("
                id ", " version_before ", " status ", " outcome ", " sets_issues ", " issues ", "
                error_causes ", " warning_causes ", " content ", " kind ", " removed_account ", " data
            ") AS n (\
                id, version_before, " (Status::NAMES) ", " (Outcome::NAMES) ", sets_issues, issues, \
                error_causes, warning_causes, content, kind, removed_account, data) \
            WHERE p.id = n.id AND p.version = n.version_before \
            RETURNING p.id, p.supplier_id, p.external_account_number, \
                coalesce(n.removed_account, p.service_account_number) AS service_account_number, \
                p.attempt, p.modified_at, n.kind, n.data), \
            published AS (\
            INSERT INTO feed_events (\
                organisation_id, written_in, id, kind, occurred_at, supplier, \
                external_account_number, service_account_number, attempt, data) \
            SELECT s.organisation_id, " (Dialect::WRITTEN_IN) ", " (Dialect::EVENT_ID) ", \
                p.kind, p.modified_at, s.code, \
                p.external_account_number, p.service_account_number, p.attempt, p.data \
            FROM stepped p \
            JOIN suppliers s ON s.id = p.supplier_id \
            WHERE p.kind IS NOT NULL) \
            SELECT id FROM stepped"
}

/// Writes steps. Returns for each whether its process was still at the version before it.
pub(super) fn steps(conn: &mut Conn, mut steps: Vec<Step<'_>>) -> Result<Vec<bool>> {
    if steps.len() <= 1 {
        return steps.pop().map(|step| step.write(conn)).into_iter().collect();
    }
    let statement = Steps {
        id: steps.iter().map(|step| step.id).collect(),
        version_before: steps.iter().map(|step| step.version_before).collect(),
        status: Columns::arrays(steps.iter().map(|step| &step.status)),
        outcome: Columns::arrays(steps.iter().map(|step| &step.outcome)),
        sets_issues: steps.iter().map(|step| step.sets_issues).collect(),
        issues: steps.iter().map(|step| step.issues.clone()).collect(),
        error_causes: steps.iter().map(|step| step.error_causes.clone()).collect(),
        warning_causes: steps.iter().map(|step| step.warning_causes.clone()).collect(),
        content: steps.iter().map(|step| step.content).collect(),
        kind: steps.iter().map(|step| step.event.as_ref().map(|event| event.kind)).collect(),
        removed_account: steps.iter().map(|step| step.event.as_ref()?.removed_account.clone()).collect(),
        data: steps.iter().map(|step| step.event.as_ref()?.data.clone()).collect(),
    };
    let written: HashSet<i64> = statement.load::<i64>(conn)?.into_iter().collect();
    Ok(steps.iter().map(|step| written.contains(&step.id)).collect())
}

statement! {
    /// Places of the questions whose meter point another account has, and that account. The index ends with
    /// the account that has the meter point for longest, so one entry of it decides, besides those of the own
    /// account. The second order and OFFSET keep the planner from reading all accounts of a supplier, even if
    /// it plans with empty tables.
    Taken {
        organisation_id: Vec<i64>,
        supplier_id: Vec<i64>,
        number: Vec<String>,
        mpxn: Vec<String>,
        start: Vec<Day>,
    } -> (BigInt, BigInt, Nullable<columns::Day>, Text, Text)
        = "SELECT q.place, m.account_id, m.supply_end_date, s.code, a.external_account_number \
            FROM unnest(" organisation_id ", " supplier_id ", " number ", " mpxn ", " start ") WITH ORDINALITY \
                AS q (organisation_id, supplier_id, number, mpxn, start, place) \
            CROSS JOIN LATERAL (\
                SELECT p.account_id, p.supply_end_date FROM meter_points p \
                WHERE p.organisation_id = q.organisation_id AND p.mpxn = q.mpxn \
                AND p.account_id <> coalesce((\
                    SELECT o.id FROM accounts o \
                    WHERE o.supplier_id = q.supplier_id \
                    AND o.external_account_number BETWEEN q.number AND q.number \
                    ORDER BY o.supplier_id, o.external_account_number LIMIT 1), 0) \
                ORDER BY p.supply_end_date DESC, p.account_id DESC LIMIT 1) m \
            CROSS JOIN LATERAL (\
                SELECT o.supplier_id, o.external_account_number FROM accounts o \
                WHERE o.id = m.account_id OFFSET 0) a \
            JOIN suppliers s ON s.id = a.supplier_id \
            WHERE m.supply_end_date IS NULL OR m.supply_end_date > q.start"
}

statement! {
    /// Finds each process by the index of numbers, even if the plan was made while the table was empty: an
    /// equality could then become a scan of all of the supplier's processes by another index.
    Among { number: Vec<String>, supplier_id: i64 } -> (Text, BigInt, columns::Instant)
        = "SELECT n.number, p.id, p.created_at \
            FROM unnest(" number ") AS n (number) \
            CROSS JOIN LATERAL (\
                SELECT id, created_at FROM processes \
                WHERE supplier_id = " supplier_id " \
                AND external_account_number BETWEEN n.number AND n.number \
                ORDER BY supplier_id, external_account_number LIMIT 1) p"
}

pub(super) fn processes_among(
    conn: &mut Conn,
    supplier_id: i64,
    numbers: &[String],
) -> Result<Vec<(String, i64, Timestamp)>> {
    if numbers.is_empty() {
        return Ok(Vec::new());
    }
    Ok(Among { number: numbers.to_vec(), supplier_id }.load(conn)?)
}

statement! {
    /// Places of the numbers that look like that of an earlier process, and that number: the first one of those that have
    /// the folded number as their own or stored beside it.
    Similar { number: Vec<String>, folded: Vec<String>, supplier_id: i64 } -> (BigInt, Text)
        = "SELECT q.place, s.external_account_number \
            FROM unnest(" number ", " folded ") WITH ORDINALITY AS q (number, folded, place) \
            CROSS JOIN LATERAL (\
                SELECT p.external_account_number FROM processes p \
                WHERE p.id = ANY (ARRAY(\
                    (SELECT o.id FROM processes o \
                    WHERE o.supplier_id = " supplier_id " \
                    AND o.external_account_number BETWEEN q.folded AND q.folded \
                    ORDER BY o.supplier_id, o.external_account_number LIMIT 1) \
                    UNION ALL \
                    (SELECT f.process_id FROM folded_numbers f \
                    WHERE f.supplier_id = " supplier_id " AND f.folded BETWEEN q.folded AND q.folded \
                    ORDER BY f.supplier_id, f.folded, f.process_id LIMIT " (similar::CANDIDATES) "))) \
                AND p.id < coalesce((\
                    SELECT o.id FROM processes o \
                    WHERE o.supplier_id = " supplier_id " \
                    AND o.external_account_number BETWEEN q.number AND q.number \
                    ORDER BY o.supplier_id, o.external_account_number LIMIT 1), 9223372036854775807) \
                AND p.state <> 'CANCELLED' \
                ORDER BY p.id LIMIT 1) s"
}

pub(super) fn similar_numbers(
    conn: &mut Conn,
    supplier_id: i64,
    numbers: &[ExternalAccountNumber],
) -> Result<Vec<Option<String>>> {
    if numbers.is_empty() {
        return Ok(Vec::new());
    }
    let number = numbers.iter().map(ToString::to_string).collect();
    let folded = numbers.iter().map(|number| folded(number.as_str()).into_owned()).collect();
    let statement = Similar { number, folded, supplier_id };
    let mut found: HashMap<i64, String> = statement.load::<(i64, String)>(conn)?.into_iter().collect();
    Ok((1..).zip(numbers).map(|(place, _)| found.remove(&place)).collect())
}

statement! {
    /// Finds each refused create by its key, for the same reason.
    Refused { number: Vec<String>, supplier_id: i64 } -> (Text, columns::Instant, columns::Json)
        = "SELECT r.* \
            FROM unnest(" number ") AS n (number) \
            CROSS JOIN LATERAL (\
                SELECT external_account_number, refused_at, causes FROM refused_creates \
                WHERE supplier_id = " supplier_id " \
                AND external_account_number BETWEEN n.number AND n.number \
                ORDER BY supplier_id, external_account_number LIMIT 1) r"
}

pub(super) fn refused_among(
    conn: &mut Conn,
    supplier_id: i64,
    numbers: &[String],
) -> Result<Vec<refusals::Read>> {
    Ok(Refused { number: numbers.to_vec(), supplier_id }.load(conn)?)
}

statement! {
    /// Removes refused creates by their keys, for the same reason: by a scan, each row would be compared to all
    /// numbers.
    RemoveRefused { number: Vec<String>, supplier_id: i64 }
        = "DELETE FROM refused_creates WHERE ctid = ANY (ARRAY(\
                SELECT r.place \
                FROM unnest(" number ") AS n (number) \
                CROSS JOIN LATERAL (\
                    SELECT ctid AS place FROM refused_creates \
                    WHERE supplier_id = " supplier_id " \
                    AND external_account_number BETWEEN n.number AND n.number \
                    ORDER BY supplier_id, external_account_number LIMIT 1) r))"
}

pub(super) fn remove_refused(conn: &mut Conn, supplier_id: i64, numbers: &[&str]) -> Result<usize> {
    let number = numbers.iter().map(|number| (*number).to_owned()).collect();
    Ok(RemoveRefused { number, supplier_id }.execute(conn)?)
}

pub(super) fn meter_point_holders(
    conn: &mut Conn,
    questions: &[MeterPointQuestion<'_>],
) -> Result<Vec<Option<HeldMeterPoint>>> {
    if questions.is_empty() {
        return Ok(Vec::new());
    }
    let statement = Taken {
        organisation_id: questions.iter().map(|q| q.organisation_id).collect(),
        supplier_id: questions.iter().map(|q| q.supplier_id).collect(),
        number: questions.iter().map(|q| q.number.as_str().to_owned()).collect(),
        mpxn: questions.iter().map(|q| q.sought.mpxn.clone()).collect(),
        start: questions.iter().map(|q| Day(q.sought.supply_start_date)).collect(),
    };
    let rows = statement.load::<(i64, i64, Option<Day>, String, String)>(conn)?.into_iter();
    let held = |(place, account_id, supply_end, supplier, number): (_, _, Option<Day>, _, _)| {
        let holder = MeterPointHolder { supplier, number };
        (place, HeldMeterPoint { account_id, supply_end: supply_end.map(|Day(day)| day), holder })
    };
    let mut holders: HashMap<i64, HeldMeterPoint> = rows.map(held).collect();
    Ok((1..).zip(questions).map(|(place, _)| holders.remove(&place)).collect())
}

/// Maximum number of meter points that a transaction locks one by one: the server has room for a few thousand locks.
const LOCKED_POINTS: usize = 256;

statement! {
    /// Locks the organisations, shared unless all of their meter points are to be locked, then the meter points, each in
    /// the order of the keys, so that no two transactions wait for each other.
    LockPoints { organisation_id: Vec<i64>, mpxn: Vec<String>, all: bool } -> BigInt
        = "SELECT count(\
                CASE WHEN mpxn = '' AND NOT " all " THEN pg_advisory_xact_lock_shared(key)::text \
                ELSE pg_advisory_xact_lock(key)::text END) \
            FROM (\
                SELECT mpxn, hashtextextended(mpxn, organisation_id) AS key \
                FROM unnest(" organisation_id ", " mpxn ") AS q (organisation_id, mpxn) \
                ORDER BY mpxn <> '', key) AS keys"
}

pub(super) fn lock_meter_points(conn: &mut Conn, questions: &[MeterPointQuestion<'_>]) -> Result<()> {
    let point = |q: &MeterPointQuestion<'_>| (q.organisation_id, q.sought.mpxn.clone());
    let mut points: BTreeSet<(i64, String)> = questions.iter().map(point).collect();
    let all = points.len() > LOCKED_POINTS;
    if all {
        points.clear();
    }
    points.extend(questions.iter().map(|q| (q.organisation_id, String::new())));
    let (organisation_id, mpxn) = points.into_iter().unzip();
    LockPoints { organisation_id, mpxn, all }.get_result::<i64>(conn)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::postgres::queries::processes::row::HistoryRow;
    use cutover_testkit_postgres::{TestDatabase, server};
    use diesel::connection::SimpleConnection;
    use diesel::dsl::sql;

    const HISTORY: &str = "CREATE TABLE process_history (process_id BIGINT, version BIGINT, event TEXT, \
        from_state TEXT, to_state TEXT, occurred_at TIMESTAMPTZ, attempt BIGINT, actor TEXT)";

    fn entry(version: i64) -> HistoryRow<'static> {
        HistoryRow {
            process_id: 1,
            version,
            event: "a, \"b\" {c}".into(),
            from_state: (version % 2 == 0).then(|| "NULL".into()),
            to_state: "PENDING".into(),
            occurred_at: Timestamp::FIRST,
            attempt: 0,
            actor: "".into(),
        }
    }

    #[test]
    fn any_number_of_rows_is_inserted_by_the_same_statement() {
        let Some(server) = server() else { return };
        let database = TestDatabase::create(server).unwrap();
        let mut conn = Conn::establish(database.url()).unwrap();
        conn.batch_execute(HISTORY).unwrap();
        for versions in [0..0, 0..1, 1..3, 3..100] {
            HistoryRow::insert_all(&versions.map(entry).collect::<Vec<_>>(), &mut conn).unwrap();
        }
        let written = sql::<(BigInt, Text, Nullable<Text>)>(
            "SELECT version, event, from_state FROM process_history ORDER BY version",
        );
        let written: Vec<(i64, String, Option<String>)> = written.load(&mut conn).unwrap();
        let expected = (0..100)
            .map(entry)
            .map(|row| (row.version, row.event.into_owned(), row.from_state.map(|state| state.into_owned())));
        assert_eq!(written, expected.collect::<Vec<_>>());
        let prepared = "SELECT statement FROM pg_prepared_statements WHERE statement LIKE 'INSERT%'";
        let prepared: Vec<String> = sql::<Text>(prepared).load(&mut conn).unwrap();
        insta::assert_snapshot!(prepared.join("\n"), @r#"INSERT INTO "process_history" ("process_id", "version", "event", "from_state", "to_state", "occurred_at", "attempt", "actor") SELECT unnest($1), unnest($2), unnest($3), unnest($4), unnest($5), unnest($6), unnest($7), unnest($8)"#);
    }
}
