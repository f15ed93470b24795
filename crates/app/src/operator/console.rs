//! What the console shows and does: of the organisation of who is signed in, and of no other (decisions D2).

use super::{OperatorError, SupplierChange};
use crate::App;
use crate::auth::Caller;
use crate::port::{StoreError, Supplier, glance};
use cutover_core::SupplierStatus;

impl App {
    /// The import suppliers of an organisation, by code.
    ///
    /// # Errors
    /// [`StoreError`] if they could not be read.
    pub fn own_suppliers(&self, caller: &Caller) -> Result<Vec<Supplier>, StoreError> {
        let mut suppliers = glance(&*self.store, |tx| tx.suppliers())?;
        suppliers.retain(|supplier| supplier.organisation_id == caller.organisation_id);
        Ok(suppliers)
    }

    /// An import supplier of an organisation.
    ///
    /// # Errors
    /// [`OperatorError::NotFound`] if it has none of the code.
    pub fn own_supplier(&self, caller: &Caller, code: &str) -> Result<Supplier, OperatorError> {
        let missing = || OperatorError::not_found("supplier", code);
        let code = code.parse().map_err(|_| missing())?;
        let found = glance(&*self.store, |tx| tx.supplier_of(caller.organisation_id, &code))?;
        found.ok_or_else(missing)
    }

    /// Sets whether an import supplier of an organisation takes accounts.
    ///
    /// # Errors
    /// [`OperatorError::NotFound`] if it has none of the code.
    pub fn set_own_supplier_status(
        &self,
        caller: &Caller,
        code: &str,
        status: SupplierStatus,
    ) -> Result<Supplier, OperatorError> {
        self.own_supplier(caller, code)?;
        self.set_supplier(code, SupplierChange { status: Some(status), ..SupplierChange::default() })
    }
}
