use super::reason::check_reason;
use super::scope::Scoped;
use super::{Audited, Operations, OperatorError, record_action};
use crate::account::marker_to_erase;
use crate::certificate::{forget_account, forget_some};
use crate::codec::unpack;
use crate::port::{
    AuditAction, Detail, ErasedRows, ErasureMark, MayConflict, NewFeedEvent, Rows, StoreError, StoredProcess,
    Subject, Supplier, Traces,
};
use chrono::{DateTime, Utc};
use cutover_core::{ExternalAccountNumber, FeedEventType, ServiceAccountNumber, Zone};
use cutover_model::{Limits, decode_account_within};
use cutover_process::State;
use cutover_rules::documents_of_account;

/// Description of what erasing an account removes, and of copies that remain elsewhere.
#[derive(Debug, Clone)]
pub struct Erasable {
    /// The store's key of its process, which the audit trail contains.
    pub process_id: i64,
    /// The state of its process.
    pub state: State,
    /// Its number at this service, if it was imported.
    pub account: Option<ServiceAccountNumber>,
    /// Time at which its payload and history were moved to an archive, which still contains them.
    pub archived_at: Option<DateTime<Utc>>,
    /// The documents that it names, under the root of its supplier, which remain in the storage. `None` if
    /// the payload cannot be read or is archived.
    pub documents: Option<Vec<String>>,
}

/// An erased account.
#[derive(Debug, Clone)]
pub struct Erased {
    /// Description of the account.
    pub what: Erasable,
    /// Number of removed rows by table.
    pub rows: Vec<ErasedRows>,
    /// Traces of the rows on the disk.
    pub traces: Traces,
}

