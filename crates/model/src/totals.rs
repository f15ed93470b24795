//! Control totals of accounts.

mod draft;

use crate::imported::are_kept;
use crate::rows::{CountRows, RowCounts};
use crate::{
    Account, Integer, Ledger, ManifestCounts, ManifestRequest, MeterPoint, Note, Text, Variant, Zone,
};
use rust_decimal::Decimal as Value;

/// Control totals of accounts that were sent or imported (contract D12). Client and service count in the same
/// way, so that both agree to the cent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Totals {
    /// Number of accounts.
    pub accounts: u64,
    /// Sum of the balances of their ledgers, in the main currency unit; above 0 = in credit. A ledger without
    /// a balance counts as 0.
    pub ledger_balance: Value,
    /// Number of readings of their meters, at the transfer and before.
    pub readings: u64,
    /// Number of transactions of their ledgers, of the open statement and of earlier ones.
    pub transactions: u64,
    /// Number of documents of notes and statements.
    pub documents: u64,
    /// Numbers of their rows, by table.
    pub rows: RowCounts,
}

impl Totals {
    /// The totals of one account as it was sent, without duplicate notes (contract D6): a ledger that the import makes is no row.
    /// `zone` is the zone of the supplier.
    pub fn of(account: &Account<'_>, zone: Zone) -> Self {
        let ledgers = account.ledgers.as_deref().unwrap_or_default();
        let notes = account.notes.as_deref().unwrap_or_default();
        let statements = account.statements.iter().flatten();
        let with_document = statements.filter(|statement| names_document(statement.statement_path.as_ref()));
        let kept = KeptNotes::of(notes, zone);
        Self {
            accounts: 1,
            ledger_balance: balance(ledgers),
            readings: readings(account),
            transactions: ledgers.iter().map(transactions).sum(),
            documents: with_document.count() as u64 + kept.documents,
            rows: rows(account, kept),
        }
    }

    /// Returns true if these are the declared totals. Of the rows only those of declared tables are compared.
    pub fn agree_with(&self, declared: &Self) -> bool {
        let without_rows = |totals: &Self| Self { rows: RowCounts::default(), ..*totals };
        without_rows(self) == without_rows(declared)
            && self.rows.minus(&declared.rows).iter().all(|(_, difference)| difference == 0)
    }

    /// The sum; `None` if the balance cannot be represented exactly or a number overflows. Balances have at
    /// most ten digits on either side of the point (contract 2.3): nearly 800 million of the largest ones
    /// fit.
    pub fn checked_add(self, other: Self) -> Option<Self> {
        Some(Self {
            accounts: self.accounts.checked_add(other.accounts)?,
            ledger_balance: exact_sum(self.ledger_balance.normalize(), other.ledger_balance.normalize())?
                .normalize(),
            readings: self.readings.checked_add(other.readings)?,
            transactions: self.transactions.checked_add(other.transactions)?,
            documents: self.documents.checked_add(other.documents)?,
            rows: self.rows.checked_add(other.rows)?,
        })
    }
}

impl ManifestRequest<'_> {
    /// Returns the declared totals.
    pub fn totals(&self) -> Totals {
        // The declaration has no numbers below 0.
        let count = |number: &Integer<'_>| u64::try_from(number.value()).unwrap_or_default();
        Totals {
            accounts: count(&self.accounts),
            ledger_balance: self.ledger_balance.value().normalize(),
            readings: count(&self.readings),
            transactions: count(&self.transactions),
            documents: count(&self.documents),
            rows: self.counts.as_ref().map(ManifestCounts::rows).unwrap_or_default(),
        }
    }
}

/// The notes that an import keeps, of which equal ones are one, and their documents.
#[derive(Debug, Clone, Copy)]
struct KeptNotes {
    notes: u64,
    documents: u64,
}

impl KeptNotes {
    fn of(notes: &[Note<'_>], zone: Zone) -> Self {
        let kept = notes.iter().zip(are_kept(notes, zone)).filter(|(_, is_kept)| *is_kept);
        kept.fold(Self { notes: 0, documents: 0 }, |sum, (note, _)| Self {
            notes: sum.notes + 1,
            documents: sum.documents + documents_of_note(note),
        })
    }
}

/// Counts the rows of an account.
fn rows(account: &impl CountRows, kept: KeptNotes) -> RowCounts {
    let mut rows = RowCounts::of([("accounts", 1)]);
    account.count_rows(&mut rows);
    rows.set("notes", kept.notes);
    rows.set("note_documents", kept.documents);
    rows
}

/// Number of documents of a note, for [`Totals`].
pub fn documents_of_note(note: &Note<'_>) -> u64 {
    note.document_paths.iter().flatten().count() as u64
}

/// Returns true if a statement has a document, for [`Totals`]: a blank path does not count.
pub fn names_document(path: Option<&Text<'_>>) -> bool {
    path.is_some_and(|path| !path.is_blank())
}

/// Cannot overflow: the ledgers of one body fit, see [`Totals::checked_add`].
fn balance(ledgers: &[Ledger<'_>]) -> Value {
    let balances = ledgers.iter().filter_map(|ledger| ledger.ledger_balance.as_ref());
    balances.map(|balance| balance.value()).sum::<Value>().normalize()
}

fn transactions(ledger: &Ledger<'_>) -> u64 {
    let both = [&ledger.current_statement_transactions, &ledger.historical_statement_transactions];
    both.into_iter().flatten().map(|list| list.len() as u64).sum()
}

fn readings(account: &Account<'_>) -> u64 {
    let points = account.supply_addresses.iter().flatten().flat_map(|entry| &entry.meter_points);
    points.map(readings_of_point).sum()
}

/// Counts the items of some lists of all meters, whether the lists are required or optional.
macro_rules! count {
    ($meters:expr, $($list:ident),+) => {
        $meters.map(|meter| 0 $(+ items(&meter.$list))+).sum()
    };
}

fn readings_of_point(point: &MeterPoint<'_>) -> u64 {
    match &point.variant {
        Variant::Electricity(own) => {
            count!(own.meters.iter().flatten(), transfer_readings, reading_history)
        }
        Variant::Gas(own) => count!(own.meters.iter().flatten(), transfer_readings, reading_history),
        Variant::EmbeddedElectricity(own) => count!(own.meters.iter(), transfer_readings, reading_history),
        Variant::EmbeddedGas(own) => count!(own.meters.iter(), transfer_readings, reading_history),
        Variant::EmbeddedWater(own) => count!(own.meters.iter(), transfer_readings, reading_history),
        Variant::UnmeteredElectricity(_) | Variant::UnmeteredGas(_) => 0,
    }
}

/// A list that may be left out.
trait Items {
    fn number(&self) -> usize;
}

impl<T> Items for Vec<T> {
    fn number(&self) -> usize {
        self.len()
    }
}

impl<T> Items for Option<Vec<T>> {
    fn number(&self) -> usize {
        self.as_ref().map_or(0, Vec::len)
    }
}

fn items(list: &impl Items) -> u64 {
    list.number() as u64
}

/// The sum with the larger number of decimal places of both operands; `None` if it cannot be represented
/// exactly. `Decimal` would round it.
pub fn exact_sum(a: Value, b: Value) -> Option<Value> {
    let scale = a.scale().max(b.scale());
    let mut sum = a.checked_add(b)?;
    if a.is_zero() || b.is_zero() {
        // The library returns the other operand with its own scale then.
        sum.rescale(scale);
    }
    if sum.is_zero() {
        sum.set_sign_positive(true);
    }
    (sum.scale() == scale).then_some(sum)
}
