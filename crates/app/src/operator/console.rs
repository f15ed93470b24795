//! Use cases of the console, limited to the organisation of the signed-in person (contract D2).

use super::processes::Intent;
use super::{Activity, OperatorError, ProcessReport, Release, Services, SupplierChange};
use crate::App;
use crate::account::{Progress, StatusCount};
use crate::auth::Caller;
use crate::port::{Operator, StoreError, Supplier, read_committed};
use chrono::{DateTime, DurationRound, TimeDelta, Utc};
use cutover_core::SupplierStatus;

/// Number of minutes of activity shown, including the current one.
const MINUTES: i64 = 60;

/// An import supplier with the number of its accounts in each state, without zero counts.
#[derive(Debug, Clone)]
pub struct OwnSupplier {
    /// The supplier.
    pub supplier: Supplier,
    /// The number of its accounts by state.
    pub counts: Vec<StatusCount>,
    /// True if its imports are held.
    pub is_held: bool,
}

/// The state of a supplier's migration.
#[derive(Debug, Clone)]
pub struct Migration {
    /// The supplier.
    pub supplier: Supplier,
    /// Its progress.
    pub progress: Progress,
    /// Accounts imported and failed in each minute of the last hour, oldest first.
    pub activity: Vec<Activity>,
    /// Time of the query.
    pub at: DateTime<Utc>,
}

impl App {
    /// Returns the import suppliers of an organisation, by code.
    ///
    /// # Errors
    /// [`StoreError`] if they could not be read.
    pub fn own_suppliers(&self, caller: &Caller) -> Result<Vec<OwnSupplier>, StoreError> {
        read_committed(&*self.store, |tx| {
            let suppliers = tx.suppliers()?.into_iter();
            let own = suppliers.filter(|supplier| supplier.organisation_id == caller.organisation_id);
            let counted = |supplier: Supplier| {
                let counts = StatusCount::of(&tx.state_counts(supplier.id)?);
                let is_held = tx.hold(supplier.id)?.is_some();
                Ok(OwnSupplier { supplier, counts, is_held })
            };
            own.map(counted).collect()
        })
    }

    /// Returns the state of the migration of an organisation's supplier. The cost does not depend on the
    /// number of accounts.
    ///
    /// # Errors
    /// [`OperatorError::NotFound`] if it has none with this code.
    pub fn own_migration(&self, caller: &Caller, code: &str) -> Result<Migration, OperatorError> {
        let supplier = self.own_supplier(caller, code)?;
        let at = self.clock.now();
        let this = at.duration_trunc(TimeDelta::minutes(1)).unwrap_or(at);
        let first = this - TimeDelta::minutes(MINUTES - 1);
        let seen = self.show_activity(code, first)?;
        let of_minute = |minute| {
            let found = seen.iter().find(|activity| activity.minute == minute);
            found.copied().unwrap_or(Activity { minute, imported: 0, failed: 0 })
        };
        let activity = (0..MINUTES).map(|n| of_minute(first + TimeDelta::minutes(n))).collect();
        Ok(Migration { progress: self.show_progress(code)?, supplier, activity, at })
    }

    /// Returns an import supplier of an organisation.
    ///
    /// # Errors
    /// [`OperatorError::NotFound`] if it has none with this code.
    pub fn own_supplier(&self, caller: &Caller, code: &str) -> Result<Supplier, OperatorError> {
        let missing = || OperatorError::not_found("supplier", code);
        let code = code.parse().map_err(|_| missing())?;
        let found = read_committed(&*self.store, |tx| tx.supplier_of(caller.organisation_id, &code))?;
        found.ok_or_else(missing)
    }

    /// Sets the status of an import supplier of an organisation.
    ///
    /// # Errors
    /// [`OperatorError::NotFound`] if it has none with this code.
    pub fn set_own_supplier_status(
        &self,
        caller: &Caller,
        code: &str,
        status: SupplierStatus,
    ) -> Result<Supplier, OperatorError> {
        self.own_supplier(caller, code)?;
        let change = SupplierChange { status: Some(status), ..SupplierChange::default() };
        self.set_supplier_by(&Operator::of(caller), code, change)
    }

    /// Holds the imports of a supplier of an organisation, for a reason.
    ///
    /// # Errors
    /// As [`App::hold_supplier`].
    pub fn hold_own_supplier(
        &self,
        caller: &Caller,
        code: &str,
        because: String,
    ) -> Result<Supplier, OperatorError> {
        let supplier = self.own_supplier(caller, code)?;
        self.hold_supplier_by(&Operator::of(caller), code, Some(because))?;
        Ok(supplier)
    }

    /// Releases the hold of a supplier of an organisation.
    ///
    /// # Errors
    /// As [`App::release_supplier`].
    pub fn release_own_supplier(
        &self,
        caller: &Caller,
        code: &str,
        release: &Release,
        services: &Services,
    ) -> Result<Supplier, OperatorError> {
        let supplier = self.own_supplier(caller, code)?;
        self.release_supplier_by(&Operator::of(caller), code, release, services)?;
        Ok(supplier)
    }

    /// Reports on a process of an organisation.
    ///
    /// # Errors
    /// [`OperatorError::NotFound`] if it has none with this supplier and number.
    pub fn show_own_process(
        &self,
        caller: &Caller,
        supplier: &str,
        number: &str,
    ) -> Result<ProcessReport, OperatorError> {
        self.own_supplier(caller, supplier)?;
        self.show_process(supplier, number)
    }

    /// Cancels a pending process of an organisation and returns its id.
    ///
    /// # Errors
    /// [`OperatorError::NotFound`] if it has none with this supplier and number, [`OperatorError::Refused`]
    /// if its state does not allow it.
    pub fn cancel_own_process(
        &self,
        caller: &Caller,
        supplier: &str,
        number: &str,
    ) -> Result<i64, OperatorError> {
        self.own_supplier(caller, supplier)?;
        Ok(self.step_process(&Operator::of(caller), supplier, number, Intent::Cancel)?.0)
    }

    /// Starts another attempt at a process of an organisation that ended without an account, and returns its
    /// id.
    ///
    /// # Errors
    /// As [`cancel_own_process`](Self::cancel_own_process), and [`OperatorError::Refused`] if its payload is
    /// archived.
    pub fn retry_own_process(
        &self,
        caller: &Caller,
        supplier: &str,
        number: &str,
    ) -> Result<i64, OperatorError> {
        self.own_supplier(caller, supplier)?;
        Ok(self.step_process(&Operator::of(caller), supplier, number, Intent::Retry)?.0)
    }
}
