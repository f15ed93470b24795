//! Expected content of an imported account: a second, short implementation of contract D8.

use crate::payloads::account;
use crate::specs::{
    AccountRef, InstructionSpec, NoteSpec, Payload, StatementSpec, TransactionSpec, TransactionsSpec,
};
use cutover_model::rust_decimal::Decimal;
use cutover_model::{Account, Ledger, Note, Transaction};
use std::collections::{BTreeMap, BTreeSet};

/// For each item whether it is added, or why the call is refused.
pub(crate) type Prediction = Result<Vec<bool>, &'static str>;

/// An imported account and everything added since.
#[derive(Debug, Clone)]
pub(crate) struct Model {
    /// As it was imported.
    pub(crate) base: Account<'static>,
    /// Notes, beginning with those of the payload.
    notes: Vec<NoteSpec>,
    pub(crate) base_notes: usize,
    transactions: Vec<TransactionSpec>,
    base_transactions: usize,
    /// Number of calls that moved dates; each leaves a note.
    pub(crate) moving_calls: usize,
    /// Balance of the first ledger after additions; `None` means that of the payload.
    pub(crate) balance: Option<Decimal>,
    pub(crate) statements: BTreeMap<u8, u8>,
    /// Instructions that were added.
    pub(crate) instructions: BTreeSet<InstructionSpec>,
    of_payload: BTreeSet<InstructionSpec>,
}

impl Model {
    /// An account as just imported.
    pub(crate) fn new(of: AccountRef, payload: Payload) -> Self {
        let base = account(of, payload);
        let notes: Vec<_> = base.notes.iter().flatten().filter_map(note_spec).collect();
        let ledgers = base.ledgers.iter().flatten();
        let transactions: Vec<_> = ledgers.flat_map(current).filter_map(transaction_spec).collect();
        let instructions = base.payment_instructions.iter().flatten();
        let references = instructions.filter_map(|i| digit(i.reference.as_sent(), "R-"));
        let of_payload = references.map(InstructionSpec).collect();
        Self {
            base_notes: notes.len(),
            base_transactions: transactions.len(),
            notes,
            transactions,
            moving_calls: 0,
            balance: None,
            statements: BTreeMap::new(),
            instructions: BTreeSet::new(),
            of_payload,
            base,
        }
    }

