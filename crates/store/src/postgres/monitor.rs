//! Figures of a server for monitoring, from a few rows of its own views.

use super::dialect::{Conn, Db};
use super::pool::Pool;
use cutover_app::port::{ServerFigures, StoreError};
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Bool, Nullable};
use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Maximum number of positions in a history.
const MAX_POSITIONS: usize = 1_000;

statement! {
    /// Returns these columns, with null for values that this role may not see:
    ///
    /// 1. the next transaction number
    /// 2. the milliseconds for which the oldest open transaction has kept dead rows
    /// 3. the age, as a number of transactions, of the oldest one that a standby or a slot keeps dead rows
    ///    for
    /// 4. the length of the write-ahead log in bytes
    /// 5. the length that the standby furthest behind has replayed
    /// 6. the bytes of the log that are retained for slots
    /// 7. true if this role sees the sessions of other roles
    /// 8. true if the last segment of the log was archived
    /// 9. true if commits wait for a standby
    Server {} -> (BigInt, BigInt, Nullable<BigInt>, Nullable<BigInt>, Nullable<BigInt>, BigInt, Bool, Nullable<Bool>, Bool)
        = "SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint, \
            coalesce((SELECT max(extract(epoch FROM clock_timestamp() - since)) * 1000 FROM (\
                SELECT xact_start AS since FROM pg_stat_activity \
                    WHERE datname = current_database() AND pid <> pg_backend_pid() \
                    AND backend_type <> 'autovacuum worker' AND (backend_xmin IS NOT NULL OR backend_xid IS NOT NULL) \
                UNION ALL SELECT prepared FROM pg_prepared_xacts WHERE database = current_database()\
                ) AS open), 0)::bigint, \
            (SELECT max(age(held)) FROM (\
                SELECT backend_xmin AS held FROM pg_stat_activity WHERE backend_type = 'walsender' \
                UNION ALL SELECT xmin FROM pg_replication_slots) AS holders)::bigint, \
            CASE WHEN NOT pg_is_in_recovery() THEN pg_wal_lsn_diff(pg_current_wal_flush_lsn(), '0/0') END::bigint, \
            (SELECT min(pg_wal_lsn_diff(replay_lsn, '0/0')) FROM pg_stat_replication)::bigint, \
            coalesce(CASE WHEN NOT pg_is_in_recovery() THEN (SELECT \
                max(pg_wal_lsn_diff(pg_current_wal_flush_lsn(), restart_lsn)) FROM pg_replication_slots) END, 0)::bigint, \
            pg_has_role('pg_read_all_stats', 'USAGE'), \
            CASE WHEN current_setting('archive_mode') <> 'off' THEN (SELECT last_failed_time IS NULL \
                OR coalesce(last_archived_time > last_failed_time, FALSE) FROM pg_stat_archiver) END, \
            current_setting('synchronous_standby_names') <> ''"
}

statement! {
    /// Length of the write-ahead log that a standby has replayed; null for a server that is none.
    Replayed {} -> Nullable<BigInt> = "SELECT CASE WHEN pg_is_in_recovery() THEN \
        coalesce(pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0'), 0) END::bigint"
}

/// Records positions of transactions and of the log with their times, to convert positions to ages.
#[derive(Debug, Default)]
pub(super) struct Monitor {
    transactions: Mutex<History>,
    log: Mutex<History>,
}

impl Monitor {
    /// Returns the figures of a server, and of the standby if there is one.
    pub(super) fn figures(
        &self,
        primary: &Pool,
        standby: Option<&Pool>,
    ) -> Result<ServerFigures, StoreError> {
        let (
            next,
            open,
            held,
            written,
            replayed,
            retained,
            sees_other_roles,
            archives_log,
            has_synchronous_standbys,
        ) = primary.run_idempotent(server)?;
        let now = Instant::now();
        let held = {
            let mut transactions = locked(&self.transactions);
            transactions.note(now, next);
            held.map_or(Duration::ZERO, |age| transactions.age(next - age, now))
        };
        written.into_iter().for_each(|position| locked(&self.log).note(now, position));
        let on_standby =
            standby.map(|pool| pool.run_idempotent(|conn| Ok(Replayed {}.get_result::<Option<i64>>(conn)?)));
        let own = on_standby.as_ref().and_then(|answer| answer.as_ref().ok().copied().flatten());
        let furthest_behind = replayed.into_iter().chain(own).min();
        let log = locked(&self.log);
        Ok(ServerFigures {
            oldest_snapshot: held.max(Duration::from_millis(u64::try_from(open).unwrap_or_default())),
            sees_other_roles,
            archives_log,
            has_synchronous_standbys,
            replication_lag: furthest_behind.map(|position| log.age(position, now)),
            standby_answers: on_standby.map(|answer| answer.is_ok()),
            retained_log: u64::try_from(retained).unwrap_or_default(),
        })
    }
}

