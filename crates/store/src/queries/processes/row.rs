use super::super::dialect::Db;
use super::super::number;
use super::super::schema::{process_history, processes, suppliers};
use super::super::statement::Bind;
use super::super::types::{Bits, Json, Timestamp, instant};
use super::causes;
use crate::error::{Error, Result};
use chrono::{DateTime, Utc};
use cutover_app::port::StoredProcess;
use cutover_core::Word;
use cutover_process::{
    EventKind, HistoryEntry, LEASE, Outage, Process, ProcessError, Snapshot, State, StoredFacts, Window,
};
use diesel::prelude::*;
use std::borrow::Cow;

columns! {
    /// Columns of a process that no step changes.
    pub(crate) struct Origin<'a> in processes {
        supplier_id: i64,
        external_account_number: Cow<'a, str>,
        created_at: Timestamp,
        fingerprint: Bits,
    }
}

columns! {
    /// Columns of a process that every process has values of and steps change.
    pub(crate) struct Status<'a> in processes {
        state: Cow<'a, str>,
        attempt: i64,
        tries: i64,
        version: i64,
        is_dry_run: bool,
        window_start: Option<Timestamp>,
        window_end: Option<Timestamp>,
        due_at: Timestamp,
        modified_at: Timestamp,
        latest_event_at: Timestamp,
    }
}

/// The number of failing tries of a process whose import was undone. One that is cancelled otherwise has none, since an outage
/// ends with it; so the table needs no column more, which would be the 33rd.
const UNDONE: i64 = 0;

columns! {
    /// Columns of a process that steps change and that are null in a new one.
    pub(crate) struct Outcome<'a> in processes {
        lease_until: Option<Timestamp>,
        error_code: Option<Cow<'a, str>>,
        error_detail: Option<Cow<'a, str>>,
        service_account_number: Option<Cow<'a, str>>,
        failing_since: Option<Timestamp>,
        failing_tries: Option<i64>,
    }
}

/// A process, without its issues and its payload.
#[derive(Insertable, Queryable, Selectable)]
#[diesel(table_name = processes, treat_none_as_default_value = false)]
pub(crate) struct ProcessRow<'a> {
    pub(crate) id: i64,
    #[diesel(embed)]
    pub(crate) origin: Origin<'a>,
    #[diesel(embed)]
    pub(crate) status: Status<'a>,
    #[diesel(embed)]
    pub(crate) outcome: Outcome<'a>,
}

impl<'a> ProcessRow<'a> {
    pub(crate) fn new(supplier_id: i64, process: &'a Process, fingerprint: [u8; 32]) -> Self {
        let snapshot = process.snapshot();
        let origin = Origin {
            supplier_id,
            external_account_number: snapshot.external_account_number.as_str().into(),
            created_at: snapshot.created_at.into(),
            fingerprint: Bits(fingerprint),
        };
        Self { id: snapshot.id, origin, status: snapshot.into(), outcome: snapshot.into() }
    }
}

impl<'a> From<&'a Snapshot> for Status<'a> {
    fn from(snapshot: &'a Snapshot) -> Self {
        Self {
            state: snapshot.state.as_str().into(),
            attempt: snapshot.attempt.into(),
            tries: snapshot.tries.into(),
            version: snapshot.version,
            is_dry_run: snapshot.is_dry_run,
            window_start: snapshot.window.start.map(Timestamp::from),
            window_end: snapshot.window.end.map(Timestamp::from),
            due_at: snapshot.due_at.into(),
            modified_at: snapshot.modified_at.into(),
            latest_event_at: snapshot.latest_event_at.into(),
        }
    }
}

impl<'a> From<&'a Snapshot> for Outcome<'a> {
    fn from(snapshot: &'a Snapshot) -> Self {
        let error = snapshot.latest_error.as_ref();
        let is_running = snapshot.state == State::InProgress;
        Self {
            // Every claim ends: after this time unless another one is set.
            lease_until: is_running.then(|| Timestamp::from(snapshot.modified_at + LEASE)),
            error_code: error.and_then(|error| error.code.known()).map(|code| code.as_str().into()),
            error_detail: error.map(|error| error.detail.as_ref().into()),
            service_account_number: snapshot.service_account_number.as_ref().map(|n| n.as_str().into()),
            failing_since: snapshot.outage.map(|outage| outage.since.into()),
            failing_tries: match snapshot.outage {
                Some(outage) => Some(outage.tries.into()),
                None => snapshot.is_undone.then_some(UNDONE),
            },
        }
    }
}

/// A process with the code of its supplier.
#[derive(Queryable, Selectable)]
#[diesel(table_name = processes)]
pub(super) struct StoredRow {
    #[diesel(embed)]
    process: ProcessRow<'static>,
    #[diesel(select_expression = suppliers::code)]
    supplier: String,
    error_causes: Option<Json<'static>>,
}

impl StoredRow {
    /// Makes the row of a process that has not failed.
    pub(super) fn new(process: ProcessRow<'static>, supplier: &str) -> Self {
        Self { process, supplier: supplier.to_owned(), error_causes: None }
    }

