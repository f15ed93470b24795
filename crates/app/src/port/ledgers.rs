use super::StoreError;
use chrono::NaiveDate;
use cutover_model::choices::TransactionType;
use cutover_model::rust_decimal::Decimal as Value;
use cutover_model::{Decimal, Transaction};

/// What additions to a ledger need to know of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LedgerHead {
    /// Its place among the ledgers of the account.
    pub position: i64,
    /// When its last statement was closed.
    pub last_statement_closing_date: Option<NaiveDate>,
    /// Its balance at the last closing.
    pub last_statement_balance: Option<Value>,
    /// Its balance now; `None` if the payload gave none and nothing was added since.
    pub balance: Option<Value>,
}

/// A transaction as stored.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredTransaction {
    /// What is stored of it, decimals as strings with the digits sent.
    pub transaction: Transaction<'static>,
    /// The date that was sent, where another one is stored: it was moved (contract D8).
    pub sent_date: Option<NaiveDate>,
}

/// A transaction to be added to the open statement of a ledger.
#[derive(Debug, Clone, PartialEq)]
pub struct NewTransaction {
    /// What is to be stored.
    pub transaction: Transaction<'static>,
    /// The date that was sent, if the one above is another.
    pub sent_date: Option<NaiveDate>,
}

/// Ledgers and transactions of imported accounts. But for [`Ledgers::current_amounts`], what a call costs
/// does not depend on how many an account has.
pub trait Ledgers {
    /// The first ledger of an account; every account has one.
    fn first_ledger(&mut self, account_id: i64) -> Result<Option<LedgerHead>, StoreError>;

    /// The earliest start of supply of the account's meter points.
    fn earliest_supply_start(&mut self, account_id: i64) -> Result<Option<NaiveDate>, StoreError>;

    /// The types and amounts of all transactions of a ledger's open statement.
    fn current_amounts(
        &mut self,
        account_id: i64,
        ledger: i64,
    ) -> Result<Vec<(TransactionType, Value)>, StoreError>;

    /// The transaction of an id, of any ledger of the account; of several, the oldest.
    fn find_transaction(
        &mut self,
        account_id: i64,
        transaction_id: &str,
    ) -> Result<Option<StoredTransaction>, StoreError>;

    /// Adds a transaction to the open statement of a ledger, behind the others.
    fn add_transaction(
        &mut self,
        account_id: i64,
        ledger: i64,
        transaction: &NewTransaction,
    ) -> Result<(), StoreError>;

    /// Sets the balance of a ledger.
    fn set_balance(&mut self, account_id: i64, ledger: i64, balance: &Decimal<'_>) -> Result<(), StoreError>;
}
