//! New accounts: those that wait at the same time go in one statement, and so in one commit.

use super::bulk::column;
use super::dialect::{Conn, Db};
use super::pool::Pool;
use super::queries::processes::issues;
use super::queries::processes::row::{HistoryRow, ProcessRow};
use super::queries::statement::Bind;
use super::queries::types::{Bits, Json, Timestamp};
use crate::error::Result;
use cutover_app::port::{Creation, Staging, StoreError};
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Bool};
use std::collections::HashMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// How many go in one statement.
const GROUP: usize = 64;
/// How many statements may be under way: more make groups smaller, fewer leave the wire idle.
const LANES: usize = 2;

type Answer = Result<Staging, StoreError>;

/// Whoever comes while a lane is free takes it, with all that wait; the others wait for them.
pub(super) struct Stager {
    desk: Mutex<Desk>,
}

#[derive(Default)]
struct Desk {
    waiting: Vec<Arc<Waiting>>,
    busy: usize,
}

/// Someone who waits.
struct Waiting {
    creation: Arc<Creation>,
    turn: Mutex<Turn>,
    changed: Condvar,
}

enum Turn {
    Wait,
    /// To take the lane of someone who is done.
    Lead,
    Done(Answer),
}

impl Waiting {
    fn turn(&self) -> MutexGuard<'_, Turn> {
        self.turn.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn set(&self, turn: Turn) {
        *self.turn() = turn;
        self.changed.notify_one();
    }

    /// Waits for the answer; `None` if it is to lead.
    fn wait(&self) -> Option<Answer> {
        let is_waiting = |turn: &mut Turn| matches!(turn, Turn::Wait);
        let turn = self.changed.wait_while(self.turn(), is_waiting);
        match &*turn.unwrap_or_else(PoisonError::into_inner) {
            Turn::Done(answer) => Some(answer.clone()),
            Turn::Wait | Turn::Lead => None,
        }
    }
}

impl Stager {
    pub(super) fn new() -> Self {
        Self { desk: Mutex::default() }
    }

    pub(super) fn stage(&self, pool: &Pool, creation: Arc<Creation>) -> Answer {
        let own = Arc::new(Waiting { creation, turn: Mutex::new(Turn::Wait), changed: Condvar::new() });
        if !self.queue(own.clone())
            && let Some(answer) = own.wait()
        {
            return answer;
        }
        self.lead(pool);
        let turn = std::mem::replace(&mut *own.turn(), Turn::Wait);
        match turn {
            Turn::Done(answer) => answer,
            Turn::Wait | Turn::Lead => Err(StoreError::Failed("an account was left behind".into())),
        }
    }

    /// Joins those who wait; whether it is to lead.
    fn queue(&self, own: Arc<Waiting>) -> bool {
        let mut desk = self.desk();
        desk.waiting.push(own);
        let leads = desk.busy < LANES;
        if leads {
            desk.busy += 1;
        }
        leads
    }

    /// Stages those who wait, first come first, and passes the lane on. Who leads is among the first.
    fn lead(&self, pool: &Pool) {
        let group: Vec<_> = {
            let mut desk = self.desk();
            let count = desk.waiting.len().min(GROUP);
            desk.waiting.drain(..count).collect()
        };
        let lane = Lane { stager: self, group: &group };
        let creations: Vec<&Creation> = group.iter().map(|waiting| &*waiting.creation).collect();
        let answers = stage(pool, &creations);
        for (place, waiting) in group.iter().enumerate() {
            waiting.set(Turn::Done(answers.as_ref().map(|found| found[place]).map_err(Clone::clone)));
        }
        drop(lane);
    }

    fn desk(&self) -> MutexGuard<'_, Desk> {
        self.desk.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A lane that is taken. However its statement ends, nobody is left waiting.
struct Lane<'s> {
    stager: &'s Stager,
    group: &'s [Arc<Waiting>],
}

impl Drop for Lane<'_> {
    fn drop(&mut self) {
        for waiting in self.group {
            if !matches!(&*waiting.turn(), Turn::Done(_)) {
                waiting.set(Turn::Done(Err(StoreError::Failed("staging panicked".into()))));
            }
        }
        let mut desk = self.stager.desk();
        match desk.waiting.first() {
            Some(next) => next.set(Turn::Lead),
            None => desk.busy -= 1,
        }
    }
}

/// Stages accounts; what became of each. A connection that breaks leaves open whether they were kept: asked
/// again, those that were are found to exist, and whose they are is for the use case to see.
fn stage(pool: &Pool, creations: &[&Creation]) -> Result<Vec<Staging>, StoreError> {
    let run = || {
        if pool.is_pooled() {
            pool.run_in_transaction(|conn| insert(conn, creations))
        } else {
            pool.run(|conn| insert(conn, creations))
        }
    };
    match run() {
        Err(StoreError::Unavailable(_)) => run(),
        done => done,
    }
}

