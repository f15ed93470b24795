use crate::output::{grouped, money};
use cutover_model::Totals;
use cutover_model::rust_decimal::Decimal;
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

/// Control totals of the sent and of the imported accounts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Comparison {
    pub(super) sent: Totals,
    pub(super) imported: Totals,
}

/// A row of the comparison, formatted for people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Line {
    pub(super) title: &'static str,
    /// Sent, imported, and sent minus imported.
    pub(super) shown: [String; 3],
}

/// One side of the comparison, for programs. Balances are text, so that their digits are kept.
#[derive(Serialize)]
struct Side {
    accounts: i128,
    ledger_balance: String,
    readings: i128,
    transactions: i128,
    documents: i128,
}

impl Serialize for Comparison {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (sent, imported) = (&self.sent, &self.imported);
        let side = |count: &dyn Fn(fn(&Totals) -> u64) -> i128, balance: Decimal| Side {
            accounts: count(|totals| totals.accounts),
            ledger_balance: plain_money(balance),
            readings: count(|totals| totals.readings),
            transactions: count(|totals| totals.transactions),
            documents: count(|totals| totals.documents),
        };
        let mut map = serializer.serialize_map(Some(3))?;
        map.serialize_entry("sent", &side(&|of| of(sent).into(), sent.ledger_balance))?;
        map.serialize_entry("imported", &side(&|of| of(imported).into(), imported.ledger_balance))?;
        let difference = |of: fn(&Totals) -> u64| i128::from(of(sent)) - i128::from(of(imported));
        map.serialize_entry("difference", &side(&difference, self.missing()))?;
        map.end()
    }
}

impl Comparison {
    /// True if all totals are equal, to the cent.
    pub(super) fn agrees(&self) -> bool {
        self.sent == self.imported
    }

    /// Balance that was sent and is not imported. Sums of balances stay far below the limits of a decimal.
    fn missing(&self) -> Decimal {
        self.sent.ledger_balance.saturating_sub(self.imported.ledger_balance)
    }

    pub(super) fn lines(&self) -> [Line; 5] {
        let Self { sent, imported } = self;
        let amounts = [sent.ledger_balance, imported.ledger_balance, self.missing()];
        [
            count("Accounts", sent.accounts, imported.accounts),
            Line { title: "Ledger balance", shown: amounts.map(money) },
            count("Readings", sent.readings, imported.readings),
            count("Transactions", sent.transactions, imported.transactions),
            count("Documents", sent.documents, imported.documents),
        ]
    }
}

fn count(title: &'static str, sent: u64, imported: u64) -> Line {
    let (sign, size) = if sent < imported { ("-", imported - sent) } else { ("", sent - imported) };
    Line { title, shown: [grouped(sent), grouped(imported), format!("{sign}{}", grouped(size))] }
}

/// Formats an amount without separators, with at least two decimal places.
fn plain_money(amount: Decimal) -> String {
    money(amount).replace(',', "")
}

/// Formats the comparison in columns.
pub(super) fn table(lines: &[Line]) -> String {
    let heads = ["sent", "imported", "difference"];
    let width = |column: usize| {
        let shown = lines.iter().map(|line| line.shown[column].len());
        shown.chain([heads[column].len()]).max().unwrap_or_default()
    };
    let widths = [width(0), width(1), width(2)];
    let row = |title: &str, cells: [&str; 3]| {
        let [a, b, c] = widths;
        format!("{title:16}{:>a$}  {:>b$}  {:>c$}\n", cells[0], cells[1], cells[2])
    };
    let rows = lines.iter().map(|line| row(line.title, line.shown.each_ref().map(String::as_str)));
    row("", heads) + &rows.collect::<String>()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn totals(accounts: u64, balance: &str) -> Totals {
        Totals {
            accounts,
            ledger_balance: balance.parse().unwrap(),
            readings: 1_000,
            transactions: 2,
            documents: 3,
            ..Totals::default()
        }
    }

    #[test]
    fn differences_are_sent_minus_imported() {
        let sent = totals(1_234, "1234567.80");
        let comparison =
            Comparison { sent, imported: Totals { documents: 5, ..totals(1_200, "1234567.81") } };
        assert!(!comparison.agrees());
        insta::assert_snapshot!(table(&comparison.lines()));
        insta::assert_json_snapshot!(comparison);
        assert!(Comparison { sent, imported: totals(1_234, "1234567.8000") }.agrees());
    }
}
