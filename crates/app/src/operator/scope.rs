//! Scopes of operators, and transactions that are limited to one.

use super::OperatorError;
use crate::auth::Caller;
use crate::gate;
use crate::port::{
    ApiKey, AuditFilter, AuditRecord, Gate, Hold, Job, NewApiKey, Organisation, Rows, StepWrite, StoreError,
    StoredProcess, Supplier, Tx, Vendor, Webhook,
};
use chrono::{DateTime, Utc};
use cutover_core::{ServiceAccountNumber, SupplierCode};
use std::collections::BTreeSet;
use std::ops::{Deref, DerefMut};

/// The part of the installation that an operator sees and changes. The rest does not exist for that operator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Scope {
    /// Everything.
    Installation,
    /// An organisation, by the store's key, with everything that belongs to it.
    Organisation(i64),
    /// Some suppliers of an organisation with what belongs to them, and nothing of the organisation itself.
    Suppliers {
        /// The store's key of the organisation.
        organisation_id: i64,
        /// The codes of the suppliers.
        codes: BTreeSet<SupplierCode>,
    },
}

impl Scope {
    /// Returns the scope of a caller: its organisation.
    pub fn of(caller: &Caller) -> Self {
        Self::Organisation(caller.organisation_id)
    }

    /// Returns the only organisation in it.
    fn organisation_id(&self) -> Option<i64> {
        match self {
            Self::Installation => None,
            Self::Organisation(organisation_id) | Self::Suppliers { organisation_id, .. } => {
                Some(*organisation_id)
            }
        }
    }

    /// Returns true if what belongs to an organisation, but to no supplier, is in it.
    fn has(&self, organisation_id: i64) -> bool {
        match self {
            Self::Installation => true,
            Self::Organisation(own) => *own == organisation_id,
            Self::Suppliers { .. } => false,
        }
    }

    fn has_code(&self, code: &str) -> bool {
        match self {
            Self::Installation | Self::Organisation(_) => true,
            Self::Suppliers { codes, .. } => codes.iter().any(|own| own.as_str() == code),
        }
    }

    fn has_supplier(&self, organisation_id: i64, code: &str) -> bool {
        self.organisation_id().is_none_or(|own| own == organisation_id) && self.has_code(code)
    }
}

/// A transaction within a scope. Whatever is named or listed is looked up here, where the scope is applied; a thing outside
/// of it is not found, like an absent one. With the key of a thing that was found, the rest of it is read and written
/// through [`Rows`].
pub(crate) struct Scoped<'t> {
    tx: &'t mut dyn Tx,
    scope: &'t Scope,
}

impl<'t> Deref for Scoped<'t> {
    type Target = dyn Rows + 't;

    fn deref(&self) -> &Self::Target {
        self.tx
    }
}

impl DerefMut for Scoped<'_> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        self.tx
    }
}

impl<'t> Scoped<'t> {
    pub(super) fn new(tx: &'t mut dyn Tx, scope: &'t Scope) -> Self {
        Self { tx, scope }
    }

    /// Returns the queries by keys, for functions that take them.
    pub(crate) fn rows(&mut self) -> &mut dyn Rows {
        self.tx
    }

    /// Returns the supplier with this code, which may be any text.
    pub(crate) fn supplier(&mut self, code: &str) -> Result<Supplier, OperatorError> {
        let parsed = code.parse().ok().filter(|_| self.scope.has_code(code));
        let found = match (parsed, self.scope.organisation_id()) {
            (None, _) => None,
            (Some(code), None) => self.tx.supplier(&code)?,
            (Some(code), Some(of)) => self.tx.supplier_of(of, &code)?,
        };
        found.ok_or_else(|| OperatorError::not_found("supplier", code))
    }

    /// Returns a supplier that was found before as it is now. A new one with its code is another one.
    pub(crate) fn again(&mut self, supplier: &Supplier) -> Result<Supplier, OperatorError> {
        let code = supplier.code.as_str();
        let found = self.supplier(code)?;
        if found.id == supplier.id { Ok(found) } else { Err(OperatorError::not_found("supplier", code)) }
    }

    /// Returns the suppliers, by code.
    pub(crate) fn suppliers(&mut self) -> Result<Vec<Supplier>, StoreError> {
        let mut all = self.tx.suppliers(self.scope.organisation_id())?;
        all.retain(|supplier| self.scope.has_code(supplier.code.as_str()));
        Ok(all)
    }

