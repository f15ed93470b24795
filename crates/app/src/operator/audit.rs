use super::OperatorError;
use super::suppliers::find;
use crate::App;
use crate::auth::Caller;
use crate::port::{
    AuditAction, AuditEntry, AuditFilter, AuditRecord, Detail, Operator, StoreError, Subject, Tx, read, write,
};
use chrono::{DateTime, Utc};

/// What is told of an action besides who, when and what.
#[derive(Debug, Clone, Default)]
pub(crate) struct Told {
    /// To what it was done.
    pub(crate) subject: Subject,
    /// What else is to be said.
    pub(crate) detail: Detail,
}

impl Told {
    /// Something was done to this; no more is to be said.
    pub(crate) fn of(subject: Subject) -> Self {
        Self { subject, detail: Detail::default() }
    }
}

/// Which actions are listed.
#[derive(Debug, Clone, Default)]
pub struct AuditScope {
    /// Of this time or later.
    pub since: Option<DateTime<Utc>>,
    /// About this supplier, by its code.
    pub supplier: Option<String>,
    /// Of this kind.
    pub action: Option<AuditAction>,
    /// At most so many.
    pub limit: u32,
}

impl Operator {
    /// Who is signed in to the console.
    pub(crate) fn of(caller: &Caller) -> Self {
        Self::Key { prefix: caller.key_prefix.clone() }
    }
}

impl App {
    /// Does what an operator answers for: a job that changes something, shows personal data or takes it out.
    /// What the job says of it is told in the same transaction, so that neither is there without the other.
    pub(crate) fn act<T, E>(
        &self,
        by: &Operator,
        action: AuditAction,
        job: impl FnOnce(&mut dyn Tx, DateTime<Utc>) -> Result<(T, Told), E> + Send + 'static,
    ) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        let (by, at) = (by.clone(), self.clock.now());
        write(&*self.store, move |tx| {
            let (done, told) = job(tx, at)?;
            tell(tx, at, by, action, told)?;
            Ok(done)
        })
    }

    /// What operators did, the last action first.
    ///
    /// # Errors
    /// [`OperatorError::NotFound`] if there is no such supplier.
    pub fn audit(&self, scope: &AuditScope) -> Result<Vec<AuditRecord>, OperatorError> {
        let found = read(&*self.store, |tx| {
            let supplier_id = match &scope.supplier {
                None => None,
                Some(code) => match find(tx, code)? {
                    Some(supplier) => Some(supplier.id),
                    None => return Ok(None),
                },
            };
            let filter = AuditFilter { since: scope.since, supplier_id, action: scope.action };
            tx.audit_records(filter, scope.limit).map(Some)
        })?;
        found.ok_or_else(|| {
            OperatorError::not_found("supplier", scope.supplier.as_deref().unwrap_or_default())
        })
    }

    /// Tells that a copy of the database is about to be made; the copy tells it too.
    ///
    /// # Errors
    /// [`StoreError`] if it could not be written.
    pub fn begin_backup(&self) -> Result<(), StoreError> {
        self.act(&self.operator, AuditAction::BackupBegun, |_, _| Ok(((), Told::default())))
    }

    /// Tells that what is encrypted at rest is about to be encrypted anew.
    ///
    /// # Errors
    /// [`StoreError`] if it could not be written.
    pub fn begin_reseal(&self) -> Result<(), StoreError> {
        self.act(&self.operator, AuditAction::ResealBegun, |_, _| Ok(((), Told::default())))
    }
}

/// Tells of an action in the transaction that does it.
pub(crate) fn tell(
    tx: &mut dyn Tx,
    at: DateTime<Utc>,
    by: Operator,
    action: AuditAction,
    told: Told,
) -> Result<(), StoreError> {
    let Told { subject, detail } = told;
    tx.record(&AuditEntry { at, by, action, subject, detail })
}
