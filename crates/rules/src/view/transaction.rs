use crate::at::{At, items};
use chrono::NaiveDate;
use cutover_model::{Field, List, draft};

/// The place of a transaction in the payload.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Origin {
    /// In a list of a ledger.
    Ledger,
    /// In a transactions request.
    Request,
}

/// A transaction and its origin.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Transaction<'a, 'j> {
    pub(crate) transaction: &'a draft::Transaction<'j>,
    pub(crate) origin: Origin,
}

/// All transactions of one payload.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Transactions<'a, 'j> {
    /// Of the ledgers of an account.
    Account(&'a draft::Account<'j>),
    /// Of a transactions request.
    Request(&'a draft::TransactionsRequest<'j>),
}

impl<'a, 'j> Transactions<'a, 'j> {
    /// Calls `f` with every usable transaction and its path, in document order (rules 1.8).
    pub(crate) fn each(self, mut f: impl FnMut(&'a draft::Transaction<'j>, &At<'_>)) {
        match self {
            Self::Account(account) => {
                items(&account.ledgers, "ledgers", &At::ROOT, |ledger, at| of_ledger(ledger, at, &mut f));
            }
            Self::Request(request) => items(&request.transactions, "transactions", &At::ROOT, f),
        }
    }
}

/// Calls `f` with every usable transaction of a ledger and its path, current ones first (rules 1.8).
pub(crate) fn of_ledger<'a, 'j>(
    ledger: &'a draft::Ledger<'j>,
    at: &At<'_>,
    mut f: impl FnMut(&'a draft::Transaction<'j>, &At<'_>),
) {
    items(&ledger.current_statement_transactions, CURRENT, at, &mut f);
    items(&ledger.historical_statement_transactions, HISTORICAL, at, f);
}

/// Returns the indexes and the dates of the transactions whose date is usable.
pub(crate) fn dates(list: &Field<List<draft::Transaction<'_>>>) -> impl Iterator<Item = (u32, NaiveDate)> {
    let transactions = list.usable().into_iter().flat_map(List::usable);
    transactions.filter_map(|(index, t)| Some((index, *t.transaction_date.usable()?)))
}

/// The member of a ledger with the transactions of the open statement.
pub(crate) const CURRENT: &str = "current_statement_transactions";
/// The member of a ledger with the transactions of closed statements.
pub(crate) const HISTORICAL: &str = "historical_statement_transactions";
