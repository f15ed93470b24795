//! An account at the console: its last attempt with the payload, and the attempt before it.

use super::processes::report;
use super::{Audited, Operations, OperatorError, ProcessReport};
use crate::account::{of_last_attempt, without_unrelated_errors};
use crate::codec::unpack;
use crate::port::{AuditAction, Rows, StoreError, StoredIssues, StoredProcess, Subject};
use chrono::{DateTime, Utc};
use cutover_core::{Word, Zone};
use cutover_process::{ProcessError, State};

/// The payload of an attempt.
#[derive(Clone, PartialEq, Eq)]
pub enum SentPayload {
    /// It is not shown, because the account is imported, or not there, because it is archived.
    None,
    /// It cannot be read, with the reason for people.
    Unreadable(String),
    /// The accepted bytes: JSON as it was sent.
    Json(Vec<u8>),
}

masked! { SentPayload }

impl SentPayload {
    fn read(packed: Result<Vec<u8>, StoreError>) -> Self {
        match packed.and_then(|packed| unpack(&packed)) {
            Ok(json) => Self::Json(json),
            Err(error) => Self::Unreadable(error.to_string()),
        }
    }
}

/// An account at the console.
#[derive(Debug, Clone)]
pub struct AccountView {
    /// The report on its process.
    pub report: ProcessReport,
    /// The payload of the current or last attempt, unless it was imported.
    pub sent: SentPayload,
    /// The number of the attempt to compare with, if one is kept.
    pub previous: Option<u32>,
}

/// An attempt at an account.
#[derive(Debug, Clone)]
pub struct Attempt {
    /// Its number.
    pub number: u32,
    /// Its state.
    pub state: Word<State>,
    /// Time of its last step.
    pub at: DateTime<Utc>,
    /// The error that it ended with.
    pub error: Option<ProcessError>,
    /// The issues of its check. The errors are those of the attempt alone.
    pub issues: StoredIssues,
    /// Its payload.
    pub payload: SentPayload,
}

/// The current or last attempt at an account, and the one before it.
#[derive(Debug, Clone)]
pub struct Attempts {
    /// The account's number at its previous supplier.
    pub external_account_number: String,
    /// The attempt before the last one that had a result.
    pub before: Attempt,
    /// The current or last one.
    pub after: Attempt,
    /// The zone of the datetimes shown.
    pub zone: Zone,
}

impl Operations<'_> {
    /// Returns an account for the console.
    ///
    /// # Errors
    /// [`OperatorError::NotFound`] if there is none with this supplier and number.
    pub fn show_account(&self, supplier: &str, number: &str) -> Result<AccountView, OperatorError> {
        self.read(|tx| {
            let (supplier, stored) = tx.find_process(supplier, number)?;
            let report = report(tx.rows(), &supplier, &stored, self.app.clock.now())?;
            Ok(view(tx.rows(), &stored, report)?)
        })
    }

    /// Returns an account, to be shown with personal data, and records that in the audit trail.
    ///
    /// # Errors
    /// As [`show_account`](Self::show_account).
    pub fn reveal_account(&self, supplier: &str, number: &str) -> Result<AccountView, OperatorError> {
        let (code, number) = (supplier.to_owned(), number.to_owned());
        self.act(AuditAction::AccountRevealed, move |tx, clock| {
            let (supplier, stored) = tx.find_process(&code, &number)?;
            let audited = Audited::of(Subject::process(&supplier, stored.process.id()));
            let report = report(tx.rows(), &supplier, &stored, clock.now())?;
            Ok((view(tx.rows(), &stored, report)?, audited))
        })
    }

    /// Returns the last attempt at an account and the one before it; `None` if no attempt before it is kept.
    ///
    /// # Errors
    /// As [`show_account`](Self::show_account).
    pub fn attempts(&self, supplier: &str, number: &str) -> Result<Option<Attempts>, OperatorError> {
        self.read(|tx| {
            let (supplier, stored) = tx.find_process(supplier, number)?;
            Ok(attempts(tx.rows(), &stored, supplier.settings.time_zone)?)
        })
    }
}

fn view(tx: &mut dyn Rows, stored: &StoredProcess, report: ProcessReport) -> Result<AccountView, StoreError> {
    let id = stored.process.id();
    let sent = if report.account.is_some() { SentPayload::None } else { payload(tx, id)? };
    Ok(AccountView { report, sent, previous: tx.previous_attempt_number(id)? })
}

/// Returns the payload of a process. One that cannot be read hides nothing else of the account.
fn payload(tx: &mut dyn Rows, id: i64) -> Result<SentPayload, StoreError> {
    let found = tx.payloads(&[id])?.pop();
    Ok(found.map_or(SentPayload::None, |(_, packed)| SentPayload::read(packed)))
}

fn attempts(tx: &mut dyn Rows, stored: &StoredProcess, zone: Zone) -> Result<Option<Attempts>, StoreError> {
    let (process, id) = (&stored.process, stored.process.id());
    let Some(previous) = tx.previous_attempt(id)? else { return Ok(None) };
    let before = Attempt {
        number: previous.attempt,
        state: previous.state,
        at: previous.ended_at,
        issues: without_unrelated_errors(previous.error.as_ref(), previous.issues),
        error: previous.error,
        payload: SentPayload::read(Ok(previous.payload)),
    };
    let after = Attempt {
        number: process.snapshot().attempt,
        state: process.stored_state(),
        at: process.snapshot().modified_at,
        error: process.latest_error().cloned(),
        issues: of_last_attempt(process, tx.issues(id)?),
        payload: payload(tx, id)?,
    };
    let external_account_number = process.snapshot().external_account_number.to_string();
    Ok(Some(Attempts { external_account_number, before, after, zone }))
}