impl Operations<'_> {
    /// Describes what erasing an account would remove. Changes nothing.
    ///
    /// # Errors
    /// [`OperatorError::NotFound`] if there is no such supplier or process.
    pub fn erasable(&self, supplier: &str, number: &str) -> Result<Erasable, OperatorError> {
        self.read(|tx| {
            let (supplier, stored) = tx.find_process(supplier, number)?;
            let found = erasable(tx.rows(), &supplier, &stored)?;
            refuse_running(stored.process.known_state())?;
            Ok(found)
        })
    }

    /// Removes all data of an account, whatever the state of its import, and records that without personal
    /// data in the audit trail, with the reason. A keyed hash of its number is left, by which its creates are refused
    /// until it is [forgotten](Self::forget_erasure) (rule PST-17). Businesses and their contracts remain.
    ///
    /// # Errors
    /// [`OperatorError::NotFound`] if there is no such supplier or process, [`OperatorError::Refused`] while
    /// it is being imported or in a state of a newer version, or if the reason is blank or too long; nothing is changed
    /// then.
    pub fn erase_account(
        &self,
        supplier: &str,
        number: &str,
        because: &str,
    ) -> Result<Erased, OperatorError> {
        check_reason(Some(because))?;
        let done = self.forget_in_certificates(supplier, number)?;
        let signing = self.app.signing_certificate_key()?.key_id;
        let (code, number, because) = (supplier.to_owned(), number.to_owned(), because.to_owned());
        let (by, clock) = (self.operator.clone(), self.app.clock.clone());
        let (what, rows) = self.write_with_retry(move |tx| {
            // No certificate is begun meanwhile.
            tx.lock_suppliers()?;
            // Before the process is locked, as whoever locks both does.
            let supplier = tx.supplier(&code)?;
            let marker = marker_to_erase(tx.rows(), &supplier, &signing)?;
            let (supplier, stored) = locked(tx, &code, &number)?;
            refuse_running(stored.process.known_state())?;
            let what = erasable(tx.rows(), &supplier, &stored)?;
            let rows = erase(tx.rows(), &supplier, what.process_id)?;
            let own = stored.process.snapshot().external_account_number.as_str();
            forget_account(tx.rows(), supplier.id, own, &done)?;
            forget_refusal(tx.rows(), &supplier, own)?;
            let mark = marker.mark(&supplier.code, &stored.process.snapshot().external_account_number);
            tx.add_erasure_mark(supplier.id, mark)?;
            let at = clock.now();
            tx.publish(&NewFeedEvent {
                supplier_id: supplier.id,
                event_type: FeedEventType::AccountErased,
                occurred_at: at,
                external_account_number: Some(stored.process.snapshot().external_account_number.clone()),
                service_account_number: what.account.clone(),
                data: None,
            })?;
            let subject = Subject::process(&supplier, what.process_id);
            let audited = Audited { subject, detail: detail(&what, &rows).word("because", &because) };
            record_action(tx.rows(), at, by.clone(), AuditAction::AccountErased, audited)?;
            Ok((what, rows))
        })?;
        // The rows are removed even if this fails.
        let traces = self.app.store.scrub().unwrap_or(Traces::UntilCheckpoint);
        Ok(Erased { what, rows, traces })
    }

    /// Returns true if an account of a supplier was erased, and that is not forgotten.
    ///
    /// # Errors
    /// [`OperatorError::NotFound`] if there is no such supplier.
    pub fn is_erased(&self, supplier: &str, number: &str) -> Result<bool, OperatorError> {
        let (supplier, mark) = self.mark_of(supplier, number)?;
        let Some(mark) = mark else { return Ok(false) };
        self.read(|tx| {
            let supplier = tx.again(&supplier)?;
            Ok(!tx.erasure_marks_among(supplier.id, &[mark])?.is_empty())
        })
    }

    /// Removes the mark that the erasure of an account has left: the account can be sent again, as a new one. Records that
    /// with the reason.
    ///
    /// # Errors
    /// [`OperatorError::NotFound`] if there is no such supplier or mark, [`OperatorError::Refused`] if the reason is blank or
    /// too long.
    pub fn forget_erasure(&self, supplier: &str, number: &str, because: &str) -> Result<(), OperatorError> {
        check_reason(Some(because))?;
        let (supplier, mark) = self.mark_of(supplier, number)?;
        let missing = OperatorError::not_found("erased account", number);
        let Some(mark) = mark else { return Err(missing) };
        let because = because.to_owned();
        self.act(AuditAction::ErasureForgotten, move |tx, _| {
            let supplier = tx.again(&supplier)?;
            if !tx.remove_erasure_mark(supplier.id, mark)? {
                return Err(missing);
            }
            let detail = Detail::default().word("because", because);
            Ok(((), Audited { subject: Subject::supplier(&supplier), detail }))
        })
    }

    /// Returns a supplier, and the mark that an account of it has if it was erased; `None` if the supplier has no marks.
    fn mark_of(
        &self,
        supplier: &str,
        number: &str,
    ) -> Result<(Supplier, Option<ErasureMark>), OperatorError> {
        self.read(|tx| {
            let supplier = tx.supplier(supplier)?;
            let marker = self.app.marker(tx.rows(), &supplier)?;
            let number = number.parse::<ExternalAccountNumber>().ok();
            let mark = marker.zip(number).map(|(marker, number)| marker.mark(&supplier.code, &number));
            Ok((supplier, mark))
        })
    }

    /// Removes an account that can be erased from certificates, some in each transaction: there is one for each day or
    /// more, and others write between them. Returns their keys. If the erasure ends here, it can be repeated.
    fn forget_in_certificates(&self, supplier: &str, number: &str) -> Result<Vec<i64>, OperatorError> {
        let mut done = Vec::new();
        loop {
            let (code, number, before) = (supplier.to_owned(), number.to_owned(), done.clone());
            let more = self.write_with_retry(move |tx| {
                let (supplier, stored) = locked(tx, &code, &number)?;
                refuse_running(stored.process.known_state())?;
                let own = stored.process.snapshot().external_account_number.as_str();
                Ok(forget_some(tx.rows(), supplier.id, own, &before)?)
            })?;
            if more.is_empty() {
                return Ok(done);
            }
            done.extend(more);
        }
    }
}

