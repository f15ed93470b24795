//! Statements about many rows at once.

use super::dialect::{Conn, Db, columns};
use super::queries::processes::write::Step;
use super::queries::statement::Bind;
use super::queries::types::{Bits, Day, Json, Timestamp};
use crate::error::Result;
use cutover_app::port::MeterPointQuestion;
use diesel::prelude::*;
use diesel::sql_types::{Array, BigInt, Binary, Bool, Nullable, Text};
use std::collections::HashSet;

arrays! {
    Vec<bool> => Bool;
    Vec<Option<i64>> => Nullable<BigInt>;
    Vec<&'static str> => Text;
    Vec<Option<&'static str>> => Nullable<Text>;
    Vec<String> => Text;
    Vec<Option<String>> => Nullable<Text>;
    Vec<Timestamp> => columns::Instant;
    Vec<Option<Timestamp>> => Nullable<columns::Instant>;
    Vec<Option<Json<'static>>> => Nullable<columns::Json>;
    Vec<Day> => columns::Day;
    Vec<Bits> => Binary;
    Vec<Vec<u8>> => Binary;
}

statement! {
    /// The steps of many processes, as [`Step`] writes one; the keys of those that were written.
    Steps {
        id: Vec<i64>,
        version_before: Vec<i64>,
        state: Vec<&'static str>,
        attempt: Vec<i64>,
        tries: Vec<i64>,
        version: Vec<i64>,
        is_dry_run: Vec<bool>,
        window_start: Vec<Option<Timestamp>>,
        window_end: Vec<Option<Timestamp>>,
        due_at: Vec<Timestamp>,
        lease_until: Vec<Option<Timestamp>>,
        modified_at: Vec<Timestamp>,
        latest_event_at: Vec<Timestamp>,
        error_code: Vec<Option<&'static str>>,
        error_detail: Vec<Option<String>>,
        service_account_number: Vec<Option<String>>,
        failing_since: Vec<Option<Timestamp>>,
        failing_tries: Vec<Option<i64>>,
        sets_issues: Vec<bool>,
        issues: Vec<Option<Json<'static>>>,
    } -> BigInt
        = "UPDATE processes p SET state = n.state, attempt = n.attempt, tries = n.tries, \
            version = n.version, is_dry_run = n.is_dry_run, window_start = n.window_start, \
            window_end = n.window_end, due_at = n.due_at, lease_until = n.lease_until, \
            modified_at = n.modified_at, latest_event_at = n.latest_event_at, error_code = n.error_code, \
            error_detail = n.error_detail, service_account_number = n.service_account_number, \
            failing_since = n.failing_since, failing_tries = n.failing_tries, \
            issues = CASE WHEN n.sets_issues THEN n.issues ELSE p.issues END FROM unnest("
            id ", " version_before ", " state ", " attempt ", " tries ", " version ", " is_dry_run ", "
            window_start ", " window_end ", " due_at ", " lease_until ", " modified_at ", "
            latest_event_at ", " error_code ", " error_detail ", " service_account_number ", "
            failing_since ", " failing_tries ", " sets_issues ", " issues
            ") AS n (id, version_before, state, attempt, tries, version, is_dry_run, window_start, \
            window_end, due_at, lease_until, modified_at, latest_event_at, error_code, error_detail, \
            service_account_number, failing_since, failing_tries, sets_issues, issues) \
            WHERE p.id = n.id AND p.version = n.version_before RETURNING p.id"
}

/// A column of rows.
macro_rules! column {
    ($rows:ident.$field:ident) => {
        $rows.iter().map(|row| row.$field.clone()).collect()
    };
}
pub(super) use column;

/// Writes steps; which of them found their process at the version before.
pub(crate) fn steps(conn: &mut Conn, mut rows: Vec<Step>) -> Result<Vec<bool>> {
    if rows.len() <= 1 {
        return rows.pop().map(|step| Ok(step.execute(conn)? > 0)).into_iter().collect();
    }
    let statement = Steps {
        id: column!(rows.id),
        version_before: column!(rows.version_before),
        state: column!(rows.state),
        attempt: column!(rows.attempt),
        tries: column!(rows.tries),
        version: column!(rows.version),
        is_dry_run: column!(rows.is_dry_run),
        window_start: column!(rows.window_start),
        window_end: column!(rows.window_end),
        due_at: column!(rows.due_at),
        lease_until: column!(rows.lease_until),
        modified_at: column!(rows.modified_at),
        latest_event_at: column!(rows.latest_event_at),
        error_code: column!(rows.error_code),
        error_detail: column!(rows.error_detail),
        service_account_number: column!(rows.service_account_number),
        failing_since: column!(rows.failing_since),
        failing_tries: column!(rows.failing_tries),
        sets_issues: column!(rows.sets_issues),
        issues: column!(rows.issues),
    };
    let written: HashSet<i64> = statement.load::<i64>(conn)?.into_iter().collect();
    Ok(rows.iter().map(|row| written.contains(&row.id)).collect())
}

statement! {
    /// The places of the questions whose meter point is taken. OFFSET has the planner begin with the meter point and go to
    /// its account by the key, whatever the tables held when it planned: the other way leads through all accounts of a
    /// supplier.
    Taken {
        organisation_id: Vec<i64>,
        supplier_id: Vec<i64>,
        number: Vec<String>,
        mpxn: Vec<String>,
        start: Vec<Day>,
    } -> BigInt
        = "SELECT q.place FROM unnest(" organisation_id ", " supplier_id ", " number ", " mpxn ", " start
            ") WITH ORDINALITY AS q (organisation_id, supplier_id, number, mpxn, start, place) WHERE EXISTS (\
            SELECT 1 FROM (SELECT p.account_id, p.supply_end_date FROM meter_points p WHERE p.mpxn = q.mpxn OFFSET 0) m \
            CROSS JOIN LATERAL (SELECT o.supplier_id, o.external_account_number FROM accounts o \
            WHERE o.id = m.account_id OFFSET 0) a \
            JOIN suppliers s ON s.id = a.supplier_id WHERE (m.supply_end_date IS NULL OR m.supply_end_date > q.start) \
            AND s.organisation_id = q.organisation_id \
            AND (a.supplier_id <> q.supplier_id OR a.external_account_number <> q.number))"
}

/// Whether each meter point is taken. Identifiers are kept trimmed.
pub(crate) fn are_taken(conn: &mut Conn, questions: &[MeterPointQuestion<'_>]) -> Result<Vec<bool>> {
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
    let taken: HashSet<i64> = statement.load::<i64>(conn)?.into_iter().collect();
    Ok((1..).zip(questions).map(|(place, _)| taken.contains(&place)).collect())
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
    fn rows_go_by_one_statement_however_many_they_are() {
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