type Row = (i64, i64, Option<i64>, Option<i64>, Option<i64>, i64, bool, Option<bool>, bool);

fn server(conn: &mut Conn) -> crate::error::Result<Row> {
    Ok(Server {}.get_result(conn)?)
}

fn locked(history: &Mutex<History>) -> MutexGuard<'_, History> {
    history.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Times at which a growing position had certain values.
#[derive(Debug, Default)]
struct History(VecDeque<(Instant, i64)>);

impl History {
    /// Records a position. A position below the last one belongs to another server or a restored one and
    /// clears the history.
    fn note(&mut self, at: Instant, position: i64) {
        if self.0.back().is_some_and(|(_, last)| position < *last) {
            self.0.clear();
        }
        self.0.push_back((at, position));
        if self.0.len() > MAX_POSITIONS {
            self.drop_one(at);
        }
    }

    /// Drops the entry whose neighbours are closest to each other relative to its age. The history stays
    /// dense for the last minutes and sparse for hours ago.
    fn drop_one(&mut self, now: Instant) {
        let nanos = |from: Instant, to: Instant| to.saturating_duration_since(from).as_nanos();
        let gap = |i: usize| nanos(self.0[i - 1].0, self.0[i + 1].0);
        let age = |i: usize| nanos(self.0[i].0, now).max(1);
        let least = (1..self.0.len() - 1).min_by(|a, b| (gap(*a) * age(*b)).cmp(&(gap(*b) * age(*a))));
        least.map(|i| self.0.remove(i));
    }

    /// Returns the time since a position was passed, or zero if it was not. For a position before the
    /// history, returns the length of the history.
    fn age(&self, position: i64, now: Instant) -> Duration {
        let within = self.0.iter().rev().find(|(_, noted)| *noted <= position);
        let since = within.or(self.0.front()).map(|(at, _)| *at);
        since.map_or(Duration::ZERO, |at| now.saturating_duration_since(at))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    /// Returns the history of a position that grew by 10 a second, and the time at which it was 0.
    fn history(seconds: u32) -> (History, Instant) {
        let (mut history, start) = (History::default(), Instant::now());
        (0..=seconds).for_each(|n| history.note(start + SECOND * n, i64::from(n) * 10));
        (history, start)
    }

    #[test]
    fn the_age_of_a_position_is_the_time_since_it_was_passed() {
        let (history, start) = history(60);
        let now = start + SECOND * 60;
        for (position, age) in [(600, 0), (700, 0), (595, 1), (590, 1), (0, 60), (-50, 60)] {
            assert_eq!(history.age(position, now), SECOND * age, "{position}");
        }
    }

    #[test]
    fn a_position_that_does_not_grow_is_not_behind() {
        let (mut history, start) = history(3);
        history.note(start + SECOND * 900, 30);
        assert_eq!(history.age(30, start + SECOND * 900), Duration::ZERO);
        assert_eq!(History::default().age(5, start), Duration::ZERO);
    }

    #[test]
    fn a_history_reaches_far_back_and_stays_small() {
        let (mut history, start) = (History::default(), Instant::now());
        for n in 0..=20_000 {
            history.note(start + SECOND * 5 * n, i64::from(n) * 50);
        }
        assert!(history.0.len() <= MAX_POSITIONS);
        let age = history.age(0, start + SECOND * 100_000);
        assert_eq!(age, SECOND * 100_000);
        // Half a day back, accurate to a quarter of an hour.
        let age = history.age(500_000, start + SECOND * 100_000);
        assert!((SECOND * 50_000..SECOND * 50_900).contains(&age), "{age:?}");
    }

    #[test]
    fn a_position_of_another_server_clears_the_history() {
        let (mut history, start) = history(60);
        history.note(start + SECOND * 61, 5);
        assert_eq!(history.age(0, start + SECOND * 62), SECOND);
    }
}
