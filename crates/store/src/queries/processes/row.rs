use super::super::number;
use super::super::schema::{process_history, processes, suppliers};
use super::super::types::{Bits, Timestamp, instant};
use crate::error::{Error, Result};
use chrono::{DateTime, Utc};
use cutover_app::port::StoredProcess;
use cutover_core::Word;
use cutover_process::{
    EventKind, HistoryEntry, LEASE, Outage, Process, ProcessError, Snapshot, State, Traits, Window,
};
use diesel::prelude::*;
use std::borrow::Cow;

/// A process, without its issues and its payload.
#[derive(Insertable, Queryable, Selectable)]
#[diesel(table_name = processes, treat_none_as_default_value = false)]
pub(crate) struct ProcessRow<'a> {
    pub(crate) id: i64,
    pub(crate) supplier_id: i64,
    pub(crate) external_account_number: Cow<'a, str>,
    pub(crate) state: Cow<'a, str>,
    pub(crate) attempt: i64,
    pub(crate) tries: i64,
    pub(crate) version: i64,
    pub(crate) is_dry_run: bool,
    pub(crate) window_start: Option<Timestamp>,
    pub(crate) window_end: Option<Timestamp>,
    pub(crate) due_at: Timestamp,
    pub(crate) lease_until: Option<Timestamp>,
    pub(crate) created_at: Timestamp,
    pub(crate) modified_at: Timestamp,
    pub(crate) latest_event_at: Timestamp,
    pub(crate) error_code: Option<Cow<'a, str>>,
    pub(crate) error_detail: Option<Cow<'a, str>>,
    pub(crate) service_account_number: Option<Cow<'a, str>>,
    pub(crate) fingerprint: Bits,
    pub(crate) failing_since: Option<Timestamp>,
    pub(crate) failing_tries: Option<i64>,
}

impl<'a> ProcessRow<'a> {
    pub(crate) fn new(supplier_id: i64, process: &'a Process, fingerprint: [u8; 32]) -> Self {
        let is = process.snapshot();
        let error = is.latest_error.as_ref();
        Self {
            id: is.id,
            supplier_id,
            external_account_number: is.external_account_number.as_str().into(),
            state: is.state.as_str().into(),
            attempt: is.attempt.into(),
            tries: is.tries.into(),
            version: is.version,
            is_dry_run: is.is_dry_run,
            window_start: is.window.start.map(Timestamp::from),
            window_end: is.window.end.map(Timestamp::from),
            due_at: is.due_at.into(),
            lease_until: lease(is),
            created_at: is.created_at.into(),
            modified_at: is.modified_at.into(),
            latest_event_at: is.latest_event_at.into(),
            error_code: error.map(|error| error.code.as_str().into()),
            error_detail: error.map(|error| error.detail.as_ref().into()),
            service_account_number: is.service_account_number.as_ref().map(|n| n.as_str().into()),
            fingerprint: Bits(fingerprint),
            failing_since: is.outage.map(|outage| outage.since.into()),
            failing_tries: is.outage.map(|outage| outage.tries.into()),
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
}

impl StoredRow {
    pub(super) fn new(process: ProcessRow<'static>, supplier: &str) -> Self {
        Self { process, supplier: supplier.to_owned() }
    }

    /// Where it stands among those of its supplier.
    pub(super) fn position(&self) -> Result<(DateTime<Utc>, i64)> {
        Ok((self.process.created_at.instant()?, self.process.id))
    }
}

/// Until when a claim holds if nothing else is said: no claim is without an end.
pub(super) fn lease(is: &Snapshot) -> Option<Timestamp> {
    (is.state == State::InProgress).then(|| Timestamp::from(is.modified_at + LEASE))
}

impl TryFrom<StoredRow> for StoredProcess {
    type Error = Error;

    fn try_from(row: StoredRow) -> Result<Self> {
        let (supplier_id, Bits(fingerprint)) = (row.process.supplier_id, row.process.fingerprint);
        let process = Process::restore(snapshot(row.process, &row.supplier)?).map_err(Error::corrupt)?;
        Ok(Self { process, supplier_id, fingerprint })
    }
}

/// The status, and the word of one that a newer version wrote.
fn state(row: &ProcessRow<'_>) -> (State, Option<Box<str>>) {
    let nearest = || Traits {
        has_account: row.service_account_number.is_some(),
        has_error: row.error_code.is_some(),
        is_dry_run: row.is_dry_run,
        is_leased: row.lease_until.is_some(),
    };
    match Word::read(&row.state) {
        Word::Known(state) => (state, None),
        Word::Other(word) => (State::nearest(nearest()), Some(word)),
    }
}

fn snapshot(row: ProcessRow<'_>, supplier: &str) -> Result<Snapshot> {
    let (state, newer_state) = state(&row);
    let account = row.service_account_number.map(|number| number.parse().map_err(Error::corrupt));
    Ok(Snapshot {
        id: row.id,
        supplier: supplier.parse().map_err(Error::corrupt)?,
        external_account_number: row.external_account_number.parse().map_err(Error::corrupt)?,
        state,
        newer_state,
        attempt: number(row.attempt, "attempt")?,
        tries: number(row.tries, "tries")?,
        outage: outage(row.failing_since, row.failing_tries)?,
        version: row.version,
        is_dry_run: row.is_dry_run,
        window: Window { start: instant(row.window_start)?, end: instant(row.window_end)? },
        due_at: row.due_at.instant()?,
        created_at: row.created_at.instant()?,
        modified_at: row.modified_at.instant()?,
        latest_event_at: row.latest_event_at.instant()?,
        latest_error: latest_error(row.error_code, row.error_detail),
        service_account_number: account.transpose()?,
    })
}

fn outage(since: Option<Timestamp>, tries: Option<i64>) -> Result<Option<Outage>> {
    let Some((since, tries)) = since.zip(tries) else { return Ok(None) };
    Ok(Some(Outage { since: since.instant()?, tries: number(tries, "failing_tries")? }))
}

fn latest_error(code: Option<Cow<'_, str>>, detail: Option<Cow<'_, str>>) -> Option<ProcessError> {
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
        })
    }
}
