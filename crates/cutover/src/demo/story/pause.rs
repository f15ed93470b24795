use super::{Story, text};
use crate::error::Error;
use chrono::Duration;
use cutover_app::operator::SupplierChange;
use cutover_core::{State, SupplierStatus};
use serde_json::json;

impl Story<'_> {
    /// The supplier is paused while accounts fall due, and resumed; the number of the one whose window
    /// closed meanwhile.
    pub(in crate::demo) fn pause(&mut self) -> Result<String, Error> {
        self.stage.chapter("6. Paused and resumed: what waits stays as it is, new accounts are refused");
        let (waits, misses, late) = (self.accounts.valid(), self.accounts.valid(), self.accounts.valid());
        let (opens, closes) = (self.now() + Duration::seconds(2), self.now() + Duration::seconds(3));
        self.send(&waits, json!({"schedule_window_start": text(opens)}))?;
        let window = json!({"schedule_window_start": text(opens), "schedule_window_end": text(closes)});
        self.send(&misses, window)?;
        self.set_status(SupplierStatus::Paused)?;
        let refused = self.client.create(&late.payload.to_string())?;
        self.tell(&late.number, &format!("create {}  {}", refused.status, refused.code()));
        self.sleep_until(closes + Duration::milliseconds(500));
        let (one, other) = (self.status(&waits.number)?, self.status(&misses.number)?);
        self.tell(&waits.number, &format!("due, {}", one.status));
        self.tell(&misses.number, &format!("due until its window closed, {}", other.status));
        self.set_status(SupplierStatus::Ongoing)?;
        let done = self.wait_for(&waits.number, State::Processed)?;
        self.tell(&waits.number, &done.status);
        let missed = self.wait_for(&misses.number, State::Errored)?;
        self.tell(&misses.number, &format!("{}  {}", missed.status, missed.error_code()));
        Ok(misses.number)
    }

    fn set_status(&self, status: SupplierStatus) -> Result<(), Error> {
        let options = format!("--status {}", status.as_str().to_lowercase());
        self.set_supplier(&options, SupplierChange { status: Some(status), ..SupplierChange::default() })
    }
}
