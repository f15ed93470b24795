use crate::App;
use crate::auth::Caller;
use crate::port::{StoreError, read};
use cutover_core::{ExternalAccountNumber, SupplierCode};
use cutover_process::{StatusV2, v2};

impl App {
    /// The status of an account's import (contract 4.1); `None` if there is no such process, or it
    /// is another organisation's.
    ///
    /// # Errors
    /// [`StoreError`] if it could not be read.
    pub fn account_status(
        &self,
        caller: &Caller,
        supplier: &str,
        number: &str,
    ) -> Result<Option<StatusV2>, StoreError> {
        let (Ok(code), Ok(number)) = (
            cutover_core::trimmed(supplier).parse::<SupplierCode>(),
            number.parse::<ExternalAccountNumber>(),
        ) else {
            return Ok(None);
        };
        let found = read(&*self.store, |tx| {
            let Some(supplier) = tx.supplier(&code)? else { return Ok(None) };
            let process = tx.process(supplier.id, &number)?;
            Ok(process.map(|process| (supplier, process)))
        })?;
        let own = found.filter(|(supplier, _)| supplier.organisation_id == caller.organisation_id);
        Ok(own.map(|(supplier, stored)| v2(&stored.process, supplier.settings.time_zone)))
    }
}
