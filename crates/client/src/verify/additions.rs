use crate::assemble::TablesRead;
use crate::error::Error;
use crate::input::{InputEvent, Location};
use crate::journal::{AcceptedAdditions, fingerprint_of, request_key};
use crate::output::counted;
use crate::pipeline::Worker;
use crate::request::Kind;
use cutover_core::Zone;
use cutover_model::certificate::{Addition, addition_contents};
use cutover_model::{
    Account, ContentHash, Limits, Note, decode_historical_statements, decode_notes,
    decode_payment_instruction, decode_transactions,
};
use serde::Deserialize;
use serde::de::IgnoredAny;
use std::collections::{HashMap, HashSet};

/// One thing that was added, with what the service knows it by.
#[derive(Debug, Clone)]
pub(super) struct Added {
    kind: Addition,
    content: ContentHash,
    /// Equal things of a kind have the same text.
    identity: String,
    /// The instant of a note, if one was sent.
    at: Option<i64>,
}

/// The additions of a request.
#[derive(Debug)]
pub(super) struct Request {
    /// Its key in a journal.
    key: u64,
    supplier: Box<str>,
    number: Box<str>,
    added: Vec<Added>,
}

/// What was added to each account, in the order of the files, or of the answers if there are journals.
#[derive(Debug, Default)]
pub(super) struct Additions {
    by_account: HashMap<Box<str>, Vec<(usize, Added)>>,
    /// What the service has accepted; without journals everything counts.
    accepted: Option<AcceptedAdditions>,
    /// Keys of the accepted requests that were found.
    found: HashSet<u64>,
}

impl Additions {
    /// Counts only what the service has accepted by journals, if there are any.
    pub(super) fn accepted_by(accepted: Option<AcceptedAdditions>) -> Self {
        Self { accepted, ..Self::default() }
    }

    /// Takes what the tables came to of which requests are made. Without journals nothing else would tell that rows are
    /// missing.
    ///
    /// # Errors
    /// [`Error`] if not every row is part of a request.
    pub(super) fn tables(&self, tables: Option<TablesRead>) -> Result<(), Error> {
        let findings = tables.map_or(0, |tables| tables.counts.findings);
        if self.accepted.is_some() || findings == 0 {
            return Ok(());
        }
        let findings = counted(findings, "finding");
        Err(Error::refused(format!(
            "the tables of the additions have {findings}, which a report of send has"
        )))
    }

    /// Takes the next request.
    pub(super) fn see(
        &mut self,
        file: &str,
        line: u32,
        event: InputEvent<Option<Request>>,
        supplier: &str,
    ) -> Result<(), Error> {
        match event {
            InputEvent::Opened => Ok(()),
            InputEvent::Account(Some(request)) => {
                let place = match &self.accepted {
                    Some(accepted) => accepted.place(request.key),
                    None => Some(0),
                };
                let Some(place) = place else { return Ok(()) };
                self.found.insert(request.key);
                if *request.supplier == *supplier {
                    let added = request.added.into_iter().map(|added| (place, added));
                    self.by_account.entry(request.number).or_default().extend(added);
                }
                Ok(())
            }
            // It was not sent.
            InputEvent::Account(None) | InputEvent::TooLarge if self.accepted.is_some() => Ok(()),
            InputEvent::Account(None) | InputEvent::TooLarge => Err(Error::refused(format!(
                "{file}:{line} is no request for notes, transactions, historical statements or a payment instruction"
            ))),
            InputEvent::Unreadable(why) => Err(Error::refused(format!("{file} cannot be read: {why}"))),
        }
    }

    /// Brings what was added into the order in which it was accepted.
    ///
    /// # Errors
    /// [`Error`] if the files lack something that the service has accepted.
    pub(super) fn ordered(mut self) -> Result<Self, Error> {
        let accepted = self.accepted.as_ref().map_or(0, AcceptedAdditions::len);
        let missing = accepted.saturating_sub(self.found.len());
        if self.accepted.is_some() && missing > 0 {
            return Err(Error::refused(format!(
                "the files of the additions lack {missing} requests that the journals have as accepted: name all files \
                 that were sent, and the mapping of tables"
            )));
        }
        self.by_account.values_mut().for_each(|added| added.sort_by_key(|(place, _)| *place));
        Ok(self)
    }

    /// Returns the hashes of what the service added to an account: not what it had already, from the payload or from an
    /// earlier request.
    pub(super) fn of(&self, number: &str, account: Option<&Account<'_>>, zone: Zone) -> Vec<ContentHash> {
        let Some(added) = self.by_account.get(number) else { return Vec::new() };
        let mut known = Known::default();
        if let Some(account) = account {
            known.payload(account, zone);
        }
        let added = added.iter().map(|(_, one)| one);
        added.filter(|one| known.is_new(one)).map(|one| one.content).collect()
    }
}

