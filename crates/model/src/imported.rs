//! The changes that an import makes to a payload (contract D6).

use crate::{Account, Decimal, Ledger, Note, Zone};
use rust_decimal::Decimal as Value;
use std::collections::HashSet;

/// The identity of a note apart from its time (contract 2.4, D8): its body, or the paths of its documents if
/// it has none. Both are trimmed, and a leading slash of a path is ignored (rules 10.5).
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum NoteIdentity<'n> {
    /// The body, of a note with one.
    Body(&'n str),
    /// The paths in their order, of a note without a body.
    Documents(Vec<&'n str>),
}

impl<'n> NoteIdentity<'n> {
    /// The identity of a note.
    pub fn of(note: &'n Note<'_>) -> Self {
        match note.body.as_ref().filter(|body| !body.is_blank()) {
            Some(body) => Self::Body(body.trimmed()),
            None => {
                let paths =
                    note.document_paths.iter().flatten().map(|document| document.document_path.trimmed());
                Self::Documents(paths.map(|path| path.strip_prefix('/').unwrap_or(path)).collect())
            }
        }
    }
}

impl Account<'_> {
    /// The account as it is imported: with at least one ledger, and without duplicate notes (contract D6).
    /// `zone` is the zone of the supplier.
    pub fn completed(mut self, zone: Zone) -> Self {
        let ledgers = self.ledgers.get_or_insert_default();
        if ledgers.is_empty() {
            ledgers.push(empty_ledger());
        }
        if let Some(notes) = &mut self.notes {
            let mut kept = are_kept(notes, zone).into_iter();
            notes.retain(|_| kept.next().unwrap_or(true));
        }
        self
    }
}

fn empty_ledger<'j>() -> Ledger<'j> {
    Ledger {
        current_statement_transactions: None,
        historical_statement_transactions: None,
        last_statement_closing_date: None,
        last_statement_issue_date: None,
        last_statement_balance: None,
        ledger_balance: Some(Decimal::from(Value::ZERO)),
    }
}

/// For each note, true if the import stores it. It is dropped if an earlier note has the same content and, if
/// one is sent, the same `created_at` (contract 2.4, D8).
pub(crate) fn are_kept(notes: &[Note<'_>], zone: Zone) -> Vec<bool> {
    let mut met = HashSet::new();
    let mut dated = HashSet::new();
    let is_new = |note| {
        let identity = NoteIdentity::of(note);
        let created_at = note.created_at.as_ref().and_then(|at| at.instant(zone));
        let is_new = match created_at {
            Some(at) => dated.insert((identity.clone(), at)),
            None => !met.contains(&identity),
        };
        met.insert(identity);
        is_new
    };
    notes.iter().map(is_new).collect()
}
