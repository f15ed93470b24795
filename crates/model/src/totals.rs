use crate::imported::are_kept;
use crate::{Account, Ledger, MeterPoint, Note, Text, Variant, Zone};
use rust_decimal::Decimal as Value;

/// Control totals: what accounts come to that were sent or imported (contract D12). The same counting on both
/// sides makes them agree to the cent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Totals {
    /// Accounts.
    pub accounts: u64,
    /// Sum of the balances of their ledgers, in the main currency unit; above 0 = in credit. A ledger without
    /// one counts as 0.
    pub ledger_balance: Value,
    /// Readings of their meters, at the transfer and before.
    pub readings: u64,
    /// Transactions of their ledgers, of the open statement and of those before.
    pub transactions: u64,
    /// Documents: those of notes, and those of statements that name one.
    pub documents: u64,
}

impl Totals {
    /// Those of one account as an import keeps it: of equal notes one (contract D6). `zone` is that of the
    /// supplier.
    pub fn of(account: &Account<'_>, zone: Zone) -> Self {
        let ledgers = account.ledgers.as_deref().unwrap_or_default();
        let notes = account.notes.as_deref().unwrap_or_default();
        let statements = account.statements.iter().flatten();
        let with_document = statements.filter(|statement| names_document(statement.statement_path.as_ref()));
        let kept = notes.iter().zip(are_kept(notes, zone)).filter(|(_, is_kept)| *is_kept);
        Self {
            accounts: 1,
            ledger_balance: balance(ledgers),
            readings: readings(account),
            transactions: ledgers.iter().map(transactions).sum(),
            documents: with_document.count() as u64
                + kept.map(|(note, _)| documents_of_note(note)).sum::<u64>(),
        }
    }

    /// Both together; `None` if the balance cannot be held exactly, or a number is above 2⁶⁴. Balances have at
    /// most ten digits on either side of the point (contract 2.3): nearly 800 million of the largest fit.
    pub fn checked_add(self, other: Self) -> Option<Self> {
        Some(Self {
            accounts: self.accounts.checked_add(other.accounts)?,
            ledger_balance: exact_sum(self.ledger_balance.normalize(), other.ledger_balance.normalize())?
                .normalize(),
            readings: self.readings.checked_add(other.readings)?,
            transactions: self.transactions.checked_add(other.transactions)?,
            documents: self.documents.checked_add(other.documents)?,
        })
    }
}

/// How many documents a note has, for [`Totals`].
pub fn documents_of_note(note: &Note<'_>) -> u64 {
    note.document_paths.iter().flatten().count() as u64
}

/// Whether the path of a statement names a document, for [`Totals`]: a blank one is none.
pub fn names_document(path: Option<&Text<'_>>) -> bool {
    path.is_some_and(|path| !path.is_blank())
}

/// As many ledgers as a body holds fit: see [`Totals::checked_add`].
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

/// How many items lists of a meter hold, each required or optional.
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

/// The sum with as many digits after the point as the operand that has more; `None` if it cannot be held so:
/// a sum with too many digits is rounded, and money is not.
pub fn exact_sum(a: Value, b: Value) -> Option<Value> {
    let scale = a.scale().max(b.scale());
    let mut sum = a.checked_add(b)?;
    if a.is_zero() || b.is_zero() {
        // The library gives the other operand then, with its own digits.
        sum.rescale(scale);
    }
    if sum.is_zero() {
        sum.set_sign_positive(true);
    }
    (sum.scale() == scale).then_some(sum)
}
