use super::super::schema::ledgers;
use super::super::types::{Day, Digits};
use super::builder::{Builder, next};
use super::json::Members;
use super::rows::Tree;
use cutover_model::{Ledger, Writer};
use diesel::prelude::*;

row! {
    #[derive(Insertable, Queryable, Selectable)]
    #[diesel(table_name = ledgers, treat_none_as_default_value = false)]
    pub(super) struct LedgerRow<'a> {
        pub(super) account_id: i64,
        position: i64,
        last_statement_closing_date: Option<Day>,
        last_statement_issue_date: Option<Day>,
        last_statement_balance: Option<Digits<'a>>,
        balance: Option<Digits<'a>>,
    }
}

/// The value of the column and the name of the ledger's member.
pub(super) const CURRENT: (&str, &str) = ("current", "current_statement_transactions");
const HISTORICAL: (&str, &str) = ("historical", "historical_statement_transactions");

impl<'a> Builder<'a> {
    pub(super) fn ledgers(&mut self, ledgers: &'a [Ledger<'_>]) {
        for ledger in ledgers {
            let position = next(&self.rows.ledgers);
            self.rows.ledgers.push(LedgerRow {
                account_id: self.account_id,
                position,
                last_statement_closing_date: ledger.last_statement_closing_date.map(Day::from),
                last_statement_issue_date: ledger.last_statement_issue_date.map(Day::from),
                last_statement_balance: ledger.last_statement_balance.as_ref().map(Digits::from),
                balance: ledger.ledger_balance.as_ref().map(Digits::from),
            });
            let current = ledger.current_statement_transactions.as_deref().unwrap_or_default();
            self.transactions(position, CURRENT.0, current);
            let historical = ledger.historical_statement_transactions.as_deref().unwrap_or_default();
            self.transactions(position, HISTORICAL.0, historical);
        }
    }
}

impl LedgerRow<'_> {
    pub(super) fn write(&self, tree: &Tree<'_>, writer: &mut Writer) {
        let all = tree.transactions.of(self.position);
        for (word, member) in [CURRENT, HISTORICAL] {
            let rows: Vec<_> = all.iter().filter(|row| row.statement == word).collect();
            writer.list_if(member, false, &rows, |row, w| row.write(tree, w));
        }
        writer.set_if("last_statement_closing_date", &self.last_statement_closing_date);
        writer.set_if("last_statement_issue_date", &self.last_statement_issue_date);
        writer.set_if("last_statement_balance", &self.last_statement_balance);
        writer.set_if("ledger_balance", &self.balance);
    }
}
