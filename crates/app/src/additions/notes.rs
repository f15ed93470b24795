use super::AddRefused;
use super::request::{check, contents, known, number, out_of_range, request, target_to_change, valid};
use crate::App;
use crate::account::shown_time;
use crate::auth::Caller;
use crate::documents::{FoundDocuments, Step};
use crate::port::{NewNote, NoteContent, StoreError, StoredIssue, Tx, write_with_retry};
use chrono::{DateTime, Utc};
use cutover_core::{ExternalAccountNumber, FeedEventType, IssueSource, Now, Zone};
use cutover_model::certificate::Addition;
use cutover_model::service::{documents_of_note, rows_of_note};
use cutover_model::{ContentHash, IntoOwned, Note, NoteResult, NoteStatus, Totals, decode_notes, draft};
use cutover_rules::{check_notes, documents_of_notes};

request!(NotesRequest: decode_notes, check_notes, import_supplier, documents_of_notes);

impl App {
    /// Adds notes to an imported account (contract 4.2, D8): all of them or none. Skips notes that the
    /// account has.
    ///
    /// # Errors
    /// [`AddRefused`]; nothing is stored then.
    pub fn add_notes(
        &self,
        caller: &Caller,
        body: &[u8],
        found: Option<&FoundDocuments>,
    ) -> Result<Step<Vec<NoteResult>>, AddRefused> {
        let checked = match check::<draft::NotesRequest<'_>>(self, caller, body, found)? {
            Step::Done(checked) => checked,
            Step::Documents(wanted) => return Ok(Step::Documents(wanted)),
        };
        let warnings = checked.warnings(IssueSource::Notes);
        let (request, supplier, now) = checked.accepted()?;
        let request = valid(request.into_valid())?.into_owned();
        let supplier = known(supplier)?;
        let number = number(&request.external_account_number)?;
        let contents = contents(Addition::Note, body)?;
        let notes = request.notes.into_iter().zip(contents);
        let notes = notes.map(|(note, content)| Ok((new_note(note, now)?, content)));
        let notes = notes.collect::<Result<Vec<_>, StoreError>>()?;
        write_with_retry(&*self.store, move |tx| add(tx, supplier.id, &number, &notes, &warnings, now))
            .map(Step::Done)
    }
}

/// Converts the times of a note to instants.
fn new_note(note: Note<'static>, now: Now) -> Result<NewNote, StoreError> {
    let instant = |at: &cutover_model::DateTime<'_>| {
        at.instant(now.zone)
            .ok_or_else(|| StoreError::Failed("a valid time cannot be converted to an instant".into()))
    };
    let created_at = note.created_at.as_ref().map(instant).transpose()?;
    let unpin_at = note.unpin_at.as_ref().map(instant).transpose()?;
    Ok(NewNote { note, created_at: created_at.unwrap_or(now.instant), unpin_at })
}

fn add(
    tx: &mut dyn Tx,
    supplier_id: i64,
    number: &ExternalAccountNumber,
    notes: &[(NewNote, ContentHash)],
    warnings: &[StoredIssue],
    now: Now,
) -> Result<Vec<NoteResult>, AddRefused> {
    let account = target_to_change(tx, supplier_id, number)?.map_err(AddRefused::NotFound)?;
    let (mut added, mut totals) = (Vec::new(), Totals::default());
    let one = |(note, content): &(NewNote, ContentHash)| {
        let (created_at, status) = add_one(tx, account.id, note)?;
        if status == NoteStatus::Created {
            added.push(*content);
            let documents = documents_of_note(&note.note);
            let one = Totals { documents, rows: rows_of_note(&note.note), ..Totals::default() };
            totals = totals.checked_add(one).ok_or_else(out_of_range)?;
        }
        Ok(result(note, created_at, status, now.zone))
    };
    let results = notes.iter().map(one).collect::<Result<_, AddRefused>>()?;
    account.add_warnings(tx, warnings)?;
    account.count(tx, &added, &totals)?;
    account.note_added(tx, FeedEventType::NotesAdded, added.len(), now.instant)?;
    Ok(results)
}

/// Adds a note unless the account has it, and returns the creation time and status for the answer.
fn add_one(
    tx: &mut dyn Tx,
    account_id: i64,
    note: &NewNote,
) -> Result<(DateTime<Utc>, NoteStatus), StoreError> {
    let sent = note.note.created_at.as_ref().map(|_| note.created_at);
    if let Some(created_at) = tx.find_note(account_id, NoteContent::of(&note.note), sent)? {
        return Ok((created_at, NoteStatus::Exists));
    }
    tx.add_note(account_id, note)?;
    Ok((note.created_at, NoteStatus::Created))
}

fn result(note: &NewNote, created_at: DateTime<Utc>, status: NoteStatus, zone: Zone) -> NoteResult {
    // A blank one is none (fields 1.4).
    let body = note.note.body.as_ref().filter(|body| !body.is_blank()).map(|body| body.as_sent().to_owned());
    NoteResult { created_at: shown_time(zone.local(created_at)), body: body.unwrap_or_default(), status }
}
