//! The export of all imported accounts of a supplier as tables (contract D19). The command reads pages with
//! [`App::imported_accounts_of`]; this file has what is around them.

use super::{Audited, Operations, OperatorError};
use crate::App;
use crate::port::{
    AuditAction, Detail, FeedFilter, FeedPosition, PageLimit, StoreError, Subject, Supplier, read,
    read_committed,
};
use cutover_core::FeedEventType;
use std::collections::BTreeSet;

/// Number of events that are read at a time.
const PAGE: u32 = 1_000;

/// The accounts of a supplier that the feed mentions between two positions.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ChangedAccounts {
    /// Their numbers at the previous supplier, in their order.
    pub numbers: BTreeSet<String>,
    /// Those of them that were erased in between, or whose import was undone. They may have been imported again.
    pub removed: BTreeSet<String>,
}

/// Reason why changed accounts were not returned.
#[derive(Debug, thiserror::Error)]
pub enum ChangesRefused {
    /// Events after the position have expired.
    #[error("events after this position have expired")]
    Expired,
    /// The position is after the last event.
    #[error("there is no event with this id yet")]
    Later,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Operations<'_> {
    /// Begins or continues an export of the imported accounts of a supplier, and records that in the audit trail.
    /// `format` and `personal` are the words of the command.
    ///
    /// # Errors
    /// [`OperatorError::NotFound`] if there is no such supplier.
    pub fn begin_table_export(
        &self,
        supplier: &str,
        format: &'static str,
        personal: &'static str,
    ) -> Result<Supplier, OperatorError> {
        let code = supplier.to_owned();
        self.act(AuditAction::AccountsExported, move |tx, _| {
            let supplier = tx.supplier(&code)?;
            let detail = Detail::default().word("format", format).word("personal", personal);
            let subject = Subject::supplier(&supplier);
            Ok((supplier, Audited { subject, detail }))
        })
    }
}

impl App {
    /// Returns the position of the last event of a supplier's organisation. Whatever is committed later has a later one.
    ///
    /// # Errors
    /// [`StoreError`] if it could not be read.
    pub fn feed_end(&self, supplier: &Supplier) -> Result<FeedPosition, StoreError> {
        let organisation_id = supplier.organisation_id;
        read(&*self.store, |tx| tx.feed_end(organisation_id))
    }

    /// Returns the accounts of a supplier that have events after a position, up to another one.
    ///
    /// # Errors
    /// [`ChangesRefused`].
    pub fn changed_accounts(
        &self,
        supplier: &Supplier,
        after: FeedPosition,
        until: FeedPosition,
    ) -> Result<ChangedAccounts, ChangesRefused> {
        if after > until {
            return Err(ChangesRefused::Later);
        }
        let filter = FeedFilter { supplier: Some(supplier.code.clone()), types: Vec::new() };
        let (mut changed, mut from) = (ChangedAccounts::default(), after);
        loop {
            let page = read_committed(&*self.store, |tx| {
                tx.feed_page(supplier.organisation_id, &filter, Some(from), PageLimit::of(PAGE))
            })?;
            let page = page.ok_or(ChangesRefused::Expired)?;
            for event in page.events.into_iter().filter(|event| event.position <= until) {
                let Some(number) = event.external_account_number else { continue };
                if [FeedEventType::AccountErased, FeedEventType::ProcessUndone]
                    .iter()
                    .any(|of| event.event_type == *of)
                {
                    changed.removed.insert(number.clone());
                }
                changed.numbers.insert(number);
            }
            if !page.has_more || page.next >= until {
                return Ok(changed);
            }
            from = page.next;
        }
    }
}