/// What an account has already.
#[derive(Debug, Default)]
struct Known {
    things: HashSet<(&'static str, String)>,
    dated: HashSet<(String, i64)>,
}

impl Known {
    fn payload(&mut self, account: &Account<'_>, zone: Zone) {
        for note in account.notes.iter().flatten() {
            let (identity, at) = identity_of(note, zone);
            self.dated.extend(at.map(|at| (identity.clone(), at)));
            self.things.insert((Addition::Note.as_str(), identity));
        }
        for ledger in account.ledgers.iter().flatten() {
            let both = [&ledger.current_statement_transactions, &ledger.historical_statement_transactions];
            for transaction in both.into_iter().flatten().flatten() {
                self.things.insert((
                    Addition::Transaction.as_str(),
                    transaction.transaction_id.trimmed().to_owned(),
                ));
            }
        }
    }

    fn is_new(&mut self, added: &Added) -> bool {
        let key = (added.kind.as_str(), added.identity.clone());
        let is_new = match added.at {
            Some(at) => self.dated.insert((added.identity.clone(), at)),
            None => !self.things.contains(&key),
        };
        self.things.insert(key);
        is_new
    }
}

/// What a note is known by: its body, or the paths of its documents.
fn identity_of(note: &Note<'_>, zone: Zone) -> (String, Option<i64>) {
    let identity = match note.body.as_ref().filter(|body| !body.is_blank()) {
        Some(body) => format!("body {}", body.trimmed()),
        None => note.document_paths.iter().flatten().fold("documents".to_owned(), |text, document| {
            let path = document.document_path.trimmed();
            // No path has this character.
            text + "\0" + path.strip_prefix('/').unwrap_or(path)
        }),
    };
    let at = note.created_at.as_ref().and_then(|at| at.instant(zone));
    (identity, at.map(|at| at.timestamp_micros()))
}

/// Reads requests that add something.
pub(super) struct Reader {
    pub(super) zone: Zone,
}

/// The members by which a request is known.
#[derive(Deserialize)]
struct Head {
    notes: Option<IgnoredAny>,
    transactions: Option<IgnoredAny>,
    statements: Option<IgnoredAny>,
    reference: Option<IgnoredAny>,
    external_business_identifier: Option<IgnoredAny>,
    dry_run: Option<bool>,
}

impl Worker for Reader {
    /// `None` for what is no such request.
    type Output = Option<Request>;

    fn process(&self, _: Location, body: &[u8]) -> Option<Request> {
        let head: Head = serde_json::from_slice(body).ok()?;
        let fingerprint = fingerprint_of(body);
        let (zone, limits) = (self.zone, Limits { batch_items: u32::MAX, ..Limits::default() });
        macro_rules! request {
            ($kind:ident, $sent:ident, $decode:ident, |$request:ident| $things:expr) => {{
                let $request = $decode(body, zone, limits).ok()?.draft?.into_valid()?;
                let things: Vec<(String, Option<i64>)> = $things;
                let contents = addition_contents(Addition::$kind, body).ok()?;
                let added =
                    |(content, (identity, at))| Added { kind: Addition::$kind, content, identity, at };
                Some(Request {
                    key: request_key(Kind::$sent, None, None, fingerprint),
                    supplier: $request.import_supplier.trimmed().into(),
                    number: $request.external_account_number.trimmed().into(),
                    added: contents.into_iter().zip(things).map(added).collect(),
                })
            }};
        }
        match head {
            // The service checks it and keeps nothing, or it belongs to a business.
            Head { dry_run: Some(true), .. } | Head { external_business_identifier: Some(_), .. } => {
                let (supplier, number, added) = (Box::default(), Box::default(), Vec::new());
                Some(Request {
                    key: request_key(Kind::Transactions, None, None, fingerprint),
                    supplier,
                    number,
                    added,
                })
            }
            Head { notes: Some(_), .. } => request!(Note, Notes, decode_notes, |request| {
                request.notes.iter().map(|note| identity_of(note, zone)).collect()
            }),
            Head { transactions: Some(_), .. } => {
                request!(Transaction, Transactions, decode_transactions, |request| {
                    let id = |one: &cutover_model::Transaction<'_>| {
                        (one.transaction_id.trimmed().to_owned(), None)
                    };
                    request.transactions.iter().map(id).collect()
                })
            }
            Head { statements: Some(_), .. } => {
                request!(HistoricalStatement, HistoricalStatements, decode_historical_statements, |request| {
                    let id = |one: &cutover_model::HistoricalStatement<'_>| {
                        (one.statement_id.trimmed().to_owned(), None)
                    };
                    request.statements.iter().map(id).collect()
                })
            }
            Head { reference: Some(_), .. } => {
                request!(PaymentInstruction, PaymentInstruction, decode_payment_instruction, |request| {
                    let parts =
                        [request.vendor.trimmed(), request.kind.as_str(), request.reference.trimmed()];
                    vec![(parts.join("\0"), None)]
                })
            }
            _ => None,
        }
    }
}