impl MayConflict for OperatorError {
    fn is_conflict(&self) -> bool {
        matches!(self, Self::Store(error) if error.is_conflict())
    }
}

/// Returns the process of an account, and locks both against steps and additions of others.
pub(super) fn locked(
    tx: &mut Scoped<'_>,
    code: &str,
    number: &str,
) -> Result<(Supplier, StoredProcess), OperatorError> {
    let (supplier, stored) = tx.find_process(code, number)?;
    tx.lock_process(supplier.id, &stored.process.snapshot().external_account_number)?;
    // The rows may have changed while this waited for the lock.
    let (supplier, stored) = tx.find_process(code, number)?;
    tx.lock_account(stored.process.id())?;
    Ok((supplier, stored))
}

fn erase(tx: &mut dyn Rows, supplier: &Supplier, id: i64) -> Result<Vec<ErasedRows>, StoreError> {
    if let Some(totals) = tx.account_totals(id)? {
        tx.remove_totals(supplier.id, &totals)?;
    }
    tx.erase(&[id])
}

/// Removes the refused create of an account: it holds the number.
fn forget_refusal(tx: &mut dyn Rows, supplier: &Supplier, number: &str) -> Result<(), StoreError> {
    let refused = tx.refused_among(supplier.id, &[number.to_owned()])?;
    if refused.is_empty() {
        return Ok(());
    }
    tx.lock_refusals(supplier.id)?;
    let refused = tx.refused_among(supplier.id, &[number.to_owned()])?;
    tx.change_refusals(supplier.id, &refused, &[], 0)
}

fn detail(what: &Erasable, rows: &[ErasedRows]) -> Detail {
    let detail = Detail::default().word("state", what.state.as_str());
    let counted = rows.iter().fold(detail, |detail, (table, rows)| detail.count(table, *rows));
    match &what.documents {
        Some(documents) => counted.count("documents", documents.len() as u64),
        None => counted,
    }
}

/// Refuses to erase a process that a worker may be importing.
fn refuse_running(state: Option<State>) -> Result<(), OperatorError> {
    let refused = |why: &str| Err(OperatorError::Refused(why.into()));
    match state {
        Some(State::InProgress) => refused("it is being imported: wait until the import has ended"),
        Some(_) => Ok(()),
        None => refused("a newer version of the program wrote its status: erase it with that version"),
    }
}

fn erasable(tx: &mut dyn Rows, supplier: &Supplier, stored: &StoredProcess) -> Result<Erasable, StoreError> {
    let is = stored.process.snapshot();
    let paths = match is.state {
        State::Processed => Some(tx.account_documents(is.id)?),
        _ => tx.staged(is.id)?.and_then(|staged| named(&staged.payload, supplier.settings.time_zone)),
    };
    Ok(Erasable {
        process_id: is.id,
        state: is.state,
        account: is.service_account_number.clone(),
        archived_at: tx.archived_at(is.id)?,
        documents: paths.map(|paths| under(&supplier.settings.document_root, paths)),
    })
}

/// Returns the documents that a payload names; `None` if it cannot be read.
fn named(payload: &[u8], zone: Zone) -> Option<Vec<String>> {
    let payload = unpack(payload).ok()?;
    let limits = Limits { items: u32::MAX, ..Limits::default() };
    let request = decode_account_within(&payload, zone, limits).ok()?.draft?;
    Some(documents_of_account(&request).into_iter().map(|wanted| wanted.path).collect())
}

/// Returns the paths under a root, sorted and without duplicates.
fn under(root: &str, paths: Vec<String>) -> Vec<String> {
    let path = |path: String| {
        let path = cutover_core::trimmed(&path);
        format!("{root}/{}", path.strip_prefix('/').unwrap_or(path))
    };
    let mut paths: Vec<String> = paths.into_iter().map(path).collect();
    paths.sort_unstable();
    paths.dedup();
    paths
}
