use crate::exit::Exit;
use crate::journal::Sums;
use crate::output::{document, grouped, money};
use cutover_core::plain;
use cutover_model::Totals;
use serde::{Serialize, Serializer};

/// Result of the command.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Summary {
    pub(super) manifests: Vec<Manifest>,
    /// True if the service has them.
    pub(super) declared: bool,
    /// Accounts that occurred before; the first one counts.
    pub(super) repeated: u64,
    /// Accounts of other suppliers than the one asked for.
    pub(super) of_others: u64,
    /// Accounts whose supplier, number or totals cannot be read.
    pub(super) uncounted: u64,
    /// Inputs that could not be read to their end.
    pub(super) unreadable: u64,
    pub(super) is_interrupted: bool,
    /// The first accounts that were not counted.
    pub(super) problems: Vec<Problem>,
}

/// What the files of a supplier come to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Manifest {
    pub(super) import_supplier: String,
    pub(super) totals: Totals,
}

/// An account that was not counted.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Problem {
    pub(super) file: String,
    pub(super) line: u32,
    pub(super) external_account_number: Option<String>,
    pub(super) code: String,
}

impl Serialize for Manifest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Shown<'s> {
            import_supplier: &'s str,
            accounts: u64,
            #[serde(flatten)]
            sums: Sums,
        }
        let (import_supplier, accounts) = (self.import_supplier.as_str(), self.totals.accounts);
        Shown { import_supplier, accounts, sums: self.totals.into() }.serialize(serializer)
    }
}

impl Summary {
    /// Returns true if everything that was named is counted, so that it may be declared.
    pub(super) fn is_complete(&self) -> bool {
        self.uncounted == 0 && self.unreadable == 0 && !self.is_interrupted
    }

    /// Exit code.
    pub(super) fn exit(&self) -> Exit {
        match (self.is_interrupted, self.unreadable, self.uncounted) {
            (true, ..) => Exit::Interrupted,
            (_, 1.., _) => Exit::Failed,
            (_, _, 1..) => Exit::Faulty,
            _ => Exit::Success,
        }
    }

    /// One JSON document for programs.
    pub(super) fn json(&self) -> String {
        document(self)
    }

    /// Text for people.
    pub(super) fn text(&self) -> String {
        let mut text: String = self.manifests.iter().map(|manifest| manifest.text() + "\n").collect();
        for (count, what) in [
            (self.repeated, "repeated accounts, of each of which the first one counts"),
            (self.of_others, "accounts of other suppliers, which do not count"),
            (self.uncounted, "accounts whose supplier, number or totals cannot be read"),
            (self.unreadable, "inputs that cannot be read to their end"),
        ] {
            if count > 0 {
                text += &format!("{} {what}\n", grouped(count));
            }
        }
        for Problem { file, line, external_account_number, code } in &self.problems {
            let number = external_account_number.as_deref().unwrap_or("-");
            text += &format!("  {}:{line}  {}  {}\n", plain(file), plain(number), plain(code));
        }
        text + self.verdict() + "\n"
    }

    fn verdict(&self) -> &'static str {
        match (self.declared, self.is_complete()) {
            (true, _) => "Declared to the service.",
            (false, true) => "Not declared to the service.",
            (false, false) => "Not declared to the service: it is not complete.",
        }
    }
}

impl Manifest {
    fn text(&self) -> String {
        let Totals { accounts, ledger_balance, readings, transactions, documents } = self.totals;
        let rows = [
            ("Supplier", plain(&self.import_supplier)),
            ("Accounts", grouped(accounts)),
            ("Ledger balance", money(ledger_balance)),
            ("Readings", grouped(readings)),
            ("Transactions", grouped(transactions)),
            ("Documents", grouped(documents)),
        ];
        rows.into_iter().map(|(name, value)| format!("{name:16}{value}\n")).collect()
    }
}