statement! {
    /// New accounts with their payloads and the first entries of their histories: the place of each whose
    /// supplier takes accounts, and whether it was stored. Their keys come with the rows.
    Insert {
        supplier_id: Vec<i64>,
        external_account_number: Vec<String>,
        state: Vec<String>,
        attempt: Vec<i64>,
        tries: Vec<i64>,
        version: Vec<i64>,
        is_dry_run: Vec<bool>,
        window_start: Vec<Option<Timestamp>>,
        window_end: Vec<Option<Timestamp>>,
        due_at: Vec<Timestamp>,
        created_at: Vec<Timestamp>,
        modified_at: Vec<Timestamp>,
        latest_event_at: Vec<Timestamp>,
        fingerprint: Vec<Bits>,
        issues: Vec<Option<Json<'static>>>,
        payload: Vec<Vec<u8>>,
        event: Vec<String>,
        actor: Vec<String>,
    } -> (BigInt, Bool)
        = "WITH new AS MATERIALIZED (SELECT nextval('process_ids') AS id, n.* FROM unnest("
            supplier_id ", " external_account_number ", " state ", " attempt ", " tries ", " version ", "
            is_dry_run ", " window_start ", " window_end ", " due_at ", " created_at ", " modified_at ", "
            latest_event_at ", " fingerprint ", " issues ", " payload ", " event ", " actor
            ") WITH ORDINALITY AS n (supplier_id, external_account_number, state, attempt, tries, version, \
            is_dry_run, window_start, window_end, due_at, created_at, modified_at, latest_event_at, \
            fingerprint, issues, payload, event, actor, place) \
            JOIN suppliers s ON s.id = n.supplier_id AND s.status = 'Ongoing'), \
            stored AS (INSERT INTO processes (id, supplier_id, external_account_number, state, attempt, \
            tries, version, is_dry_run, window_start, window_end, due_at, created_at, modified_at, \
            latest_event_at, fingerprint, issues) SELECT id, supplier_id, external_account_number, state, \
            attempt, tries, version, is_dry_run, window_start, window_end, due_at, created_at, modified_at, \
            latest_event_at, fingerprint, issues FROM new ORDER BY supplier_id, external_account_number \
            ON CONFLICT (supplier_id, external_account_number) DO NOTHING RETURNING id), \
            staged AS (INSERT INTO payloads (process_id, payload) \
            SELECT id, payload FROM new JOIN stored USING (id)), \
            begun AS (INSERT INTO process_history (process_id, version, event, to_state, occurred_at, \
            attempt, actor) SELECT id, version, event, state, created_at, attempt, actor \
            FROM new JOIN stored USING (id)) \
            SELECT new.place, stored.id IS NOT NULL FROM new LEFT JOIN stored USING (id)"
}

/// The key of a row that gets its own in the database.
const NONE_YET: i64 = 0;

fn insert(conn: &mut Conn, creations: &[&Creation]) -> Result<Vec<Staging>> {
    let processes: Vec<_> = creations.iter().map(|creation| creation.process(NONE_YET)).collect();
    let rows: Vec<ProcessRow<'_>> = creations
        .iter()
        .zip(&processes)
        .map(|(creation, (process, _))| {
            ProcessRow::new(creation.supplier_id, process, creation.staged.fingerprint)
        })
        .collect();
    let entries: Vec<_> = processes.iter().map(|(_, entry)| HistoryRow::new(NONE_YET, entry)).collect();
    let statement = Insert {
        supplier_id: column!(rows.supplier_id),
        external_account_number: rows.iter().map(|row| row.external_account_number.to_string()).collect(),
        state: rows.iter().map(|row| row.state.to_string()).collect(),
        attempt: column!(rows.attempt),
        tries: column!(rows.tries),
        version: column!(rows.version),
        is_dry_run: column!(rows.is_dry_run),
        window_start: column!(rows.window_start),
        window_end: column!(rows.window_end),
        due_at: column!(rows.due_at),
        created_at: column!(rows.created_at),
        modified_at: column!(rows.modified_at),
        latest_event_at: column!(rows.latest_event_at),
        fingerprint: column!(rows.fingerprint),
        issues: creations.iter().map(|creation| issues::write(&creation.issues)).collect::<Result<_>>()?,
        payload: creations.iter().map(|creation| creation.staged.payload.clone()).collect(),
        event: entries.iter().map(|entry| entry.event.to_string()).collect(),
        actor: entries.iter().map(|entry| entry.actor.to_string()).collect(),
    };
    let found: HashMap<i64, bool> = statement.load::<(i64, bool)>(conn)?.into_iter().collect();
    let staging = |place| match found.get(&place) {
        Some(true) => Staging::Staged,
        Some(false) => Staging::Exists,
        None => Staging::SupplierNotOngoing,
    };
    Ok((1..).zip(creations).map(|(place, _)| staging(place)).collect())
}