    /// Returns true if a supplier of another organisation has a document root of which this is true. Two organisations
    /// never share a root, whatever an operator sees.
    pub(super) fn has_foreign_root(
        &mut self,
        organisation_id: i64,
        is: impl Fn(&str) -> bool,
    ) -> Result<bool, StoreError> {
        let all = self.tx.suppliers(None)?;
        Ok(all.iter().any(|one| one.organisation_id != organisation_id && is(&one.settings.document_root)))
    }

    /// Returns the process with this supplier code and account number, which may be any text.
    pub(crate) fn find_process(
        &mut self,
        code: &str,
        number: &str,
    ) -> Result<(Supplier, StoredProcess), OperatorError> {
        let absent = || OperatorError::not_found("process", format!("{code}/{number}"));
        let supplier = match self.supplier(code) {
            Err(OperatorError::NotFound { .. }) => return Err(absent()),
            found => found?,
        };
        let parsed = number.parse().map_err(|_| absent())?;
        let stored = self.tx.process(supplier.id, &parsed)?.ok_or_else(absent)?;
        Ok((supplier, stored))
    }

    /// Returns those of these keys that are still of processes of a supplier that was found. SQLite uses the keys of an erased
    /// supplier's processes again.
    pub(super) fn still_of(&mut self, supplier: &Supplier, ids: &[i64]) -> Result<Vec<i64>, StoreError> {
        let found = self.tx.processes_by_id(ids)?.into_iter();
        let own = found.filter(|stored| stored.supplier_id == supplier.id);
        Ok(own.map(|stored| stored.process.id()).collect())
    }

