//! Actions of operators in the audit trail, written in the transaction of the action.

use crate::App;
use crate::port::{AuditAction, AuditEntry, Clock, Detail, Operator, Rows, StoreError, Subject, Tx, write};
use chrono::{DateTime, Utc};

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

impl App {
    /// Runs an audited job on what belongs to no organisation, as [`Operations::act`](super::Operations::act) does on the rest.
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
}

/// Records an action in the transaction that performs it.
pub(crate) fn record_action(
    tx: &mut dyn Rows,
    at: DateTime<Utc>,
    by: Operator,
    action: AuditAction,
    audited: Audited,
) -> Result<(), StoreError> {
    let Audited { subject, detail } = audited;
    tx.record(&AuditEntry { at, by, action, subject, detail })
}
