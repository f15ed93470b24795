use crate::App;
use crate::auth::Caller;
use crate::port::{MayConflict, NewFeedEvent, StoreError, Tx, write_with_retry};
use chrono::{DateTime, Utc};
use cutover_core::{ExternalAccountNumber, FeedEventType, SupplierCode};
use cutover_process::State;

/// Reason why it was not noted that an account is billed (contract D18).
#[derive(Debug, thiserror::Error)]
pub enum BilledRefused {
    /// The organisation has no such imported account.
    #[error("there is no such imported account")]
    NotFound,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl MayConflict for BilledRefused {
    fn is_conflict(&self) -> bool {
        matches!(self, Self::Store(error) if error.is_conflict())
    }
}

impl App {
    /// Notes that another system has billed an imported account, so that its import cannot be undone any more (contract
    /// D18). Does nothing if that is noted already.
    ///
    /// # Errors
    /// [`BilledRefused`]; nothing is changed then.
    pub fn report_billed(&self, caller: &Caller, supplier: &str, number: &str) -> Result<(), BilledRefused> {
        let (Ok(code), Ok(number)) = (
            cutover_core::trimmed(supplier).parse::<SupplierCode>(),
            number.parse::<ExternalAccountNumber>(),
        ) else {
            return Err(BilledRefused::NotFound);
        };
        let (organisation, clock) = (caller.organisation_id, self.clock.clone());
        write_with_retry(&*self.store, move |tx| {
            let supplier = tx.supplier_of(organisation, &code)?.ok_or(BilledRefused::NotFound)?;
            note(tx, supplier.id, &number, clock.now())
        })
    }
}

fn note(
    tx: &mut dyn Tx,
    supplier_id: i64,
    number: &ExternalAccountNumber,
    at: DateTime<Utc>,
) -> Result<(), BilledRefused> {
    let process = tx.process(supplier_id, number)?.ok_or(BilledRefused::NotFound)?.process;
    let account = process.service_account_number().filter(|_| process.state() == State::Processed);
    let account = account.ok_or(BilledRefused::NotFound)?;
    if !tx.lock_numbered(process.id(), account)? {
        // The next run finds what became of it.
        return Err(StoreError::Conflict("the account has been removed".into()).into());
    }
    if tx.mark_billed(process.id(), at)? {
        tx.publish(&NewFeedEvent {
            supplier_id,
            event_type: FeedEventType::AccountBilled,
            occurred_at: at,
            external_account_number: Some(number.clone()),
            service_account_number: Some(account.clone()),
            data: None,
        })?;
    }
    Ok(())
}
