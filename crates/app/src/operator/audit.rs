use super::OperatorError;
use super::lookup::find;
use crate::App;
use crate::auth::Caller;
use crate::port::{
    AuditAction, AuditEntry, AuditFilter, AuditRecord, Clock, Detail, Operator, StoreError, StoredProcess,
    Subject, Tx, read, write,
};
use chrono::{DateTime, Utc};
use std::collections::HashMap;

/// The subject and details of an action for its audit entry.
#[derive(Debug, Clone, Default)]
pub(crate) struct Audited {
    /// The object of the action.
    pub(crate) subject: Subject,
    /// Its details.
    pub(crate) detail: Detail,
}

impl Audited {
    /// Returns an entry without details.
    pub(crate) fn of(subject: Subject) -> Self {
        Self { subject, detail: Detail::default() }
    }
}

/// The scope of a list of actions.
#[derive(Debug, Clone, Default)]
pub struct AuditScope {
    /// At this time or later.
    pub since: Option<DateTime<Utc>>,
    /// About this supplier, by its code.
    pub supplier: Option<String>,
    /// This action only.
    pub action: Option<AuditAction>,
    /// Maximum number of actions.
    pub limit: u32,
}

/// The scope of a page of actions of an organisation.
#[derive(Debug, Clone, Default)]
pub struct OwnAuditScope {
    /// About this supplier, by its code.
    pub supplier: Option<String>,
    /// By this author, as [`Operator`] is written.
    pub by: Option<String>,
    /// This action only.
    pub action: Option<AuditAction>,
    /// Before the action with this key.
    pub before: Option<i64>,
    /// Maximum number of actions.
    pub limit: u32,
}

/// A page of actions.
#[derive(Debug, Clone, Default)]
pub struct AuditPage {
    /// The actions, the last first.
    pub records: Vec<AuditRecord>,
    /// The account numbers of their processes, by key. Erased accounts are missing.
    pub numbers: HashMap<i64, String>,
    /// The key before which the next page begins; `None` if there is none.
    pub next: Option<i64>,
}

impl Operator {
    /// Returns the operator for a caller who is signed in to the console.
    pub(crate) fn of(caller: &Caller) -> Self {
        Self::Key { prefix: caller.key_prefix.clone() }
    }
}

impl App {
    /// Runs an audited job, which changes something, or shows or exports personal data. Its audit entry is
    /// written in the same transaction. The job takes a time after its locks: one that was taken before would be earlier
    /// than what other transactions wrote while it waited.
    pub(crate) fn run_audited<T, E>(
        &self,
        by: &Operator,
        action: AuditAction,
        job: impl FnOnce(&mut dyn Tx, &dyn Clock) -> Result<(T, Audited), E> + Send + 'static,
    ) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        let (by, clock) = (by.clone(), self.clock.clone());
        write(&*self.store, move |tx| {
            let (done, audited) = job(tx, &*clock)?;
            record_action(tx, clock.now(), by, action, audited)?;
            Ok(done)
        })
    }

    /// Lists actions of operators, the last first.
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
            let filter = AuditFilter {
                since: scope.since,
                supplier_id,
                action: scope.action,
                ..AuditFilter::default()
            };
            tx.audit_records(&filter, scope.limit).map(Some)
        })?;
        found.ok_or_else(|| {
            OperatorError::not_found("supplier", scope.supplier.as_deref().unwrap_or_default())
        })
    }

    /// Returns a page of the actions on an organisation, its suppliers and their accounts, the last first.
    ///
    /// # Errors
    /// [`OperatorError::NotFound`] if it has no such supplier.
    pub fn own_audit(&self, caller: &Caller, scope: &OwnAuditScope) -> Result<AuditPage, OperatorError> {
        let supplier = scope.supplier.as_ref().map(|code| self.own_supplier(caller, code)).transpose()?;
        let filter = AuditFilter {
            organisation_id: Some(caller.organisation_id),
            supplier_id: supplier.map(|supplier| supplier.id),
            by: scope.by.clone(),
            action: scope.action,
            before: scope.before,
            since: None,
        };
        let page = read(&*self.store, |tx| {
            let mut records = tx.audit_records(&filter, scope.limit.saturating_add(1))?;
            let has_more = records.len() > scope.limit as usize;
            records.truncate(scope.limit as usize);
            let mut ids: Vec<i64> = records.iter().filter_map(|record| record.process_id).collect();
            ids.sort_unstable();
            ids.dedup();
            let found = if ids.is_empty() { Vec::new() } else { tx.processes_by_id(&ids)? };
            let number = |stored: StoredProcess| {
                (stored.process.id(), stored.process.snapshot().external_account_number.to_string())
            };
            let numbers = found.into_iter().map(number).collect();
            let next = records.last().filter(|_| has_more).map(|last| last.id);
            Ok::<_, StoreError>(AuditPage { records, numbers, next })
        })?;
        Ok(page)
    }

    /// Records that a backup of the database begins. The backup contains the entry.
    ///
    /// # Errors
    /// [`StoreError`] if it could not be written.
    pub fn begin_backup(&self) -> Result<(), StoreError> {
        self.run_audited(&self.operator, AuditAction::BackupBegun, |_, _| Ok(((), Audited::default())))
    }

    /// Records that encrypting data again begins.
    ///
    /// # Errors
    /// [`StoreError`] if it could not be written.
    pub fn begin_reseal(&self) -> Result<(), StoreError> {
        self.run_audited(&self.operator, AuditAction::ResealBegun, |_, _| Ok(((), Audited::default())))
    }
}

/// Records an action in the transaction that performs it.
pub(crate) fn record_action(
    tx: &mut dyn Tx,
    at: DateTime<Utc>,
    by: Operator,
    action: AuditAction,
    audited: Audited,
) -> Result<(), StoreError> {
    let Audited { subject, detail } = audited;
    tx.record(&AuditEntry { at, by, action, subject, detail })
}
