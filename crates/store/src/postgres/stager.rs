//! Group commit of new accounts: those that wait at the same time are stored by one statement.

use super::dialect::{Columns, Conn, Db, Dialect};
use super::pool::Pool;
use super::queries::processes::row::{HistoryRow, Origin, ProcessRow, Status};
use super::queries::processes::sent::Sent;
use super::queries::processes::{causes, issues};
use super::queries::rows;
use super::queries::similar;
use super::queries::sql_dialect::SqlDialect;
use super::queries::statement::Bind;
use super::queries::store_error;
use super::queries::terms;
use super::queries::types::{Bits, Json};
use crate::batch_queue::{BatchQueue, BatchThread, Refused};
use crate::error::Result;
use crate::sealed::Sealer;
use cutover_app::port::{Cause, Creation, SearchTerm, Staging, StagingDone, StoreError};
use cutover_core::FeedEventType;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Bool};
use std::borrow::Cow;
use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Maximum number of waiting accounts. Callers are limited elsewhere; this is a second limit.
const QUEUE: usize = 1_024;
/// Maximum number of accounts in one statement.
const GROUP: usize = 128;
/// Maximum size of their payloads in bytes.
const GROUP_BYTES: usize = 4 << 20;
/// Maximum wait of a group for another account. A group waits for as many accounts as were in flight the last
/// time, as long as more arrive: clients that were just answered may be about to send the next one.
const NEXT: Duration = Duration::from_micros(500);
/// Maximum wait of a group for all of them.
const ALL: Duration = Duration::from_millis(5);

/// Stages accounts on its own thread. It runs one statement at a time: more would make the groups smaller,
/// and a group costs the database little more than one account (515 microseconds for one, 172 each for
/// eight).
pub(super) struct Stager {
    sealer: Sealer,
    thread: BatchThread<Waiting>,
}

/// An account, and the callback that is called once it is durable.
struct Waiting {
    creation: Arc<Creation>,
    done: StagingDone,
}

impl Stager {
    /// Starts the thread. `pool` has one connection and is used by nothing else. `notify` notifies the
    /// workers of other processes of work.
    pub(super) fn start(
        pool: Pool,
        sealer: Sealer,
        notify: impl Fn(&Pool) + Send + 'static,
    ) -> std::io::Result<Self> {
        let work = move |queue| StagerThread { pool, queue, in_flight: 1 }.work(&notify);
        Ok(Self { sealer, thread: BatchThread::start("store-stager", QUEUE, work)? })
    }

    pub(super) fn stage(&self, creation: Arc<Creation>, done: StagingDone) {
        // Sealed by the caller's thread, to save the time of the stager's thread.
        let creation = match self.sealer.seal_creation(creation) {
            Ok(creation) => creation,
            Err(error) => return done(Err(store_error(error))),
        };
        if let Err((waiting, why)) = self.thread.push(Waiting { creation, done }) {
            let why = match why {
                Refused::Full => "too many accounts are waiting",
                Refused::Closed => "the store is closed",
            };
            (waiting.done)(Err(StoreError::Unavailable(why.into())));
        }
    }
}

/// The state of the stager's thread.
struct StagerThread {
    pool: Pool,
    queue: Arc<BatchQueue<Waiting>>,
    /// Number of accounts that were in flight at the same time when last counted.
    in_flight: usize,
}

impl StagerThread {
    fn work(&mut self, notify: &impl Fn(&Pool)) {
        while self.queue.wait_for_one() {
            self.gather();
            let group = self.group();
            // After a panic the callbacks of the group are dropped, which their callers notice.
            if catch_unwind(AssertUnwindSafe(|| self.serve(group, notify))).is_err() {
                tracing::error!("staging accounts panicked");
            }
        }
    }

    fn serve(&mut self, group: Vec<Waiting>, notify: &impl Fn(&Pool)) {
        let creations: Vec<_> = group.iter().map(|waiting| waiting.creation.clone()).collect();
        let answers = stage(&self.pool, &creations);
        let has_work = answers.contains(&Ok(Staging::Staged));
        self.in_flight = group.len() + self.queue.len();
        for (waiting, answer) in group.into_iter().zip(answers) {
            (waiting.done)(answer);
        }
        if has_work {
            notify(&self.pool);
        }
    }

