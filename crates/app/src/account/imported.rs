use crate::App;
use crate::auth::Caller;
use crate::port::{StoreError, read};
use cutover_core::{ExternalAccountNumber, SupplierCode};

impl App {
    /// Returns an imported account as JSON, with what was added since its import (contract D19); `None` if the
    /// organisation has none with this number. See
    /// [`ImportedAccount::to_json`](crate::port::ImportedAccount::to_json).
    ///
    /// # Errors
    /// [`StoreError`] if it could not be read.
    pub fn imported_account(
        &self,
        caller: &Caller,
        supplier: &str,
        number: &str,
    ) -> Result<Option<Vec<u8>>, StoreError> {
        let (Ok(code), Ok(number)) = (
            cutover_core::trimmed(supplier).parse::<SupplierCode>(),
            number.parse::<ExternalAccountNumber>(),
        ) else {
            return Ok(None);
        };
        let found = read(&*self.store, |tx| {
            let Some(supplier) = tx.supplier_of(caller.organisation_id, &code)? else { return Ok(None) };
            let Some(stored) = tx.process(supplier.id, &number)? else { return Ok(None) };
            let account = tx.imported_account(stored.process.id())?;
            Ok::<_, StoreError>(account.map(|account| (account, supplier.settings.time_zone)))
        })?;
        Ok(found.map(|(account, zone)| account.to_json(zone)))
    }
}
