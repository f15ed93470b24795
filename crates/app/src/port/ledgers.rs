use super::StoreError;
use chrono::NaiveDate;
use cutover_model::choices::TransactionType;
use cutover_model::rust_decimal::Decimal as Value;
use cutover_model::{Decimal, Transaction};

/// The state of a ledger that additions depend on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LedgerHead {
    /// Its position among the ledgers of the account.
    pub position: i64,
    /// Date on which its last statement was closed.
    pub last_statement_closing_date: Option<NaiveDate>,
    /// Its balance on that date.
    pub last_statement_balance: Option<Value>,
    /// Its current balance; `None` if the payload has none and nothing was added since.
    pub balance: Option<Value>,
}

/// A stored transaction.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredTransaction {
    /// Its number among the transactions of the account, from 0.
    pub position: i64,
    /// The transaction, decimals as strings with the digits sent.
    pub transaction: Transaction<'static>,
    /// The date that was sent, if the transaction was moved to another one (contract D8).
    pub sent_date: Option<NaiveDate>,
}

/// A period that an account was charged for.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ChargedPeriod {
    /// The first day.
    pub start_date: NaiveDate,
    /// The last day.
    pub end_date: NaiveDate,
    /// The rate, as it was sent.
    pub rate_band: Option<String>,
    /// The id of the transaction.
    pub transaction_id: String,
}

/// A transaction to be added to the open statement of a ledger.
#[derive(Debug, Clone, PartialEq)]
pub struct NewTransaction {
    /// The transaction to be stored.
    pub transaction: Transaction<'static>,
    /// The date that was sent, if the transaction was moved to another one.
    pub sent_date: Option<NaiveDate>,
}

/// Queries of ledgers and transactions of imported accounts. Except for [`Ledgers::current_amounts`] and
/// [`Ledgers::charged_periods`], the cost of a call does not depend on their number.
pub trait Ledgers {
    /// Returns the first ledger of an account. Every account has one.
    fn first_ledger(&mut self, account_id: i64) -> Result<Option<LedgerHead>, StoreError>;

    /// Returns the earliest start of supply of the account's meter points.
    fn earliest_supply_start(&mut self, account_id: i64) -> Result<Option<NaiveDate>, StoreError>;

    /// Returns the types and amounts of all transactions of a ledger's open statement.
    fn current_amounts(
        &mut self,
        account_id: i64,
        ledger: i64,
    ) -> Result<Vec<(TransactionType, Value)>, StoreError>;

    /// Returns the line items of charges of at least 0 for a product, in any ledger of the account, that end on the first of
    /// these days or later and start on the last or earlier.
    fn charged_periods(
        &mut self,
        account_id: i64,
        product_code: &str,
        days: (NaiveDate, NaiveDate),
    ) -> Result<Vec<ChargedPeriod>, StoreError>;

    /// Returns the transaction with this id from any ledger of the account: the oldest, if there are several.
    fn find_transaction(
        &mut self,
        account_id: i64,
        transaction_id: &str,
    ) -> Result<Option<StoredTransaction>, StoreError>;

    /// Appends a transaction to the open statement of a ledger, and returns its number among those of the account.
    fn add_transaction(
        &mut self,
        account_id: i64,
        ledger: i64,
        transaction: &NewTransaction,
    ) -> Result<i64, StoreError>;

    /// Sets the balance of a ledger.
    fn set_balance(&mut self, account_id: i64, ledger: i64, balance: &Decimal<'_>) -> Result<(), StoreError>;
}
