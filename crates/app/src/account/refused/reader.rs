//! Reads what is stored of refused creates.

use crate::App;
use crate::auth::Caller;
use crate::port::{
    RefusedCreate, RefusedFault, RefusedFigures, Rows, StoreError, Supplier, Tx, find_stale, read_committed,
};
use chrono::{DateTime, Utc};
use cutover_core::{ExternalAccountNumber, SupplierCode};
use cutover_model::{Others, RefusedCauseShown, RefusedCreateShown, RefusedItem, RefusedShown, Timestamp};

/// Maximum number of causes in the progress of a supplier.
const TOP: usize = 10;

impl App {
    /// Returns refused creates of a supplier of the caller's organisation with greater numbers than `after`, at most
    /// `limit`, and true if others follow (contract D13); `None` if there is no such supplier.
    ///
    /// # Errors
    /// [`StoreError`] if they could not be read.
    pub fn refused_creates(
        &self,
        caller: &Caller,
        supplier: &str,
        after: &str,
        limit: u32,
    ) -> Result<Option<(Vec<RefusedCreateShown>, bool)>, StoreError> {
        let Ok(code) = cutover_core::trimmed(supplier).parse::<SupplierCode>() else { return Ok(None) };
        self.record_refused_for(caller, &code);
        find_stale(&*self.store, |tx| {
            let Some(supplier) = tx.supplier_of(caller.organisation_id, &code)? else { return Ok(None) };
            let mut page = tx.refused_after(supplier.id, after, limit.saturating_add(1))?;
            let has_more = page.len() > limit as usize;
            page.truncate(limit as usize);
            Ok(Some((page.iter().map(|refused| shown(refused, &supplier)).collect(), has_more)))
        })
    }

    /// Returns the refused create of an account, or none if it was accepted since; `None` if the organisation has no such
    /// supplier.
    ///
    /// # Errors
    /// [`StoreError`] if it could not be read.
    pub fn refused_create(
        &self,
        caller: &Caller,
        supplier: &str,
        number: &ExternalAccountNumber,
    ) -> Result<Option<Vec<RefusedCreateShown>>, StoreError> {
        let Ok(code) = cutover_core::trimmed(supplier).parse::<SupplierCode>() else { return Ok(None) };
        self.record_refused_for(caller, &code);
        find_stale(&*self.store, |tx| {
            let Some(supplier) = tx.supplier_of(caller.organisation_id, &code)? else { return Ok(None) };
            let found = tx.refused_among(supplier.id, &[number.to_string()])?;
            Ok(Some(found.iter().map(|refused| shown(refused, &supplier)).collect()))
        })
    }

    /// Writes what this process has refused before an answer counts it. Returns the time before which nothing of a supplier
    /// is left to write.
    pub(crate) fn settle_refused(&self, supplier_id: i64) -> DateTime<Utc> {
        self.try_to_record_refused();
        self.refused.complete_until(Some(supplier_id), &*self.clock)
    }

    /// Returns the time of which the refused creates in a snapshot are: all that any running node refused before are in it.
    /// `settled` is the result of [`settle_refused`](Self::settle_refused) before the snapshot began; other nodes record
    /// theirs.
    pub(crate) fn refused_as_of(
        &self,
        tx: &mut dyn Tx,
        settled: DateTime<Utc>,
    ) -> Result<DateTime<Utc>, StoreError> {
        let nodes = self.other_nodes(tx)?;
        let theirs = nodes.iter().map(|node| node.refused_as_of.unwrap_or(node.seen_at));
        Ok(theirs.fold(settled, DateTime::min))
    }

    /// Returns the figures of the refused creates of a supplier.
    ///
    /// # Errors
    /// [`StoreError`] if they could not be read.
    pub fn refused_figures(&self, supplier: &Supplier) -> Result<RefusedFigures, StoreError> {
        self.try_to_record_refused();
        read_committed(&*self.store, |tx| figures(tx, supplier.id))
    }

    /// Calls `f` with every refused create of a supplier, by number.
    ///
    /// # Errors
    /// [`StoreError`] if they could not be read.
    pub fn each_refused(
        &self,
        supplier: &Supplier,
        mut f: impl FnMut(RefusedCreateShown),
    ) -> Result<(), StoreError> {
        let mut after = String::new();
        loop {
            let page = read_committed(&*self.store, |tx| tx.refused_after(supplier.id, &after, 1_000))?;
            page.iter().for_each(|refused| f(shown(refused, supplier)));
            match page.last() {
                Some(last) => after.clone_from(&last.number),
                None => return Ok(()),
            }
        }
    }
}

/// Returns the figures of the refused creates of a supplier.
pub(in crate::account) fn figures(tx: &mut dyn Rows, supplier_id: i64) -> Result<RefusedFigures, StoreError> {
    tx.refused_figures(supplier_id, u32::MAX)
}

/// Returns the figures as answers show them.
pub fn shown_refused(figures: &RefusedFigures) -> RefusedShown {
    let cause = |(cause, count): &(RefusedFault, u64)| RefusedCauseShown {
        code: cause.code.clone(),
        attr: cause.attr.clone(),
        count: *count,
    };
    let mut top_errors: Vec<_> = figures.top.iter().map(cause).collect();
    let other_errors = Others::beyond(&mut top_errors, TOP, |cause| cause.count);
    let (accounts, without_number) = (figures.accounts, figures.without_number);
    RefusedShown { accounts, without_number, top_errors, other_errors }
}

fn shown(refused: &RefusedCreate, supplier: &Supplier) -> RefusedCreateShown {
    let item = |cause: &RefusedFault| RefusedItem { code: cause.code.clone(), attr: cause.attr.clone() };
    RefusedCreateShown {
        external_account_number: refused.number.clone(),
        refused_at: Timestamp(supplier.settings.time_zone.local(refused.refused_at)),
        errors: refused.causes.iter().map(item).collect(),
    }
}
