use crate::assemble::TableCounts;
use crate::exit::Exit;
use crate::journal::Sums;
use crate::output::{document, grouped, money};
use crate::validate::{SupplierZone, named};
use cutover_core::plain;
use cutover_model::{RowCounts, Totals};
use serde::{Serialize, Serializer};

/// Result of the command.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Summary {
    pub(super) manifests: Vec<Manifest>,
    /// True if the service has them.
    pub(super) declared: bool,
    /// The tables that accounts were made of, if there are any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) tables: Option<TableCounts>,
    /// Copies of accounts of which another copy counts.
    pub(super) repeated: u64,
    /// Copies that differ from the one before.
    pub(super) differing: u64,
    /// Accounts of other suppliers than the one asked for.
    pub(super) of_others: u64,
    /// Accounts without a supplier or a number, or with a fault in a member that is counted.
    pub(super) uncounted: u64,
    /// Inputs that could not be read to their end.
    pub(super) unreadable: u64,
    pub(super) is_interrupted: bool,
    /// The zones of the suppliers' days.
    pub(super) time_zones: Vec<SupplierZone>,
    /// The first faults because of which the manifest is not complete.
    pub(super) problems: Vec<Problem>,
}

/// What the files of a supplier come to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Manifest {
    pub(super) import_supplier: String,
    pub(super) totals: Totals,
}

/// A fault because of which an account is not counted, or counted although the inputs contradict each other.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Problem {
    pub(super) file: String,
    pub(super) line: u64,
    pub(super) external_account_number: Option<String>,
    pub(super) attr: String,
    pub(super) code: String,
    pub(super) detail: String,
}

impl Serialize for Manifest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Shown<'s> {
            import_supplier: &'s str,
            accounts: u64,
            #[serde(flatten)]
            sums: Sums,
            counts: RowCounts,
        }
        let (import_supplier, accounts) = (self.import_supplier.as_str(), self.totals.accounts);
        Shown { import_supplier, accounts, sums: self.totals.into(), counts: self.totals.rows }
            .serialize(serializer)
    }
}

impl Summary {
    /// Returns true if everything that was named is counted, so that it may be declared.
    pub(super) fn is_complete(&self) -> bool {
        self.uncounted + self.differing + self.lost() + self.unreadable == 0 && !self.is_interrupted
    }

    /// What was found while accounts were made of tables.
    fn lost(&self) -> u64 {
        self.tables.map_or(0, |tables| tables.findings)
    }

    /// Exit code.
    pub(super) fn exit(&self) -> Exit {
        match (self.is_interrupted, self.unreadable, self.uncounted + self.differing + self.lost()) {
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
        text += &format!("{:16}{}\n", "Time zone", plain(&named(&self.time_zones)));
        for (count, what) in [
            (self.repeated, "repeated accounts, each of which counts once"),
            (self.differing, "accounts with other content than in an earlier line; the last one counts"),
            (self.of_others, "accounts of other suppliers, which do not count"),
            (self.uncounted, "accounts that cannot be counted"),
            (self.lost(), "findings about the tables, which `assemble` and `validate` name"),
            (self.unreadable, "inputs that cannot be read to their end"),
        ] {
            if count > 0 {
                text += &format!("{} {what}\n", grouped(count));
            }
        }
        text.extend(self.problems.iter().map(Problem::text));
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

impl Problem {
    fn text(&self) -> String {
        let Self { file, line, external_account_number, attr, code, detail } = self;
        let number = external_account_number.as_deref().unwrap_or("-");
        let (file, number, attr) = (plain(file), plain(number), plain(attr));
        let text = format!("  {file}:{line}  {number}  {attr}  {code}\n");
        if detail.is_empty() { text } else { format!("{text}      {}\n", plain(detail)) }
    }
}

impl Manifest {
    fn text(&self) -> String {
        let Totals { accounts, ledger_balance, readings, transactions, documents, rows: counts } =
            self.totals;
        let rows = [
            ("Supplier", plain(&self.import_supplier)),
            ("Accounts", grouped(accounts)),
            ("Ledger balance", money(ledger_balance)),
            ("Readings", grouped(readings)),
            ("Transactions", grouped(transactions)),
            ("Documents", grouped(documents)),
        ];
        let mut text: String = rows.into_iter().map(|(name, value)| format!("{name:16}{value}\n")).collect();
        text += "Rows\n";
        text.extend(counts.iter().map(|(table, rows)| format!("  {table:26}{}\n", grouped(rows))));
        text
    }
}
