//! Totals of an account with faults: only those in members that are counted prevent it.

use super::{KeptNotes, Totals, names_document, rows};
use crate::draft::{self, Variant};
use crate::{Field, List, Note, NoteDocument, Zone};
use cutover_core::AttrPath;
use rust_decimal::Decimal as Value;

impl Totals {
    /// The totals of one account that may have faults, equal to [`Totals::of`] if it has none.
    ///
    /// # Errors
    /// The paths of the faults because of which it cannot be counted.
    pub fn of_draft(account: &draft::Account<'_>, zone: Zone) -> Result<Self, Vec<AttrPath>> {
        let mut counting = Counting { zone, faults: Vec::new() };
        let kept = counting.kept_notes(account);
        let totals = Self {
            accounts: 1,
            ledger_balance: counting.balance(account),
            readings: counting.readings(account),
            transactions: counting.transactions(account),
            documents: counting.documents_of_statements(account) + kept.documents,
            rows: rows(account, kept),
        };
        if counting.faults.is_empty() { Ok(totals) } else { Err(counting.faults) }
    }
}

/// The faults that were met so far.
struct Counting {
    zone: Zone,
    faults: Vec<AttrPath>,
}

/// The items of a list that may be left out.
fn items<T>(list: &Field<List<T>>) -> impl Iterator<Item = (u32, &T)> {
    let list = if let Field::Value(list) = list { Some(list) } else { None };
    list.into_iter().flat_map(List::usable)
}

/// Counts the items of both lists of readings of each meter of a meter point.
macro_rules! count {
    ($counting:expr, $at:expr, $meters:expr) => {{
        let at = $at.clone().name("meters");
        $counting.check_list(at.clone(), $meters);
        let each = items($meters).map(|(n, meter)| {
            let at = at.clone().index(n);
            $counting.number(at.clone().name("transfer_readings"), &meter.transfer_readings)
                + $counting.number(at.name("reading_history"), &meter.reading_history)
        });
        each.sum::<u64>()
    }};
}

impl Counting {
    /// Notes a list that is faulty itself, and each item that is null or of a wrong type.
    fn check_list<T>(&mut self, at: AttrPath, list: &Field<List<T>>) {
        match list {
            Field::Faulty => self.faults.push(at),
            Field::Value(list) => self.faults.extend(list.faulty().map(|n| at.clone().index(n))),
            Field::Absent | Field::Null => {}
        }
    }

    /// Number of items of a list.
    fn number<T>(&mut self, at: AttrPath, list: &Field<List<T>>) -> u64 {
        self.check_list(at, list);
        items(list).count() as u64
    }

    /// Notes a member that is faulty.
    fn check<T>(&mut self, at: AttrPath, field: &Field<T>) {
        if field.is_faulty() {
            self.faults.push(at);
        }
    }

    /// Cannot overflow: the ledgers of one body fit, see [`Totals::checked_add`].
    fn balance(&mut self, account: &draft::Account<'_>) -> Value {
        let at = AttrPath::root().name("ledgers");
        self.check_list(at.clone(), &account.ledgers);
        let mut sum = Value::ZERO;
        for (n, ledger) in items(&account.ledgers) {
            self.check(at.clone().index(n).name("ledger_balance"), &ledger.ledger_balance);
            if let Field::Value(balance) = &ledger.ledger_balance {
                sum += balance.value();
            }
        }
        sum.normalize()
    }

    fn transactions(&mut self, account: &draft::Account<'_>) -> u64 {
        let of_ledger = |(n, ledger): (u32, &draft::Ledger<'_>)| {
            let at = AttrPath::root().name("ledgers").index(n);
            let (current, before) =
                (&ledger.current_statement_transactions, &ledger.historical_statement_transactions);
            self.number(at.clone().name("current_statement_transactions"), current)
                + self.number(at.name("historical_statement_transactions"), before)
        };
        items(&account.ledgers).map(of_ledger).sum()
    }

    fn readings(&mut self, account: &draft::Account<'_>) -> u64 {
        let at = AttrPath::root().name("supply_addresses");
        self.check_list(at.clone(), &account.supply_addresses);
        let mut readings = 0;
        for (n, entry) in items(&account.supply_addresses) {
            let at = at.clone().index(n).name("meter_points");
            if entry.meter_points.is_sent() {
                self.check_list(at.clone(), &entry.meter_points);
            } else {
                self.faults.push(at.clone());
            }
            for (n, point) in items(&entry.meter_points) {
                readings += self.readings_of_point(&at.clone().index(n), point);
            }
        }
        readings
    }

    fn readings_of_point(&mut self, at: &AttrPath, point: &draft::MeterPoint<'_>) -> u64 {
        match &point.variant {
            Variant::Electricity(own) => count!(self, at, &own.meters),
            Variant::Gas(own) => count!(self, at, &own.meters),
            Variant::EmbeddedElectricity(own) => count!(self, at, &own.meters),
            Variant::EmbeddedGas(own) => count!(self, at, &own.meters),
            Variant::EmbeddedWater(own) => count!(self, at, &own.meters),
            Variant::UnmeteredElectricity(_) | Variant::UnmeteredGas(_) => 0,
            Variant::Undecided => {
                self.faults.push(at.clone().name("supply_type"));
                0
            }
        }
    }

    fn documents_of_statements(&mut self, account: &draft::Account<'_>) -> u64 {
        let at = AttrPath::root().name("statements");
        self.check_list(at.clone(), &account.statements);
        let mut documents = 0;
        for (n, statement) in items(&account.statements) {
            self.check(at.clone().index(n).name("statement_path"), &statement.statement_path);
            if let Field::Value(path) = &statement.statement_path {
                documents += u64::from(names_document(Some(path)));
            }
        }
        documents
    }

    /// Of equal notes one counts, so what they are compared by must be free of faults.
    fn kept_notes(&mut self, account: &draft::Account<'_>) -> KeptNotes {
        let at = AttrPath::root().name("notes");
        self.check_list(at.clone(), &account.notes);
        let mut notes = Vec::new();
        for (n, note) in items(&account.notes) {
            let at = at.clone().index(n);
            let paths = at.clone().name("document_paths");
            self.check_list(paths.clone(), &note.document_paths);
            if items(&note.document_paths).next().is_some() {
                self.check(at.clone().name("body"), &note.body);
                self.check(at.name("created_at"), &note.created_at);
            }
            for (n, document) in items(&note.document_paths) {
                self.check(paths.clone().index(n).name("document_path"), &document.document_path);
            }
            notes.push(compared(note));
        }
        KeptNotes::of(&notes, self.zone)
    }
}

/// A note with the members by which it is compared.
fn compared<'j>(note: &draft::Note<'j>) -> Note<'j> {
    let document = |document: &draft::NoteDocument<'j>| match &document.document_path {
        Field::Value(path) => Some(NoteDocument { document_path: path.clone() }),
        Field::Absent | Field::Null | Field::Faulty => None,
    };
    Note {
        body: value(&note.body),
        document_paths: Some(items(&note.document_paths).filter_map(|(_, one)| document(one)).collect()),
        created_at: value(&note.created_at),
        is_pinned: None,
        unpin_at: None,
    }
}

fn value<T: Clone>(field: &Field<T>) -> Option<T> {
    if let Field::Value(value) = field { Some(value.clone()) } else { None }
}
