//! The operations of an operator within a scope.

use super::scope::{Scope, Scoped};
use super::{Audited, OperatorError, record_action};
use crate::App;
use crate::auth::Caller;
use crate::port::{self, AuditAction, Clock, Operator, StoreError};

/// The operations of an operator within a [`Scope`], each a method in the file of its use case.
///
/// An operation looks up each thing by its name in the transaction that reads or changes it, within the scope. It does not
/// find a thing outside of the scope, nor one that was erased and added again by another organisation meanwhile.
#[derive(Clone)]
pub struct Operations<'a> {
    pub(crate) app: &'a App,
    /// The author of what is done, for the audit trail.
    pub(crate) operator: Operator,
    scope: Scope,
}

impl App {
    /// Returns the operations of an operator within a scope.
    pub fn operate(&self, operator: Operator, scope: Scope) -> Operations<'_> {
        Operations { app: self, operator, scope }
    }

    /// Returns the operations of a command, which act on the whole installation.
    pub fn as_command(&self) -> Operations<'_> {
        self.operate(self.operator.clone(), Scope::Installation)
    }

    /// Returns the operations of a caller, which act on its organisation.
    pub fn as_caller(&self, caller: &Caller) -> Operations<'_> {
        self.operate(Operator::of(caller), Scope::of(caller))
    }
}

impl Operations<'_> {
    /// Runs a job on one snapshot.
    pub(crate) fn read<T>(
        &self,
        mut job: impl FnMut(&mut Scoped<'_>) -> Result<T, OperatorError>,
    ) -> Result<T, OperatorError> {
        port::read(&*self.app.store, |tx| apart(job(&mut Scoped::new(tx, &self.scope))))?
    }

    /// Runs a job that reads and needs no common snapshot.
    pub(crate) fn read_committed<T>(
        &self,
        mut job: impl FnMut(&mut Scoped<'_>) -> Result<T, OperatorError>,
    ) -> Result<T, OperatorError> {
        port::read_committed(&*self.app.store, |tx| apart(job(&mut Scoped::new(tx, &self.scope))))?
    }

    /// Runs a job that writes, which commits if it returns `Ok`.
    pub(crate) fn write<T: Send + 'static>(
        &self,
        job: impl FnOnce(&mut Scoped<'_>) -> Result<T, OperatorError> + Send + 'static,
    ) -> Result<T, OperatorError> {
        let scope = self.scope.clone();
        port::write(&*self.app.store, move |tx| job(&mut Scoped::new(tx, &scope)))
    }

    /// Like [`write`](Self::write), but runs the job again if it conflicts with another writer.
    pub(crate) fn write_with_retry<T: Send + 'static>(
        &self,
        job: impl Fn(&mut Scoped<'_>) -> Result<T, OperatorError> + Send + Sync + 'static,
    ) -> Result<T, OperatorError> {
        let scope = self.scope.clone();
        port::write_with_retry(&*self.app.store, move |tx| job(&mut Scoped::new(tx, &scope)))
    }

    /// Runs an audited job, which changes something, or shows or exports personal data. Its audit entry is written in the
    /// same transaction. The job takes a time after its locks: one that was taken before would be earlier than what other
    /// transactions wrote while it waited.
    pub(crate) fn act<T: Send + 'static>(
        &self,
        action: AuditAction,
        job: impl FnOnce(&mut Scoped<'_>, &dyn Clock) -> Result<(T, Audited), OperatorError> + Send + 'static,
    ) -> Result<T, OperatorError> {
        let (by, clock) = (self.operator.clone(), self.app.clock.clone());
        self.write(move |tx| {
            let (done, audited) = job(tx, &*clock)?;
            record_action(tx.rows(), clock.now(), by, action, audited)?;
            Ok(done)
        })
    }
}

/// Separates an error of the store, which ends a reading transaction, from others.
fn apart<T>(result: Result<T, OperatorError>) -> Result<Result<T, OperatorError>, StoreError> {
    match result {
        Err(OperatorError::Store(error)) => Err(error),
        other => Ok(other),
    }
}