    /// Waits for accounts that are likely to arrive.
    fn gather(&self) {
        let (wanted, begun) = (self.in_flight.min(GROUP), Instant::now());
        let mut count = 1;
        while count < wanted && begun.elapsed() < ALL {
            let now = self.queue.wait_for(wanted, NEXT);
            if now == count {
                break;
            }
            count = now;
        }
    }

    /// Takes the next group from the queue.
    fn group(&self) -> Vec<Waiting> {
        let (mut count, mut bytes) = (0, 0);
        self.queue.take_while(|waiting| {
            count += 1;
            bytes += waiting.creation.staged.payload.len();
            // A single account forms a group whatever its size.
            count == 1 || (count <= GROUP && bytes <= GROUP_BYTES)
        })
    }
}

/// Stages accounts and returns the result of each. If the group fails, each account is tried alone.
///
/// If the connection breaks, some accounts may have been stored. The next attempt then finds that they exist,
/// and the use case checks whether they are the caller's.
fn stage(pool: &Pool, group: &[Arc<Creation>]) -> Vec<Result<Staging, StoreError>> {
    let together = |group: &[Arc<Creation>]| pool.run_idempotent(|conn| insert(conn, group));
    match together(group) {
        Ok(stagings) => stagings.into_iter().map(Ok).collect(),
        Err(error) if group.len() == 1 => vec![Err(error)],
        // The database is unavailable: each account alone would fail too.
        Err(error) if error.is_passing() && !pool.answers() => vec![Err(error); group.len()],
        Err(_) => {
            let alone = |creation| Ok(together(std::slice::from_ref(creation))?[0]);
            group.iter().map(alone).collect()
        }
    }
}

/// The columns of [`Sent`], and the rows.
const SENT: &str =
    "sent_high, sent_units, sent_fraction, sent_readings, sent_transactions, sent_documents, sent_rows";