    /// Returns the position of the process in lists of its supplier.
    pub(super) fn position(&self) -> Result<(DateTime<Utc>, i64)> {
        Ok((self.process.origin.created_at.instant()?, self.process.id))
    }
}

impl TryFrom<StoredRow> for StoredProcess {
    type Error = Error;

    fn try_from(row: StoredRow) -> Result<Self> {
        let Origin { supplier_id, fingerprint: Bits(fingerprint), .. } = row.process.origin;
        let process = Process::restore(snapshot(row.process, &row.supplier)?).map_err(Error::corrupt)?;
        let error_causes = causes::read(row.error_causes)?;
        Ok(Self { process, supplier_id, fingerprint, error_causes })
    }
}

/// Returns the state, and its word if a newer version wrote it.
fn state(row: &ProcessRow<'_>) -> (State, Option<Box<str>>) {
    let traits = || StoredFacts {
        has_account: row.outcome.service_account_number.is_some(),
        has_error: row.outcome.error_code.is_some(),
        is_dry_run: row.status.is_dry_run,
        is_leased: row.outcome.lease_until.is_some(),
    };
    match Word::read(&row.status.state) {
        Word::Known(state) => (state, None),
        Word::Other(word) => (State::nearest(traits()), Some(word)),
    }
}

fn snapshot(row: ProcessRow<'_>, supplier: &str) -> Result<Snapshot> {
    let (state, newer_state) = state(&row);
    let ProcessRow { id, origin, status, outcome } = row;
    let account = outcome.service_account_number.map(|number| number.parse().map_err(Error::corrupt));
    Ok(Snapshot {
        id,
        supplier: supplier.parse().map_err(Error::corrupt)?,
        external_account_number: origin.external_account_number.parse().map_err(Error::corrupt)?,
        state,
        newer_state,
        attempt: number(status.attempt, "attempt")?,
        tries: number(status.tries, "tries")?,
        outage: outage(outcome.failing_since, outcome.failing_tries)?,
        version: status.version,
        is_dry_run: status.is_dry_run,
        is_undone: state == State::Cancelled && outcome.failing_tries.is_some(),
        window: Window { start: instant(status.window_start)?, end: instant(status.window_end)? },
        due_at: status.due_at.instant()?,
        created_at: origin.created_at.instant()?,
        modified_at: status.modified_at.instant()?,
        latest_event_at: status.latest_event_at.instant()?,
        latest_error: latest_error(outcome.error_code, outcome.error_detail).map(Box::new),
        service_account_number: account.transpose()?,
    })
}

fn outage(since: Option<Timestamp>, tries: Option<i64>) -> Result<Option<Outage>> {
    let Some((since, tries)) = since.zip(tries) else { return Ok(None) };
    Ok(Some(Outage { since: since.instant()?, tries: number(tries, "failing_tries")? }))
}

pub(super) fn latest_error(code: Option<Cow<'_, str>>, detail: Option<Cow<'_, str>>) -> Option<ProcessError> {
    let (code, detail) = code.zip(detail)?;
    Some(ProcessError::stored(Word::read(&code), detail.into_owned()))
}

row! {
    /// A step of a process.
    #[derive(Insertable, Queryable, Selectable)]
    #[diesel(table_name = process_history, treat_none_as_default_value = false)]
    pub(crate) struct HistoryRow<'a> {
        pub(crate) process_id: i64,
        pub(crate) version: i64,
        pub(crate) event: Cow<'a, str>,
        pub(crate) from_state: Option<Cow<'a, str>>,
        pub(crate) to_state: Cow<'a, str>,
        pub(crate) occurred_at: Timestamp,
        pub(crate) attempt: i64,
        pub(crate) actor: Cow<'a, str>,
    }
}

fn word<T: Copy>(word: &Word<T>, as_str: fn(T) -> &'static str) -> Cow<'static, str> {
    match word {
        Word::Known(known) => as_str(*known).into(),
        Word::Other(other) => other.to_string().into(),
    }
}

impl HistoryRow<'_> {
    pub(super) fn process_id(&self) -> i64 {
        self.process_id
    }

    pub(crate) fn new(process_id: i64, entry: &HistoryEntry) -> Self {
        Self {
            process_id,
            version: entry.version,
            event: word(&entry.event, EventKind::as_str),
            from_state: entry.from.as_ref().map(|state| word(state, State::as_str)),
            to_state: word(&entry.to, State::as_str),
            occurred_at: entry.occurred_at.into(),
            attempt: entry.attempt.into(),
            actor: entry.actor.to_string().into(),
        }
    }
}

impl TryFrom<HistoryRow<'_>> for HistoryEntry {
    type Error = Error;

    fn try_from(row: HistoryRow<'_>) -> Result<Self> {
        Ok(Self {
            event: Word::read(&row.event),
            from: row.from_state.map(|state| Word::read(&state)),
            to: Word::read(&row.to_state),
            occurred_at: row.occurred_at.instant()?,
            attempt: number(row.attempt, "attempt")?,
            actor: Word::read(&row.actor),
            version: row.version,
            removed_account: None,
        })
    }
}
