use super::scope::Scoped;
use super::{Audited, Operations, OperatorError};
use crate::App;
use crate::auth::Caller;
use crate::port::{AuditAction, AuditFilter, AuditRecord, Operator, StoreError, StoredProcess};
use chrono::{DateTime, Utc};
use std::collections::HashMap;

/// The scope of a list of actions.
#[derive(Debug, Clone, Default)]
pub struct AuditScope {
    /// At this time or later.
    pub since: Option<DateTime<Utc>>,
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

impl Operations<'_> {
    /// Lists actions of operators, the last first.
    ///
    /// # Errors
    /// [`OperatorError::NotFound`] if there is no such supplier.
    pub fn audit(&self, scope: &AuditScope) -> Result<Vec<AuditRecord>, OperatorError> {
        self.read(|tx| records(tx, scope, scope.limit))
    }

    /// Returns a page of actions, the last first.
    ///
    /// # Errors
    /// As [`audit`](Self::audit).
    pub fn audit_page(&self, scope: &AuditScope) -> Result<AuditPage, OperatorError> {
        self.read(|tx| {
            let mut records = records(tx, scope, scope.limit.saturating_add(1))?;
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
            Ok(AuditPage { records, numbers, next })
        })
    }
}

fn records(tx: &mut Scoped<'_>, scope: &AuditScope, limit: u32) -> Result<Vec<AuditRecord>, OperatorError> {
    let supplier = scope.supplier.as_ref().map(|code| tx.supplier(code)).transpose()?;
    let filter = AuditFilter {
        organisation_id: None,
        before: scope.before,
        by: scope.by.clone(),
        since: scope.since,
        supplier_id: supplier.map(|supplier| supplier.id),
        action: scope.action,
        is_without_accounts: false,
    };
    Ok(tx.audit_records(filter, limit)?)
}
