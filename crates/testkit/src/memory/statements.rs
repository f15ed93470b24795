use super::{State, kept};
use cutover_app::port::{HistoricalStatements, NewHistoricalStatement, StoreError};

impl HistoricalStatements for State {
    fn historical_statement(
        &mut self,
        account_id: i64,
        statement_id: &str,
    ) -> Result<Option<[u8; 32]>, StoreError> {
        let mut all = self.account(account_id).into_iter().flat_map(|account| &account.statements);
        let found = all.find(|new| new.statement.statement_id.as_sent() == statement_id);
        Ok(found.map(|new| new.fingerprint))
    }

    fn add_historical_statement(
        &mut self,
        account_id: i64,
        new: &NewHistoricalStatement,
    ) -> Result<(), StoreError> {
        let statement = kept::statement(&new.statement);
        if self.historical_statement(account_id, statement.statement_id.as_sent())?.is_some() {
            return Err(StoreError::Conflict("the account has the statement".into()));
        }
        let new = NewHistoricalStatement { statement, ..new.clone() };
        self.account_mut(account_id)?.statements.push(new);
        Ok(())
    }
}
