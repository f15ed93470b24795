//! What the console shows and does: of the organisation of who is signed in, and of no other (decisions D2).

use super::{OperatorError, ProcessReport, SupplierChange};
use crate::App;
use crate::auth::Caller;
use crate::port::{StoreError, Supplier, glance};
use cutover_core::SupplierStatus;
use cutover_process::StatusV2;

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

    /// All that is known of a process of an organisation.
    ///
    /// # Errors
    /// [`OperatorError::NotFound`] if it has none of the supplier and number.
    pub fn show_own_process(
        &self,
        caller: &Caller,
        supplier: &str,
        number: &str,
    ) -> Result<ProcessReport, OperatorError> {
        self.own_supplier(caller, supplier)?;
        self.show_process(supplier, number)
    }

    /// Takes a pending process of an organisation out.
    ///
    /// # Errors
    /// [`OperatorError::NotFound`] if it has none of the supplier and number, [`OperatorError::Refused`] if its
    /// state does not allow it.
    pub fn cancel_own_process(
        &self,
        caller: &Caller,
        supplier: &str,
        number: &str,
    ) -> Result<StatusV2, OperatorError> {
        self.own_supplier(caller, supplier)?;
        self.cancel_process(supplier, number)
    }

    /// Starts another attempt at a process of an organisation that ended without an account.
    ///
    /// # Errors
    /// As [`cancel_own_process`](Self::cancel_own_process), and [`OperatorError::Refused`] if its payload is
    /// archived.
    pub fn retry_own_process(
        &self,
        caller: &Caller,
        supplier: &str,
        number: &str,
    ) -> Result<StatusV2, OperatorError> {
        self.own_supplier(caller, supplier)?;
        self.retry_process(supplier, number)
    }
}