statement! {
    /// Inserts new accounts with their payloads and the first entries of their histories. Returns the number
    /// of each account whose supplier is unchanged and takes accounts, and whether it was stored.
    ///
    /// Accounts that exist are looked up first: ON CONFLICT would wait for a transaction that is changing
    /// one, and all creates with it. The contract that an account names is locked, so that it is not removed before the
    /// account is seen to refer to it; an account whose contract is gone is left out. So is one that was erased: a single
    /// snapshot shows its process, or the mark that took its place, or another revision of the supplier with the first mark. Even if the statement is planned while the table is empty, BETWEEN,
    /// ORDER BY and LIMIT make it find each account by its key: NOT EXISTS would become a join with the whole
    /// table, and two equalities a scan of all of the supplier's accounts by another index. The stored keys
    /// are an array for the same reason: a join would be a loop in a loop, which costs 20 microseconds for
    /// each of 64 accounts.
    Insert<'r> {
        origin: <Origin<'r> as Columns>::Arrays<'r>,
        status: <Status<'r> as Columns>::Arrays<'r>,
        sent_high: Vec<i64>,
        sent_units: Vec<i64>,
        sent_fraction: Vec<i64>,
        sent_readings: Vec<i64>,
        sent_transactions: Vec<i64>,
        sent_documents: Vec<i64>,
        sent_rows: Vec<Option<String>>,
        supplier_revision: Vec<i64>,
        issues: Vec<Option<Json<'static>>>,
        warning_causes: Vec<Option<Json<'static>>>,
        contract: Vec<Option<String>>,
        folded: Vec<Option<String>>,
        mark: Vec<Option<Bits>>,
        payload: Vec<Vec<u8>>,
        terms: Vec<Vec<u8>>,
        term_from: Vec<i64>,
        term_to: Vec<i64>,
        event: Vec<String>,
        actor: Vec<String>,
        kind: &'static str,
        term: Vec<Vec<u8>>,
        block_size: i64,
    } -> (BigInt, Bool)
        = "WITH sent AS MATERIALIZED (SELECT n.*, s.organisation_id, s.code FROM unnest("
            origin ", " status ", " sent_high ", " sent_units ", " sent_fraction ", " sent_readings ", " sent_transactions ", " sent_documents ", " sent_rows ", " supplier_revision ", " issues ", " warning_causes ", " contract ", " folded ", " mark ", " payload ", " terms ", " term_from ", " term_to ", " event ", " actor
            ") WITH ORDINALITY AS n (" (Origin::NAMES) ", " (Status::NAMES) ", " (SENT)
            ", supplier_revision, issues, warning_causes, contract, folded, mark, payload, terms, term_from, term_to, event, actor, place) \
            JOIN suppliers s ON s.id = n.supplier_id AND s.revision = n.supplier_revision \
            AND s.status = 'Ongoing'), \
            held AS (SELECT sent.place FROM sent CROSS JOIN LATERAL (SELECT c.position FROM business_contracts c \
            WHERE c.organisation_id = sent.organisation_id AND c.identifier BETWEEN sent.contract AND sent.contract \
            ORDER BY c.organisation_id, c.identifier LIMIT 1 FOR KEY SHARE) AS c WHERE sent.contract IS NOT NULL), \
            new AS MATERIALIZED (SELECT nextval('process_ids') AS id, sent.* FROM sent \
            WHERE (sent.contract IS NULL OR sent.place = ANY(ARRAY(SELECT place FROM held))) \
            AND (sent.mark IS NULL OR (SELECT e.mark FROM erased_accounts e WHERE e.supplier_id = sent.supplier_id \
            AND e.mark BETWEEN sent.mark AND sent.mark ORDER BY e.supplier_id, e.mark LIMIT 1) IS NULL)), \
            stored AS (INSERT INTO processes (id, " (Origin::NAMES) ", " (Status::NAMES) ", " (SENT) ", issues, warning_causes) \
            SELECT id, " (Origin::NAMES) ", " (Status::NAMES) ", " (SENT) ", issues, warning_causes FROM new WHERE (SELECT p.id FROM processes p \
            WHERE p.supplier_id = new.supplier_id AND p.external_account_number \
            BETWEEN new.external_account_number AND new.external_account_number \
            ORDER BY p.supplier_id, p.external_account_number LIMIT 1) IS NULL \
            ORDER BY supplier_id, external_account_number, place \
            ON CONFLICT (supplier_id, external_account_number) DO NOTHING RETURNING id), \
            staged AS (INSERT INTO payloads (process_id, payload) \
            SELECT id, payload FROM new WHERE id = ANY(ARRAY(SELECT id FROM stored))), \
            listed AS (INSERT INTO process_terms (process_id, terms) \
            SELECT id, terms FROM new WHERE length(terms) > 0 AND id = ANY(ARRAY(SELECT id FROM stored))), \
            searched AS (INSERT INTO search_terms (block, term, process_id) \
            SELECT new.id / " block_size ", t.term, new.id FROM new CROSS JOIN LATERAL unnest((" term ")[new.term_from:new.term_to]) AS t (term) WHERE new.id = ANY(ARRAY(SELECT id FROM stored))), \
            named AS (INSERT INTO process_contracts (process_id, organisation_id, identifier, is_in_use) \
            SELECT id, organisation_id, contract, TRUE FROM new WHERE contract IS NOT NULL \
            AND id = ANY(ARRAY(SELECT id FROM stored))), \
            alike AS (INSERT INTO folded_numbers (process_id, supplier_id, folded) \
            SELECT id, supplier_id, folded FROM new WHERE folded IS NOT NULL AND id = ANY(ARRAY(SELECT id FROM stored))), \
            begun AS (INSERT INTO process_history (process_id, version, event, to_state, occurred_at, \
            attempt, actor) SELECT id, version, event, state, created_at, attempt, actor \
            FROM new WHERE id = ANY(ARRAY(SELECT id FROM stored))), \
            published AS (INSERT INTO feed_events (organisation_id, written_in, id, kind, occurred_at, supplier, \
            external_account_number, attempt) \
            SELECT organisation_id, " (Dialect::WRITTEN_IN) ", " (Dialect::EVENT_ID) ", " kind ", created_at, code, \
            external_account_number, attempt FROM new WHERE id = ANY(ARRAY(SELECT id FROM stored))) \
            SELECT place, id = ANY(ARRAY(SELECT id FROM stored)) FROM new"
}