    fn ledger(&self) -> &Ledger<'static> {
        &self.base.ledgers.as_ref().unwrap()[0]
    }

    /// Adds notes.
    pub(crate) fn add_notes(&mut self, specs: &[NoteSpec]) -> Prediction {
        let add = |spec: &NoteSpec| {
            let is_same = |n: &NoteSpec| n.body == spec.body && (spec.time == 0 || n.time == spec.time);
            let is_new = !self.notes.iter().any(is_same);
            self.notes.extend(is_new.then_some(*spec));
            is_new
        };
        Ok(specs.iter().map(add).collect())
    }

    /// Predicts the result of a call that adds transactions.
    pub(crate) fn predict_transactions(&self, spec: &TransactionsSpec) -> Prediction {
        let is_bounded = self.ledger().last_statement_closing_date.is_some();
        let one = |item: &TransactionSpec| {
            let oldest = self.transactions.iter().find(|known| known.id == item.id);
            match oldest.filter(|_| spec.check) {
                Some(known) if known.is_other != item.is_other => Err("other content"),
                Some(_) => Ok(false),
                None if item.is_outside(is_bounded) && !spec.force => Err("outside"),
                None => Ok(true),
            }
        };
        spec.items.iter().map(one).collect()
    }

    /// Adds transactions.
    pub(crate) fn add_transactions(&mut self, spec: &TransactionsSpec) -> Prediction {
        let predicted = self.predict_transactions(spec)?;
        let is_bounded = self.ledger().last_statement_closing_date.is_some();
        let added = spec.items.iter().zip(&predicted).filter(|(_, is_new)| **is_new).map(|(item, _)| *item);
        let added: Vec<_> = added.collect();
        if !added.is_empty() {
            let cents: i64 = added.iter().map(|item| signed(item.is_plus(), item.cents())).sum();
            self.balance =
                Some(self.balance.unwrap_or_else(|| of_payload(self.ledger())) + Decimal::new(cents, 2));
        }
        self.moving_calls += usize::from(added.iter().any(|item| item.is_outside(is_bounded)));
        self.transactions.extend(added);
        Ok(predicted)
    }

    /// Predicts the result of a call that adds statements.
    pub(crate) fn predict_statements(&self, specs: &[StatementSpec]) -> Prediction {
        let fits = |spec: &StatementSpec| self.statements.get(&spec.id).is_none_or(|v| *v == spec.version);
        if specs.iter().all(fits) { Ok(Vec::new()) } else { Err("other content") }
    }

    /// Adds statements.
    pub(crate) fn add_statements(&mut self, specs: &[StatementSpec]) -> Prediction {
        let predicted = self.predict_statements(specs)?;
        self.statements.extend(specs.iter().map(|spec| (spec.id, spec.version)));
        Ok(predicted)
    }

    /// Adds an instruction.
    pub(crate) fn add_instruction(&mut self, spec: InstructionSpec) -> Prediction {
        if !spec.is_confirmed() {
            return Err("its vendor did not confirm it");
        }
        if !self.of_payload.contains(&spec) {
            self.instructions.insert(spec);
        }
        Ok(Vec::new())
    }

    pub(crate) fn has_instruction(&self, spec: InstructionSpec) -> bool {
        self.instructions.contains(&spec) || self.of_payload.contains(&spec)
    }

    /// True if nothing was added since the import.
    pub(crate) fn is_unchanged(&self) -> bool {
        self.added_notes().is_empty()
            && self.added_transactions().is_empty()
            && self.statements.is_empty()
            && self.instructions.is_empty()
    }

    /// The added notes, sorted.
    pub(crate) fn added_notes(&self) -> Vec<NoteSpec> {
        let mut added = self.notes[self.base_notes..].to_vec();
        added.sort();
        added
    }

    /// The added transactions, in order.
    pub(crate) fn added_transactions(&self) -> &[TransactionSpec] {
        &self.transactions[self.base_transactions..]
    }
}

fn signed(is_plus: bool, cents: i64) -> i64 {
    if is_plus { cents } else { -cents }
}

fn digit(text: &str, prefix: &str) -> Option<u8> {
    text.strip_prefix(prefix)?.parse().ok()
}

/// Spec of a note, if it has one.
pub(crate) fn note_spec(note: &Note<'_>) -> Option<NoteSpec> {
    let body = digit(note.body.as_ref()?.as_sent(), "N-")?;
    let time = note.created_at.as_ref().and_then(|at| at.instant(cutover_core::Zone::UTC));
    let day = time.map(|at| at.format("%Y-%m-%d %H:%M").to_string());
    let time = day.and_then(|day| digit(day.strip_suffix(" 00:00")?, "2026-01-0")).unwrap_or(0);
    Some(NoteSpec { body, time })
}

/// Spec of a transaction, if it has one.
pub(crate) fn transaction_spec(transaction: &Transaction<'_>) -> Option<TransactionSpec> {
    let id = digit(transaction.transaction_id.as_sent(), "T-")?;
    let either = [false, true].map(|is_other| TransactionSpec { id, is_other });
    either.into_iter().find(|spec| {
        transaction.amount.value() == Decimal::new(spec.cents(), 2)
            && transaction.kind.as_str() == if spec.is_plus() { "CREDIT" } else { "CHARGE" }
    })
}

/// Transactions of the open statement.
pub(crate) fn current<'l>(ledger: &'l Ledger<'static>) -> impl Iterator<Item = &'l Transaction<'static>> {
    ledger.current_statement_transactions.iter().flatten()
}

/// Balance of a payload: given, or the last statement plus later transactions.
fn of_payload(ledger: &Ledger<'static>) -> Decimal {
    if let Some(balance) = &ledger.ledger_balance {
        return balance.value();
    }
    let before = ledger.last_statement_balance.as_ref().map(|balance| balance.value()).unwrap_or_default();
    current(ledger).fold(before, |sum, t| match t.kind.as_str() {
        "CREDIT" | "PAYMENT" => sum + t.amount.value(),
        _ => sum - t.amount.value(),
    })
}
