use super::accounts::Imported;
use super::{State, kept};
use chrono::NaiveDate;
use cutover_app::port::{ChargedPeriod, LedgerHead, Ledgers, NewTransaction, StoreError, StoredTransaction};
use cutover_model::choices::TransactionType;
use cutover_model::rust_decimal::Decimal as Value;
use cutover_model::{Decimal, Transaction};

impl Imported {
    /// Transactions of the payload's ledgers.
    fn sent_transactions(&self) -> impl Iterator<Item = &Transaction<'static>> {
        self.ledgers().flat_map(|(_, ledger)| {
            let both = [&ledger.current_statement_transactions, &ledger.historical_statement_transactions];
            both.into_iter().flatten().flatten()
        })
    }

    fn find(&self, transaction_id: &str) -> Option<(i64, (&Transaction<'static>, Option<NaiveDate>))> {
        let sent = self.sent_transactions().map(|transaction| (transaction, None));
        let added = self.transactions.iter().map(|(_, new)| (&new.transaction, new.sent_date));
        let mut all = (0..).zip(sent.chain(added));
        all.find(|(_, (transaction, _))| transaction.transaction_id.as_sent() == transaction_id)
    }

    /// Transactions of a ledger's open statement.
    fn current(&self, place: i64) -> impl Iterator<Item = &Transaction<'static>> {
        let sent = self.ledgers().filter(move |(of, _)| *of == place);
        let sent = sent.flat_map(|(_, ledger)| ledger.current_statement_transactions.iter().flatten());
        let added = self.transactions.iter().filter(move |(of, _)| *of == place);
        sent.chain(added.map(|(_, new)| &new.transaction))
    }
}

impl Ledgers for State {
    fn first_ledger(&mut self, account_id: i64) -> Result<Option<LedgerHead>, StoreError> {
        let first = self.account(account_id).and_then(|account| account.ledgers().next());
        Ok(first.map(|(position, ledger)| LedgerHead {
            position,
            last_statement_closing_date: ledger.last_statement_closing_date,
            last_statement_balance: ledger.last_statement_balance.as_ref().map(Decimal::value),
            balance: ledger.ledger_balance.as_ref().map(Decimal::value),
        }))
    }

    fn earliest_supply_start(&mut self, account_id: i64) -> Result<Option<NaiveDate>, StoreError> {
        let points = self.account(account_id).into_iter().flat_map(Imported::meter_points);
        Ok(points.map(|point| point.common.supply_start_date).min())
    }

    fn current_amounts(
        &mut self,
        account_id: i64,
        ledger: i64,
    ) -> Result<Vec<(TransactionType, Value)>, StoreError> {
        let all = self.account(account_id).into_iter().flat_map(|account| account.current(ledger));
        Ok(all.map(|transaction| (transaction.kind, transaction.amount.value())).collect())
    }

    fn charged_periods(
        &mut self,
        account_id: i64,
        product_code: &str,
        (first, last): (NaiveDate, NaiveDate),
    ) -> Result<Vec<ChargedPeriod>, StoreError> {
        let Some(account) = self.account(account_id) else { return Ok(Vec::new()) };
        let added = account.transactions.iter().map(|(_, new)| &new.transaction);
        let charges = account.sent_transactions().chain(added).filter(|transaction| {
            transaction.kind == TransactionType::SupplyCharge
                && !transaction.amount.value().is_sign_negative()
                && transaction.product_code.as_ref().is_some_and(|code| code.as_sent() == product_code)
        });
        let periods = charges.flat_map(|transaction| {
            let items = transaction.line_items.iter().flatten();
            let items = items.filter(|item| item.end_date >= first && item.start_date <= last);
            items.map(|item| ChargedPeriod {
                start_date: item.start_date,
                end_date: item.end_date,
                rate_band: item.rate_band.as_ref().map(|band| band.as_sent().to_owned()),
                transaction_id: transaction.transaction_id.as_sent().to_owned(),
            })
        });
        Ok(periods.collect())
    }

    fn find_transaction(
        &mut self,
        account_id: i64,
        transaction_id: &str,
    ) -> Result<Option<StoredTransaction>, StoreError> {
        let found = self.account(account_id).and_then(|account| account.find(transaction_id));
        let stored = |(position, (transaction, sent_date))| {
            Ok(StoredTransaction { position, transaction: kept::transaction(transaction)?, sent_date })
        };
        found.map(stored).transpose()
    }

    fn add_transaction(
        &mut self,
        account_id: i64,
        ledger: i64,
        new: &NewTransaction,
    ) -> Result<i64, StoreError> {
        let account = self.account_mut(account_id)?;
        if !account.ledgers().any(|(place, _)| place == ledger) {
            return Err(StoreError::Failed(format!("there is no ledger {ledger}")));
        }
        let transaction = kept::transaction(&new.transaction)?;
        let position = account.sent_transactions().count() + account.transactions.len();
        account.transactions.push((ledger, NewTransaction { transaction, sent_date: new.sent_date }));
        Ok(position as i64)
    }

    fn set_balance(&mut self, account_id: i64, ledger: i64, balance: &Decimal<'_>) -> Result<(), StoreError> {
        let account = self.account_mut(account_id)?;
        let ledgers = (0..).zip(account.new.account.ledgers.iter_mut().flatten());
        for (_, ledger) in ledgers.filter(|(place, _)| *place == ledger) {
            ledger.ledger_balance = Some(balance.clone().into_owned());
        }
        Ok(())
    }
}
