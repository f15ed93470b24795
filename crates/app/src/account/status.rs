use crate::App;
use crate::auth::Caller;
use crate::port::{StoreError, StoredProcess, Supplier, find_stale};
use chrono::{DateTime, Datelike, FixedOffset};
use cutover_core::{ExternalAccountNumber, SupplierCode};
use cutover_model::{LatestEvent, ProcessStatus};
use cutover_process::{StatusV1, StatusV2, v1, v2};

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
    ) -> Result<Option<StatusV2>, StoreError> {
        let found = self.find_process(caller, supplier, number)?;
        Ok(found.map(|(supplier, stored)| v2(&stored.process, supplier.settings.time_zone)))
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
    ) -> Result<Option<StatusV1>, StoreError> {
        let found = self.find_process(caller, supplier, number)?;
        Ok(found.map(|(_, stored)| v1(&stored.process)))
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

/// Formats a datetime for an answer: `2026-11-21T13:00:00.123456+11:00`, UTC as `+00:00` (contract D3). Uses
/// UTC where the format cannot express the local time: offsets with seconds or over 14 hours, and years other
/// than 1 to 9999.
pub fn shown_time(time: DateTime<FixedOffset>) -> String {
    let offset = time.offset().local_minus_utc();
    let can_be_written = offset % 60 == 0 && offset.abs() <= 14 * 3_600 && (1..=9_999).contains(&time.year());
    let time = if can_be_written { time } else { time.to_utc().fixed_offset() };
    time.format("%Y-%m-%dT%H:%M:%S%.6f%:z").to_string()
}

/// Returns the body of a status answer (contract 2.2).
pub fn shown_status(status: &StatusV2) -> ProcessStatus {
    let error = |error: &cutover_process::ProcessError| cutover_model::ProcessError {
        code: error.code.to_string().into(),
        detail: error.detail.to_string(),
        domain: error.domain(),
    };
    ProcessStatus {
        status: status.status.as_str(),
        service_identifier: status.service_identifier.as_ref().map(ToString::to_string),
        created_at: shown_time(status.created_at),
        modified_at: shown_time(status.modified_at),
        latest_event: LatestEvent {
            event: status.latest_event.event.as_str(),
            occurred_at: shown_time(status.latest_event.occurred_at),
            data: status.latest_event.data.as_ref().map(error),
        },
        latest_error: status.latest_error.as_ref().map(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cutover_core::Zone;

    #[test]
    fn times_have_microseconds_and_the_offset_of_their_zone() {
        let shown =
            |zone: &str, time: &str| shown_time(zone.parse::<Zone>().unwrap().local(time.parse().unwrap()));
        let instant = "2026-11-21T02:00:00.123456Z";
        assert_eq!(shown("Australia/Sydney", instant), "2026-11-21T13:00:00.123456+11:00");
        assert_eq!(shown("UTC", "2026-11-21T02:00:00Z"), "2026-11-21T02:00:00.000000+00:00");
        for edge in ["9999-12-31T23:59:59", "1880-01-01T00:00:00", "0001-01-01T00:00:00"] {
            assert_eq!(shown("Australia/Sydney", &format!("{edge}Z")), format!("{edge}.000000+00:00"));
        }
    }
}
