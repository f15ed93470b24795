use crate::App;
use crate::auth::Caller;
use crate::port::{
    FeedFilter, FeedPosition, ImportedAccount, PageLimit, Position, StoreError, Supplier, Tx, read,
};
use cutover_core::{ExternalAccountNumber, SupplierCode, Zone};
use cutover_model::AccountTotals;

/// A position in the imported accounts of a supplier, from which a reader can go on at any later time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ImportCursor {
    /// The store's key of the supplier.
    pub supplier_id: i64,
    /// The position of the account.
    pub position: Position,
    /// The end of the feed before the first account was read. An account that was committed behind a reader has its
    /// event after this position, so whoever goes on keeps it.
    pub events_after: FeedPosition,
}

/// Some imported accounts of a supplier, in import order.
#[derive(Debug, Clone, PartialEq)]
pub struct ImportedAccounts {
    /// The accounts. The page is bounded by the rows of its accounts too; it has at least one if any follow.
    pub accounts: Vec<(ImportCursor, ImportedAccount)>,
    /// True if others follow.
    pub has_more: bool,
    /// The position in the feed from which a reader of all pages goes on.
    pub events_after: FeedPosition,
    /// The zone of the supplier, in which datetimes are shown.
    pub zone: Zone,
}

/// Reason why no imported accounts were returned.
#[derive(Debug, thiserror::Error)]
pub enum ImportedRefused {
    /// There is no such supplier.
    #[error("there is no such import supplier")]
    UnknownSupplier,
    /// The cursor is one of another supplier.
    #[error("the cursor is not one of this supplier's imported accounts")]
    OtherSupplier,
    /// Events after the position in the cursor have expired: they may be those of accounts that the reader lacks.
    #[error("events since the first page have expired")]
    Expired,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl App {
    /// Returns an imported account as JSON, with what was added since its import (contract D19); `None` if the
    /// organisation has none with this number. See [`ImportedAccount::to_json`].
    ///
    /// # Errors
    /// [`StoreError`] if it could not be read.
    pub fn imported_account(
        &self,
        caller: &Caller,
        supplier: &str,
        number: &str,
    ) -> Result<Option<Vec<u8>>, StoreError> {
        let (Ok(code), Ok(number)) = (
            cutover_core::trimmed(supplier).parse::<SupplierCode>(),
            number.parse::<ExternalAccountNumber>(),
        ) else {
            return Ok(None);
        };
        let found = read(&*self.store, |tx| {
            let Some(supplier) = tx.supplier_of(caller.organisation_id, &code)? else { return Ok(None) };
            let Some(stored) = tx.process(supplier.id, &number)? else { return Ok(None) };
            let account = tx.imported_account(stored.process.id())?;
            Ok::<_, StoreError>(account.map(|account| (account, supplier.settings.time_zone)))
        })?;
        Ok(found.map(|(account, zone)| account.to_json(zone)))
    }

    /// Returns the next imported accounts of a supplier of the caller's organisation, at most `limit`, in import order
    /// (contract D19).
    ///
    /// # Errors
    /// [`ImportedRefused`].
    pub fn imported_accounts(
        &self,
        caller: &Caller,
        supplier: &str,
        after: Option<ImportCursor>,
        limit: u32,
    ) -> Result<ImportedAccounts, ImportedRefused> {
        let Ok(code) = cutover_core::trimmed(supplier).parse::<SupplierCode>() else {
            return Err(ImportedRefused::UnknownSupplier);
        };
        read(&*self.store, |tx| {
            let Some(supplier) = tx.supplier_of(caller.organisation_id, &code)? else {
                return Ok::<_, StoreError>(Err(ImportedRefused::UnknownSupplier));
            };
            page(tx, &supplier, after, limit)
        })?
    }

    /// The same of any supplier, for the operator.
    ///
    /// # Errors
    /// [`ImportedRefused`].
    pub fn imported_accounts_of(
        &self,
        supplier: &Supplier,
        after: Option<ImportCursor>,
        limit: u32,
    ) -> Result<ImportedAccounts, ImportedRefused> {
        read(&*self.store, |tx| page(tx, supplier, after, limit))?
    }

    /// Returns the imported accounts with these numbers, in their order, for the operator. Numbers without an account
    /// are left out. Not all are looked up if the accounts are large: returns how many numbers were, at least one if
    /// there are any.
    ///
    /// # Errors
    /// [`StoreError`] if they could not be read.
    pub fn imported_accounts_by_number(
        &self,
        supplier: &Supplier,
        numbers: &[ExternalAccountNumber],
    ) -> Result<(Vec<ImportedAccount>, usize), StoreError> {
        read(&*self.store, |tx| {
            let keys = tx.imported_ids(supplier.id, numbers)?;
            let found: Vec<i64> = keys.iter().flatten().copied().collect();
            let (accounts, count) = tx.imported_accounts(&found)?;
            // The next key to look up.
            let next =
                found.get(count).and_then(|next| keys.iter().position(|key| key.as_ref() == Some(next)));
            let accounts = accounts.into_iter().map(|(_, account)| account).collect();
            Ok((accounts, next.unwrap_or(numbers.len())))
        })
    }
}

/// Totals of some accounts, and the position of the last one if others follow.
pub type TotalsPage = (Vec<AccountTotals>, Option<Position>);

/// Maximum number of accounts that are read at once for their totals.
const TOTALS_AT_ONCE: u32 = 200;

impl App {
    /// Returns the totals of the next imported accounts of a supplier of the caller's organisation, at most `limit`, in
    /// import order (contract D13); `None` if there is no such supplier.
    ///
    /// # Errors
    /// [`StoreError`] if they could not be read.
    pub fn account_totals(
        &self,
        caller: &Caller,
        supplier: &str,
        after: Option<Position>,
        limit: u32,
    ) -> Result<Option<TotalsPage>, StoreError> {
        let Ok(code) = cutover_core::trimmed(supplier).parse::<SupplierCode>() else { return Ok(None) };
        let (mut totals, mut after) = (Vec::new(), after);
        loop {
            let wanted = (limit - totals.len() as u32).min(TOTALS_AT_ONCE);
            let page = read(&*self.store, |tx| {
                let Some(supplier) = tx.supplier_of(caller.organisation_id, &code)? else { return Ok(None) };
                let page = tx.imported_page(supplier.id, after, wanted)?;
                Ok::<_, StoreError>(Some((page, supplier.settings.time_zone)))
            })?;
            let Some((page, zone)) = page else { return Ok(None) };
            for (position, account) in &page.accounts {
                let number = account.account.external_account_number.trimmed().to_owned();
                totals.push(AccountTotals::new(number, account.totals(zone)));
                after = Some(*position);
            }
            if !page.has_more || totals.len() as u32 >= limit {
                return Ok(Some((totals, after.filter(|_| page.has_more))));
            }
        }
    }
}

/// The first page notes the end of the feed before it reads an account: whatever is committed later, with whatever
/// position in import order, has its event after that.
fn page(
    tx: &mut dyn Tx,
    supplier: &Supplier,
    after: Option<ImportCursor>,
    limit: u32,
) -> Result<Result<ImportedAccounts, ImportedRefused>, StoreError> {
    let (organisation_id, supplier_id) = (supplier.organisation_id, supplier.id);
    let events_after = match after {
        Some(cursor) if cursor.supplier_id != supplier_id => return Ok(Err(ImportedRefused::OtherSupplier)),
        Some(ImportCursor { events_after, .. }) => {
            let kept =
                tx.feed_page(organisation_id, &FeedFilter::default(), Some(events_after), PageLimit::of(1))?;
            if kept.is_none() {
                return Ok(Err(ImportedRefused::Expired));
            }
            events_after
        }
        None => tx.feed_end(organisation_id)?,
    };
    let page = tx.imported_page(supplier_id, after.map(|cursor| cursor.position), limit)?;
    let cursor = |position| ImportCursor { supplier_id, position, events_after };
    Ok(Ok(ImportedAccounts {
        accounts: page.accounts.into_iter().map(|(position, account)| (cursor(position), account)).collect(),
        has_more: page.has_more,
        events_after,
        zone: supplier.settings.time_zone,
    }))
}
