use crate::App;
use crate::auth::Caller;
use crate::port::{StoreError, StoredProcess, Supplier, find_stale};
use chrono::{DateTime, FixedOffset};
use cutover_core::{ExternalAccountNumber, SupplierCode, Zone};
use cutover_model::{LatestEvent, ProcessStatus, Timestamp, TransferStatus};
use cutover_process::Process;

impl App {
    /// Returns the status of an account's import (contract 4.1); `None` if the organisation has no such
    /// process.
    ///
    /// # Errors
    /// [`StoreError`] if it could not be read.
    pub fn account_status(
        &self,
        caller: &Caller,
        supplier: &str,
        number: &str,
    ) -> Result<Option<ProcessStatus>, StoreError> {
        let found = self.find_process(caller, supplier, number)?;
        Ok(found.map(|(supplier, stored)| process_status(&stored.process, supplier.settings.time_zone)))
    }

    /// Returns the status in the form of version 1 (contract 4.3).
    ///
    /// # Errors
    /// [`StoreError`] if it could not be read.
    pub fn transfer_status(
        &self,
        caller: &Caller,
        supplier: &str,
        number: &str,
    ) -> Result<Option<TransferStatus>, StoreError> {
        let found = self.find_process(caller, supplier, number)?;
        Ok(found.map(|(_, stored)| transfer_status(&stored.process)))
    }

    fn find_process(
        &self,
        caller: &Caller,
        supplier: &str,
        number: &str,
    ) -> Result<Option<(Supplier, StoredProcess)>, StoreError> {
        let (Ok(code), Ok(number)) = (
            cutover_core::trimmed(supplier).parse::<SupplierCode>(),
            number.parse::<ExternalAccountNumber>(),
        ) else {
            return Ok(None);
        };
        find_stale(&*self.store, |tx| {
            let Some(supplier) = tx.supplier_of(caller.organisation_id, &code)? else { return Ok(None) };
            let process = tx.process(supplier.id, &number)?;
            Ok(process.map(|process| (supplier, process)))
        })
    }
}

/// A datetime as answers have it: see [`Timestamp`].
pub fn shown_time(time: DateTime<FixedOffset>) -> String {
    Timestamp(time).to_string()
}

/// The status of a process as version 2 shows it to a supplier in a time zone (contract 2.2).
pub fn process_status(process: &Process, zone: Zone) -> ProcessStatus {
    let snapshot = process.snapshot();
    let error = snapshot.latest_error.as_deref().filter(|_| snapshot.state.is_error());
    ProcessStatus {
        status: snapshot.state,
        service_identifier: snapshot.service_account_number.clone(),
        created_at: Timestamp(zone.local(snapshot.created_at)),
        modified_at: Timestamp(zone.local(snapshot.modified_at)),
        latest_event: LatestEvent {
            event: snapshot.state.shown_event(),
            occurred_at: Timestamp(zone.local(snapshot.latest_event_at)),
            data: error.cloned(),
        },
        latest_error: error.cloned(),
    }
}

/// The status of a process as version 1 shows it (contract 2.2, 4.3).
fn transfer_status(process: &Process) -> TransferStatus {
    TransferStatus {
        status: process.state().into(),
        service_account_number: process.service_account_number().map(ToString::to_string).unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cutover_process::{Actor, Event, NewProcess, Submission};

    fn at(second: i64) -> DateTime<chrono::Utc> {
        DateTime::from_timestamp(20_000 * 86_400 + second, 0).unwrap()
    }

    /// A process of each status.
    fn every_status() -> Vec<Process> {
        let process = |is_dry_run, events: &[Event]| {
            let new = NewProcess {
                supplier: "ACME".parse().unwrap(),
                external_account_number: "A-100".parse().unwrap(),
                submission: Submission { is_dry_run, ..Submission::default() },
            };
            let (process, _) = Process::create(7, new, at(0), Actor::System);
            (1..).zip(events).fold(process, |process, (second, event)| {
                process.step(event.clone(), at(second), Actor::System).unwrap().0
            })
        };
        vec![
            process(false, &[]),
            process(false, &[Event::Claimed]),
            process(false, &[Event::Cancelled]),
            process(false, &[Event::Claimed, Event::Imported("A-00000001".parse().unwrap())]),
            process(true, &[Event::Claimed, Event::DryRunPassed]),
            process(false, &[Event::Claimed, Event::Rejected]),
            process(true, &[Event::Claimed, Event::DryRunFailed]),
        ]
    }

    #[test]
    fn version_1_has_three_statuses() {
        let lines = every_status().into_iter().map(|process| {
            let shown = transfer_status(&process);
            format!("{}: {} {:?}\n", process.state(), shown.status, shown.service_account_number)
        });
        insta::assert_snapshot!(lines.collect::<String>());
    }

    #[test]
    fn version_2_shows_status_event_and_error_in_the_suppliers_zone() {
        let zone: Zone = "Australia/Brisbane".parse().unwrap();
        let lines = every_status().into_iter().map(|process| {
            let shown = process_status(&process, zone);
            let event = &shown.latest_event;
            assert_eq!((shown.status, &shown.latest_error), (process.state(), &event.data));
            let account = shown.service_identifier.map_or("null".to_owned(), |number| number.to_string());
            let error = shown
                .latest_error
                .map_or("null".to_owned(), |error| format!("{} {}", error.domain, error.code));
            let (created, modified) = (shown.created_at.to_rfc3339(), shown.modified_at.to_rfc3339());
            let line = format!("{} {}", event.event, event.occurred_at.to_rfc3339());
            format!("{}\n  {account}, {created}, {modified}\n  {line}\n  {error}\n", shown.status)
        });
        insta::assert_snapshot!(lines.collect::<String>());
    }
}
