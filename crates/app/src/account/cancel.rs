use crate::App;
use crate::auth::Caller;
use crate::gate;
use crate::port::{MayConflict, StepWrite, StoreError, Tx, write_with_retry};
use cutover_core::{ExternalAccountNumber, SupplierCode};
use cutover_process::{Actor, Event, State};

/// Why an account was not cancelled (contract D13).
#[derive(Debug, thiserror::Error)]
pub enum CancelRefused {
    /// The organisation has no such process.
    #[error("there is no such account")]
    NotFound,
    /// It is neither pending nor cancelled.
    #[error("the account is not pending")]
    NotPending,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl MayConflict for CancelRefused {
    fn is_conflict(&self) -> bool {
        matches!(self, Self::Store(error) if error.is_conflict())
    }
}

impl App {
    /// Cancels the pending import of an account on behalf of its supplier (contract D13). One that is cancelled
    /// already stays so. The history carries the id of the request.
    ///
    /// # Errors
    /// [`CancelRefused`]; nothing is changed then.
    pub fn cancel_account(
        &self,
        caller: &Caller,
        supplier: &str,
        number: &str,
        request_id: Option<String>,
    ) -> Result<(), CancelRefused> {
        let (Ok(code), Ok(number)) = (
            cutover_core::trimmed(supplier).parse::<SupplierCode>(),
            number.parse::<ExternalAccountNumber>(),
        ) else {
            return Err(CancelRefused::NotFound);
        };
        let (organisation, clock) = (caller.organisation_id, self.clock.clone());
        let actor = Actor::Api { key_prefix: caller.key_prefix.clone(), request_id };
        write_with_retry(&*self.store, move |tx| {
            let supplier = tx.supplier_of(organisation, &code)?.ok_or(CancelRefused::NotFound)?;
            cancel(tx, supplier.id, &number, &actor, clock.now())
        })
    }
}

fn cancel(
    tx: &mut dyn Tx,
    supplier_id: i64,
    number: &ExternalAccountNumber,
    actor: &Actor,
    at: chrono::DateTime<chrono::Utc>,
) -> Result<(), CancelRefused> {
    tx.lock_process(supplier_id, number)?;
    let process = tx.process(supplier_id, number)?.ok_or(CancelRefused::NotFound)?.process;
    match process.known_state() {
        Some(State::Cancelled) => return Ok(()),
        Some(State::Pending) => {}
        _ => return Err(CancelRefused::NotPending),
    }
    let illegal = |e: cutover_process::IllegalStep| StoreError::Failed(e.to_string());
    let (process, entry) = process.step(Event::Cancelled, at, actor.clone()).map_err(illegal)?;
    let step = StepWrite { process: &process, entry: &entry, issues: None, sent: None };
    match gate::step_processes(tx, &[step])?[..] {
        [true] => Ok(()),
        _ => Err(StoreError::Conflict("the process took another step".into()).into()),
    }
}
