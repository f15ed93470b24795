//! What monitoring asks of a server: few rows of its own views, none of ours.

use super::dialect::{Conn, Db};
use super::pool::Pool;
use cutover_app::port::{ServerFigures, StoreError};
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Bool, Nullable};
use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How many positions are remembered.
const REMEMBERED: usize = 1_000;

statement! {
    /// The next transaction; for how many milliseconds the oldest open one has kept dead rows; how many transactions
    /// old the oldest is that a standby or a slot keeps them for, which has no time; how much was written, and how
    /// much of it the standby furthest behind has; how much is kept for slots; whether other roles are seen. What this
    /// role may not see is null there.
    Server {} -> (BigInt, BigInt, Nullable<BigInt>, Nullable<BigInt>, Nullable<BigInt>, BigInt, Bool)
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
            pg_has_role('pg_read_all_stats', 'USAGE')"
}

statement! {
    /// How much of the write-ahead log a standby has replayed.
    Replayed {} -> Nullable<BigInt> = "SELECT pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0')::bigint"
}

/// Remembers when transactions and the log were how far: what has only a position gets an age.
#[derive(Debug, Default)]
pub(super) struct Monitor {
    transactions: Mutex<Course>,
    log: Mutex<Course>,
}

impl Monitor {
    /// The figures of a server, and of a standby where there is one to read from.
    pub(super) fn figures(
        &self,
        primary: &Pool,
        standby: Option<&Pool>,
    ) -> Result<ServerFigures, StoreError> {
        let (next, open, held, written, replayed, retained, sees_other_roles) = primary.run_again(server)?;
        let now = Instant::now();
        let held = {
            let mut transactions = locked(&self.transactions);
            transactions.note(now, next);
            held.map_or(Duration::ZERO, |age| transactions.age(next - age, now))
        };
        written.into_iter().for_each(|position| locked(&self.log).note(now, position));
        let on_standby =
            standby.map(|pool| pool.run_again(|conn| Ok(Replayed {}.get_result::<Option<i64>>(conn)?)));
        let own = on_standby.as_ref().and_then(|answer| answer.as_ref().ok().copied().flatten());
        let furthest_behind = replayed.into_iter().chain(own).min();
        let log = locked(&self.log);
        Ok(ServerFigures {
            oldest_snapshot: held.max(Duration::from_millis(u64::try_from(open).unwrap_or_default())),
            sees_other_roles,
            replication_lag: furthest_behind.map(|position| log.age(position, now)),
            standby_answers: on_standby.map(|answer| answer.is_ok()),
            retained_log: u64::try_from(retained).unwrap_or_default(),
        })
    }
}

type Row = (i64, i64, Option<i64>, Option<i64>, Option<i64>, i64, bool);

fn server(conn: &mut Conn) -> crate::error::Result<Row> {
    Ok(Server {}.get_result(conn)?)
}

fn locked(course: &Mutex<Course>) -> MutexGuard<'_, Course> {
    course.lock().unwrap_or_else(PoisonError::into_inner)
}

/// When a position that only grows was where.
#[derive(Debug, Default)]
struct Course(VecDeque<(Instant, i64)>);

impl Course {
    /// Remembers a position. One below the last is of another server, or of a restored one: it begins anew.
    fn note(&mut self, at: Instant, position: i64) {
        if self.0.back().is_some_and(|(_, last)| position < *last) {
            self.0.clear();
        }
        self.0.push_back((at, position));
        if self.0.len() > REMEMBERED {
            self.forget_one(at);
        }
    }

    /// Forgets the entry that is missed least: the one whose neighbours are closest to each other for its age. What is
    /// remembered is dense for the last minutes and sparse for hours ago.
    fn forget_one(&mut self, now: Instant) {
        let nanos = |from: Instant, to: Instant| to.saturating_duration_since(from).as_nanos();
        let gap = |i: usize| nanos(self.0[i - 1].0, self.0[i + 1].0);
        let age = |i: usize| nanos(self.0[i].0, now).max(1);
        let least = (1..self.0.len() - 1).min_by(|a, b| (gap(*a) * age(*b)).cmp(&(gap(*b) * age(*a))));
        least.map(|i| self.0.remove(i));
    }

    /// How long ago nothing was beyond a position: zero if nothing is yet. Of one from before what is remembered, how
    /// long that is.
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

    /// A position that grew by 10 a second, for so long; when it was at 0.
    fn course(seconds: u32) -> (Course, Instant) {
        let (mut course, start) = (Course::default(), Instant::now());
        (0..=seconds).for_each(|n| course.note(start + SECOND * n, i64::from(n) * 10));
        (course, start)
    }

    #[test]
    fn a_position_is_as_old_as_what_came_behind_it() {
        let (course, start) = course(60);
        let now = start + SECOND * 60;
        for (position, age) in [(600, 0), (700, 0), (595, 1), (590, 1), (0, 60), (-50, 60)] {
            assert_eq!(course.age(position, now), SECOND * age, "{position}");
        }
    }

    #[test]
    fn what_stands_still_is_not_behind() {
        let (mut course, start) = course(3);
        course.note(start + SECOND * 900, 30);
        assert_eq!(course.age(30, start + SECOND * 900), Duration::ZERO);
        assert_eq!(Course::default().age(5, start), Duration::ZERO);
    }

    #[test]
    fn it_reaches_back_further_than_it_remembers_and_stays_small() {
        let (mut course, start) = (Course::default(), Instant::now());
        for n in 0..=20_000 {
            course.note(start + SECOND * 5 * n, i64::from(n) * 50);
        }
        assert!(course.0.len() <= REMEMBERED);
        let age = course.age(0, start + SECOND * 100_000);
        assert_eq!(age, SECOND * 100_000);
        // Half a day back, to a quarter of an hour.
        let age = course.age(500_000, start + SECOND * 100_000);
        assert!((SECOND * 50_000..SECOND * 50_900).contains(&age), "{age:?}");
    }

    #[test]
    fn another_server_begins_anew() {
        let (mut course, start) = course(60);
        course.note(start + SECOND * 61, 5);
        assert_eq!(course.age(0, start + SECOND * 62), SECOND);
    }
}
