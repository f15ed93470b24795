use crate::App;
use crate::auth::Caller;
use crate::port::{AccountList, ListedAccount, PageLimit, Position, StoreError, find_stale};
use chrono::{DateTime, Utc};
use cutover_core::{SupplierCode, Zone};

/// A list of version 1 (contract 4.3, D7), read page by page in the order of creation, so that no transaction
/// outlives a page. It does not contain accounts created after it was opened.
#[derive(Debug, Clone, Copy)]
pub struct OpenList {
    supplier_id: i64,
    list: AccountList,
    until: DateTime<Utc>,
    /// The zone of its datetimes.
    pub zone: Zone,
}

impl App {
    /// Opens a list of a supplier; `None` if the organisation has no such supplier.
    ///
    /// # Errors
    /// [`StoreError`] if it could not be read.
    pub fn open_list(
        &self,
        caller: &Caller,
        supplier: &str,
        list: AccountList,
    ) -> Result<Option<OpenList>, StoreError> {
        let Ok(code) = cutover_core::trimmed(supplier).parse::<SupplierCode>() else { return Ok(None) };
        let supplier = find_stale(&*self.store, |tx| tx.supplier_of(caller.organisation_id, &code))?;
        let until = self.clock.now();
        Ok(supplier.map(|s| OpenList { supplier_id: s.id, list, until, zone: s.settings.time_zone }))
    }

    /// Calls `each` with the next items of a list, at most `limit`, and returns the position after which the
    /// next page begins; `None` if the list ends here. A page that is not the last may have fewer items than
    /// `limit`.
    ///
    /// # Errors
    /// [`StoreError`] if they could not be read.
    pub fn list_page(
        &self,
        open: &OpenList,
        after: Option<Position>,
        limit: u32,
        mut each: impl FnMut(ListedAccount<'_>),
    ) -> Result<Option<Position>, StoreError> {
        let (limit, mut next) = (PageLimit::of(limit), None);
        self.store.read_stale(&mut |tx| {
            next = tx.each_account(open.supplier_id, open.list, after, open.until, limit, &mut each)?;
            Ok(())
        })?;
        Ok(next)
    }
}
