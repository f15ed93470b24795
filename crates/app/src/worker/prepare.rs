use super::claim::Claimed;
use crate::account::{profile, stored};
use crate::codec;
use crate::port::{NewAccount, StoreError, StoredIssues};
use chrono::{DateTime, Utc};
use cutover_core::{Now, ServiceAccountNumber, Zone};
use cutover_model::{Account, Decimal, IntoOwned, Ledger, Note, decode_account};
use cutover_rules::{Facts, check_account};
use rust_decimal::Decimal as Value;
use std::collections::HashSet;

/// What checking a claimed payload came to.
pub(crate) enum Prepared {
    /// It can be written.
    Account(Box<NewAccount>),
    /// It fails the rules as they are now.
    Rejected(StoredIssues),
}

/// Decodes a claimed payload and checks it again: what was right when it was accepted may not be now.
pub(crate) fn prepare(
    claimed: &Claimed,
    stored_payload: &[u8],
    number: ServiceAccountNumber,
    at: DateTime<Utc>,
) -> Result<Prepared, StoreError> {
    let payload = codec::unpack(stored_payload)?;
    let zone = claimed.supplier.settings.time_zone;
    let corrupt =
        |what: &str| StoreError::Corrupt(format!("the payload of process {} {what}", claimed.process.id()));
    let mut decoded = decode_account(&payload, zone).map_err(|_| corrupt("is not JSON"))?;
    if let Some(request) = &mut decoded.draft {
        // The window has done its work; its rules are about the time of the request.
        request.task_params = Default::default();
    }
    let facts = Facts { now: Now::new(at, zone), supplier_known: Some(true) };
    let report = check_account(&decoded, facts, &profile(Some(&claimed.supplier)));
    if !report.errors.is_empty() {
        let issues = StoredIssues { errors: stored(&report.errors), warnings: stored(&report.warnings) };
        return Ok(Prepared::Rejected(issues));
    }
    let valid = decoded.draft.and_then(|request| request.into_valid());
    let (account, _) = valid.ok_or_else(|| corrupt("has no valid form"))?;
    Ok(Prepared::Account(Box::new(NewAccount {
        number,
        process_id: claimed.process.id(),
        supplier_id: claimed.supplier.id,
        customer_emails: claimed.supplier.settings.send_customer_emails && !suppresses_emails(&account),
        zone,
        imported_at: at,
        account: complete(account.into_owned(), zone),
    })))
}

/// Whether the imported history asks for no mails on migration (decisions D1).
fn suppresses_emails(account: &Account<'_>) -> bool {
    let mut events = account.events.iter().flatten();
    events.any(|event| event.event_type.trimmed() == "SUPPRESS_MIGRATION_COMMS")
}

/// What an import makes of a payload besides what it says: one ledger at least, and of equal notes
/// one (decisions D6).
fn complete(mut account: Account<'static>, zone: Zone) -> Account<'static> {
    let ledgers = account.ledgers.get_or_insert_default();
    if ledgers.is_empty() {
        ledgers.push(empty_ledger());
    }
    if let Some(notes) = &mut account.notes {
        remove_duplicates(notes, zone);
    }
    account
}

fn empty_ledger() -> Ledger<'static> {
    Ledger {
        current_statement_transactions: None,
        historical_statement_transactions: None,
        last_statement_closing_date: None,
        last_statement_issue_date: None,
        last_statement_balance: None,
        ledger_balance: Some(Decimal::from(Value::ZERO)),
    }
}

/// Removes notes that an earlier one makes superfluous: the same body, and the same `created_at`
/// where one is sent; of notes without body, the same documents (contract 2.4, decisions D8).
fn remove_duplicates(notes: &mut Vec<Note<'static>>, zone: Zone) {
    let mut bodies = HashSet::new();
    let mut dated = HashSet::new();
    notes.retain(|note| {
        let content = content(note);
        let created_at = note.created_at.as_ref().and_then(|at| at.instant(zone));
        let is_new = match created_at {
            Some(at) => !dated.contains(&(content.clone(), at)),
            None => !bodies.contains(&content),
        };
        if let Some(at) = created_at {
            dated.insert((content.clone(), at));
        }
        bodies.insert(content);
        is_new
    });
}

/// What makes a note the same as another: its body, or its documents if it has none.
fn content(note: &Note<'_>) -> Vec<String> {
    match note.body.as_ref().filter(|body| !body.is_blank()) {
        Some(body) => vec![body.trimmed().to_owned()],
        None => {
            let documents = note.document_paths.iter().flatten();
            std::iter::once(String::new())
                .chain(documents.map(|d| d.document_path.trimmed().to_owned()))
                .collect()
        }
    }
}