/// The key of a row that gets its key from the database.
const NO_KEY: i64 = 0;

fn insert(conn: &mut Conn, creations: &[Arc<Creation>]) -> Result<Vec<Staging>> {
    let processes: Vec<_> = creations.iter().map(|creation| creation.process(NO_KEY)).collect();
    let rows: Vec<ProcessRow<'_>> = creations
        .iter()
        .zip(&processes)
        .map(|(creation, (process, _))| {
            ProcessRow::new(creation.supplier_id, process, creation.staged.fingerprint)
        })
        .collect();
    let entries: Vec<_> = processes.iter().map(|(_, entry)| HistoryRow::new(NO_KEY, entry)).collect();
    let sent: Vec<Sent> =
        creations.iter().map(|creation| Sent::of(&creation.staged.totals)).collect::<Result<_>>()?;
    let terms: Vec<Vec<Vec<u8>>> = creations
        .iter()
        .map(|creation| creation.staged.terms.iter().map(|SearchTerm(term)| term.clone()).collect())
        .collect();
    let lists = creations.iter().map(|creation| terms::write_list(&creation.staged.terms));
    // The terms of all accounts are one array; each account has a slice of it, counted from 1.
    let term_to: Vec<i64> = terms
        .iter()
        .scan(0, |last, terms| {
            *last += terms.len() as i64;
            Some(*last)
        })
        .collect();
    let term_from = std::iter::once(1).chain(term_to.iter().map(|last| last + 1)).take(terms.len());
    let statement = Insert {
        origin: Columns::arrays(rows.iter().map(|row| &row.origin)),
        status: Columns::arrays(rows.iter().map(|row| &row.status)),
        sent_high: sent.iter().map(|sent| sent.sent_high).collect(),
        sent_units: sent.iter().map(|sent| sent.sent_units).collect(),
        sent_fraction: sent.iter().map(|sent| sent.sent_fraction).collect(),
        sent_readings: sent.iter().map(|sent| sent.sent_readings).collect(),
        sent_transactions: sent.iter().map(|sent| sent.sent_transactions).collect(),
        sent_documents: sent.iter().map(|sent| sent.sent_documents).collect(),
        sent_rows: creations.iter().map(|creation| rows::write_known(&creation.staged.totals.rows)).collect(),
        supplier_revision: creations.iter().map(|creation| creation.supplier_revision).collect(),
        issues: creations.iter().map(|creation| issues::write(&creation.issues)).collect::<Result<_>>()?,
        warning_causes: creations
            .iter()
            .map(|creation| causes::write(&Cause::of_issues(&creation.issues.warnings)))
            .collect::<Result<_>>()?,
        contract: creations.iter().map(|creation| creation.contract.clone()).collect(),
        folded: rows
            .iter()
            .map(|row| similar::to_store(&row.origin.external_account_number).map(Cow::into_owned))
            .collect(),
        mark: creations.iter().map(|creation| creation.mark.map(|mark| Bits(mark.0))).collect(),
        payload: creations.iter().map(|creation| creation.staged.payload.clone()).collect(),
        terms: lists.collect::<Result<_>>()?,
        term_from: term_from.collect(),
        term_to,
        event: entries.iter().map(|entry| entry.event.to_string()).collect(),
        actor: entries.iter().map(|entry| entry.actor.to_string()).collect(),
        kind: FeedEventType::ProcessCreated.as_str(),
        term: terms.concat(),
        block_size: terms::BLOCK_SIZE,
    };
    let stored: HashMap<i64, bool> = statement.load::<(i64, bool)>(conn)?.into_iter().collect();
    let staging = |number| match stored.get(&number) {
        Some(true) => Staging::Staged,
        Some(false) => Staging::Exists,
        None => Staging::SupplierChanged,
    };
    Ok((1..).zip(creations).map(|(number, _)| staging(number)).collect())
}
