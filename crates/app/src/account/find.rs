use crate::App;
use crate::account::Standing;
use crate::auth::Caller;
use crate::port::{
    Cause, ListedProcess, PageLimit, Position, ProcessFilter, Rows, StoreError, Supplier, find_stale,
    read_committed,
};
use chrono::Utc;
use cutover_core::{Code, Level, SupplierCode, Word};
use cutover_model::{DateTime, ProcessStatus, WaitsFor};
use cutover_process::{Actor, Process, State};

/// A filter of accounts, which have to match all given criteria (contract D12).
#[derive(Debug, Clone, Default)]
pub struct AccountFilter {
    /// In this status.
    pub status: Option<State>,
    /// Failed with an item of this code, or with this error if it has no items.
    pub error_code: Option<Word<Code>>,
    /// With a warning of this code.
    pub warning_code: Option<Word<Code>>,
    /// Last step later than this; in the supplier's zone if it has no offset.
    pub modified_after: Option<DateTime<'static>>,
    /// Cancelled because its import was undone, or anything else.
    pub is_undone: Option<bool>,
}

/// A page of a supplier's accounts in the order of creation. A page that is not the last may be empty.
#[derive(Debug)]
pub struct AccountPage {
    /// The accounts.
    pub accounts: Vec<AccountStatus>,
    /// The position after which the next page begins; `None` if this is the last.
    pub next: Option<Position>,
}

/// An account of a supplier and the status of its import.
#[derive(Debug, Clone)]
pub struct AccountStatus {
    /// The account's number at its previous supplier.
    pub number: String,
    /// The status as the API shows it.
    pub status: ProcessStatus,
    /// The status as stored: a newer version may have written one that the API does not show.
    pub stored_status: Word<State>,
    /// True if it is cancelled because its import was undone.
    pub is_undone: bool,
    /// The codes of its error as failures are counted: those of the items, otherwise that of the error itself.
    /// Sorted, each once.
    pub error_codes: Vec<String>,
    /// What it waits for, if it is pending.
    pub waits_for: Option<WaitsFor>,
    /// A sentence that says where it stands, without a full stop. It does not repeat the codes.
    pub sentence: String,
}

impl AccountStatus {
    /// `by` is the actor of the last step, if it is known.
    pub(crate) fn new(
        standing: &Standing<'_>,
        process: &Process,
        causes: &[Cause],
        by: Option<&Actor>,
    ) -> Self {
        let (waits_for, sentence) = standing.of(process, by);
        Self {
            number: process.snapshot().external_account_number.to_string(),
            status: super::process_status(process, standing.zone()),
            stored_status: process.stored_state(),
            is_undone: process.is_undone(),
            error_codes: Cause::codes(causes).map(str::to_owned).collect(),
            waits_for,
            sentence,
        }
    }

    /// Says where the accounts of a page of a supplier stand.
    pub(crate) fn of_page(
        tx: &mut dyn Rows,
        supplier: &Supplier,
        page: &[ListedProcess],
        now: chrono::DateTime<Utc>,
    ) -> Result<Vec<Self>, StoreError> {
        let standing = Standing::read(tx, supplier, page.iter().map(|listed| &listed.process), now)?;
        let status =
            |listed: &ListedProcess| Self::new(&standing, &listed.process, &listed.error_causes, None);
        Ok(page.iter().map(status).collect())
    }
}

impl App {
    /// Returns true if a code is documented, or that of an error or a warning of an account of this supplier:
    /// a newer version may have written it (contract D13). `level` is error or warning.
    ///
    /// # Errors
    /// [`StoreError`] if it could not be read.
    pub fn is_cause(
        &self,
        caller: &Caller,
        supplier: &str,
        level: Level,
        code: &str,
    ) -> Result<bool, StoreError> {
        if code.parse::<Code>().is_ok() {
            return Ok(true);
        }
        let Ok(supplier) = cutover_core::trimmed(supplier).parse::<SupplierCode>() else { return Ok(false) };
        read_committed(&*self.store, |tx| match tx.supplier_of(caller.organisation_id, &supplier)? {
            Some(supplier) => tx.has_cause(supplier.id, level, code),
            None => Ok(false),
        })
    }

    /// Returns a page of the accounts of a supplier that match, after a position, at most `limit`; `None` if
    /// the organisation has no such supplier.
    ///
    /// # Errors
    /// [`StoreError`] if they could not be read.
    pub fn find_accounts(
        &self,
        caller: &Caller,
        supplier: &str,
        filter: &AccountFilter,
        after: Option<Position>,
        limit: u32,
    ) -> Result<Option<AccountPage>, StoreError> {
        let Ok(code) = cutover_core::trimmed(supplier).parse::<SupplierCode>() else { return Ok(None) };
        find_stale(&*self.store, |tx| {
            let Some(supplier) = tx.supplier_of(caller.organisation_id, &code)? else { return Ok(None) };
            let zone = supplier.settings.time_zone;
            // At the edge of time a zone may lead out of the years that are stored; nothing is so early or so late.
            let instant = |at: &DateTime<'_>| at.instant(zone).unwrap_or_else(|| at.local().and_utc());
            let modified_after = filter.modified_after.as_ref().map(instant);
            let error_code = filter.error_code.as_ref().map(Word::as_str);
            let warning_code = filter.warning_code.as_ref().map(Word::as_str);
            let filter = ProcessFilter {
                state: filter.status,
                error_code,
                warning_code,
                modified_after,
                is_undone: filter.is_undone,
            };
            let page = tx.list_processes(supplier.id, filter, after, PageLimit::of(limit))?;
            let accounts = AccountStatus::of_page(tx, &supplier, &page.processes, self.clock.now())?;
            Ok(Some(AccountPage { accounts, next: page.next }))
        })
    }
}
