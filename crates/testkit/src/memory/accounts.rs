use super::State;
use cutover_app::port::{Accounts, ImportedAccount, NewAccount, StoreError};
use cutover_core::Zone;

impl Accounts for State {
    fn insert_account(&mut self, account: &NewAccount) -> Result<(), StoreError> {
        let taken = |a: &NewAccount| a.number == account.number || a.process_id == account.process_id;
        if self.accounts.iter().any(taken) {
            return Err(StoreError::Conflict("the account exists".into()));
        }
        self.accounts.push(account.clone());
        Ok(())
    }

    fn imported_account(&mut self, process_id: i64, _: Zone) -> Result<Option<ImportedAccount>, StoreError> {
        let found = self.accounts.iter().find(|account| account.process_id == process_id);
        Ok(found.map(|account| ImportedAccount {
            number: account.number.clone(),
            customer_emails: account.customer_emails,
            account: account.account.clone(),
        }))
    }
}