    /// Returns the process that imported the account with this number at this service, if it is one of these suppliers'.
    pub(super) fn process_of_account<'s>(
        &mut self,
        suppliers: &'s [Supplier],
        number: &ServiceAccountNumber,
    ) -> Result<Option<(&'s Supplier, StoredProcess)>, StoreError> {
        let found = self.tx.process_of_account(number)?;
        let supplier = |stored: &StoredProcess| suppliers.iter().find(|own| own.id == stored.supplier_id);
        Ok(found.and_then(|stored| Some((supplier(&stored)?, stored))))
    }

    /// Writes a step of a process that was found, which does not end its account. Returns false if it has taken another one.
    pub(super) fn step_process(&mut self, step: StepWrite<'_>) -> Result<bool, StoreError> {
        Ok(gate::step_processes(self.tx, &[step])? == [true])
    }

    /// Locks the gate of a supplier and returns it; a new one if it has none.
    pub(super) fn lock_gate(&mut self, supplier: &Supplier) -> Result<Gate, StoreError> {
        let found = self.tx.lock_gates(std::slice::from_ref(&supplier.code))?.pop();
        Ok(found.map_or_else(|| Gate::new(supplier.id), |(_, gate)| gate))
    }

    /// Returns the suppliers that are held, by code.
    pub(super) fn holds(&mut self) -> Result<Vec<(SupplierCode, Hold)>, StoreError> {
        if *self.scope == Scope::Installation {
            return self.tx.holds();
        }
        let mut held = Vec::new();
        for supplier in self.suppliers()? {
            held.extend(self.tx.hold(supplier.id)?.map(|hold| (supplier.code, hold)));
        }
        Ok(held)
    }

    /// Returns the organisation with this name.
    pub(super) fn organisation(&mut self, name: &str) -> Result<Organisation, OperatorError> {
        let found = self.tx.organisation(name)?.filter(|found| self.scope.has(found.id));
        found.ok_or_else(|| OperatorError::not_found("organisation", name))
    }

    /// Returns the organisations, by name.
    pub(super) fn organisations(&mut self) -> Result<Vec<Organisation>, StoreError> {
        let mut all = self.tx.organisations()?;
        all.retain(|organisation| self.scope.has(organisation.id));
        Ok(all)
    }

    /// Revokes an organisation and returns it; `None` if there is none in force with this name.
    pub(super) fn revoke_organisation(
        &mut self,
        name: &str,
        at: DateTime<Utc>,
    ) -> Result<Option<Organisation>, StoreError> {
        let Some(found) = self.tx.organisation(name)?.filter(|found| self.scope.has(found.id)) else {
            return Ok(None);
        };
        Ok(self.tx.revoke_organisation(name, at)?.then_some(found))
    }

    /// Adds an API key of an organisation that was found.
    pub(super) fn add_api_key(&mut self, key: &NewApiKey) -> Result<ApiKey, StoreError> {
        self.tx.add_api_key(key)
    }

    /// Returns the API keys, oldest first.
    pub(super) fn api_keys(&mut self) -> Result<Vec<ApiKey>, StoreError> {
        let mut all = self.tx.api_keys()?;
        all.retain(|key| self.scope.has(key.organisation_id));
        Ok(all)
    }

    /// Revokes an API key and returns it; `None` if there is none in force with this prefix.
    pub(super) fn revoke_api_key(
        &mut self,
        prefix: &str,
        at: DateTime<Utc>,
    ) -> Result<Option<ApiKey>, StoreError> {
        let Some(found) =
            self.tx.api_key_by_prefix(prefix)?.filter(|key| self.scope.has(key.organisation_id))
        else {
            return Ok(None);
        };
        Ok(self.tx.revoke_api_key(prefix, at)?.then_some(found))
    }

    /// Returns the webhook with this id for operators.
    pub(super) fn webhook(&mut self, name: &str) -> Result<Webhook, OperatorError> {
        let found = self.tx.webhook(name)?.filter(|webhook| self.scope.has(webhook.organisation_id));
        found.ok_or_else(|| OperatorError::not_found("webhook", name))
    }

    /// Returns the webhooks of an organisation, or all, the oldest first.
    pub(super) fn webhooks(&mut self, organisation: Option<&str>) -> Result<Vec<Webhook>, OperatorError> {
        let of = self.organisation_to_list(organisation)?;
        let mut all = self.tx.webhooks(of)?;
        all.retain(|webhook| self.scope.has(webhook.organisation_id));
        Ok(all)
    }

    /// Returns the vendors of an organisation, or all, by organisation and name.
    pub(super) fn vendors(&mut self, organisation: Option<&str>) -> Result<Vec<Vendor>, OperatorError> {
        let of = self.organisation_to_list(organisation)?;
        let mut all = self.tx.vendors(of)?;
        all.retain(|vendor| self.scope.has(vendor.organisation_id));
        Ok(all)
    }

    /// Returns the vendors of the organisation of a supplier that was found, by name.
    pub(super) fn vendors_of(&mut self, organisation_id: i64) -> Result<Vec<Vendor>, StoreError> {
        self.tx.vendors(Some(organisation_id))
    }

    /// Returns the job with this id for operators.
    pub(super) fn job(&mut self, name: &str) -> Result<Job, OperatorError> {
        let is_ours = |job: &Job| self.scope.has_supplier(job.organisation_id, &job.supplier);
        let found = self.tx.job(name)?.filter(is_ours);
        found.ok_or_else(|| OperatorError::not_found("job", name))
    }

    /// Returns the jobs of an organisation, or all, the last first: those of the last `limit` that are in the scope.
    pub(super) fn jobs(&mut self, organisation: Option<&str>, limit: u32) -> Result<Vec<Job>, OperatorError> {
        let of = self.organisation_to_list(organisation)?;
        let mut all = self.tx.jobs(of, limit)?;
        all.retain(|job| self.scope.has_supplier(job.organisation_id, &job.supplier));
        Ok(all)
    }

    /// Returns recorded actions, the last first, at most `limit`.
    pub(super) fn audit_records(
        &mut self,
        filter: AuditFilter,
        limit: u32,
    ) -> Result<Vec<AuditRecord>, StoreError> {
        let organisation_id = self.scope.organisation_id().or(filter.organisation_id);
        let mut filter = AuditFilter { organisation_id, ..filter };
        if !matches!(self.scope, Scope::Suppliers { .. }) || filter.supplier_id.is_some() {
            return self.tx.audit_records(&filter, limit);
        }
        let mut found = Vec::new();
        loop {
            let page = self.tx.audit_records(&filter, limit)?;
            let is_last = page.len() < limit as usize;
            filter.before = page.last().map(|last| last.id);
            let is_ours =
                |record: &AuditRecord| record.supplier.as_ref().is_some_and(|code| self.scope.has_code(code));
            found.extend(page.into_iter().filter(is_ours));
            found.truncate(limit as usize);
            if is_last || found.len() == limit as usize {
                return Ok(found);
            }
        }
    }

    /// Returns the key of the organisation whose rows are listed; `None` for those of all.
    fn organisation_to_list(&mut self, name: Option<&str>) -> Result<Option<i64>, OperatorError> {
        match name {
            Some(name) => Ok(Some(self.organisation(name)?.id)),
            None => Ok(self.scope.organisation_id()),
        }
    }
}
