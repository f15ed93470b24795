//! What a migration meets, one step after another: every variant, a refusal, a rehearsal, a
//! cancellation, a pause.

use super::client::{Client, Reply, Status};
use super::fixtures;
use super::generate::{Generated, Generator};
use super::house::House;
use super::stage::Stage;
use crate::error::Error;
use crate::system::SystemClock;
use chrono::{DateTime, Duration, SecondsFormat, Utc};
use cutover_app::operator::SupplierChange;
use cutover_app::port::Clock;
use cutover_core::SupplierStatus;
use serde_json::{Value, json};
use std::thread::sleep;
use std::time::Instant;

/// How long one account may take until the demo gives up on it.
const PATIENCE: std::time::Duration = std::time::Duration::from_secs(20);
const GLANCE: std::time::Duration = std::time::Duration::from_millis(25);

/// Who tells the story to whom.
pub(super) struct Story<'h> {
    pub(super) house: &'h House,
    pub(super) client: Client,
    pub(super) stage: Stage,
    pub(super) accounts: Generator,
}

impl Story<'_> {
    /// Each variant of meter point from POST to PROCESSED.
    pub(super) fn variants(&self) -> Result<(), Error> {
        self.stage.chapter("3. An account of each of the seven variants: validated, created, imported");
        let fixtures = fixtures::all(&self.house.supplier)?;
        let mut answers = Vec::new();
        for fixture in &fixtures {
            answers.push((self.client.validate(&fixture.body)?, self.client.create(&fixture.body)?));
        }
        for (fixture, (validated, created)) in fixtures.iter().zip(answers) {
            let done = self.wait_for(&fixture.number, "PROCESSED")?;
            let account = done.service_identifier.unwrap_or_default();
            let text =
                format!("validate {}  create {}  PROCESSED  {account}", validated.status, created.status);
            self.stage.row(fixture.variant, &text);
        }
        Ok(())
    }

    /// An account with several faults: all are named at once, nothing is stored.
    pub(super) fn refusal(&mut self) -> Result<(), Error> {
        self.stage.chapter("4. A faulty account: everything wrong with it in one answer, nothing stored");
        let Generated { number, mut payload, .. } = self.accounts.valid();
        payload["custmers"] = json!([]);
        payload["customers"][0]["mobile"] = json!("0612345678");
        payload["customers"][0]["address"]["postal_code"] = json!("31A1");
        payload["ledgers"][0]["ledger_balance"] = json!("1000000.00");
        payload["transfer_balance"] = json!("1000000.00");
        let reply = self.client.validate(&payload.to_string())?;
        self.stage.row("POST …/validate/", &format!("{}  {}", reply.status, reply.code()));
        for (attr, code) in reply.errors() {
            self.stage.say(&format!("    {attr:<34}{code}"));
        }
        let created = self.client.create(&payload.to_string())?;
        self.stage.row("POST …/accounts/", &format!("{}  {}", created.status, created.code()));
        let read = self.client.read_status(&self.house.supplier, &number)?;
        self.stage.row("GET its status", &format!("{}  {}", read.status, read.code()));
        Ok(())
    }

    /// A dry run, and one that is scheduled for later and taken back.
    pub(super) fn rehearsal(&mut self) -> Result<(), Error> {
        self.stage.chapter("5. A rehearsal, and one for tonight that is taken back");
        let rehearsed = self.accounts.valid();
        let reply = self.send(&rehearsed, json!({"is_dry_run": true}))?;
        let done = self.wait_for(&rehearsed.number, "DRY_RUN_SUCCEEDED")?;
        self.tell(&rehearsed.number, &format!("create {}  {}, nothing kept", reply.status, done.status));
        let tonight = self.accounts.valid();
        let reply =
            self.send(&tonight, json!({"schedule_window_start": text(self.now() + Duration::hours(6))}))?;
        let status = self.status(&tonight.number)?;
        self.tell(&tonight.number, &format!("create {}  {} for six hours", reply.status, status.status));
        let supplier = &self.house.supplier;
        self.stage.command(&format!("cutover process cancel {supplier} {}", tonight.number));
        self.house.app.cancel_process(supplier, &tonight.number)?;
        self.tell(&tonight.number, &self.status(&tonight.number)?.status);
        Ok(())
    }

    /// The supplier is paused while accounts fall due, and resumed.
    pub(super) fn pause(&mut self) -> Result<(), Error> {
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
        let done = self.wait_for(&waits.number, "PROCESSED")?;
        self.tell(&waits.number, &done.status);
        let missed = self.wait_for(&misses.number, "ERRORED")?;
        self.tell(&misses.number, &format!("{}  {}", missed.status, missed.error_code()));
        Ok(())
    }

    fn tell(&self, number: &str, text: &str) {
        self.stage.row(number, text);
    }

    fn set_status(&self, status: SupplierStatus) -> Result<(), Error> {
        let supplier = &self.house.supplier;
        let word = status.as_str().to_lowercase();
        self.stage.command(&format!("cutover supplier set {supplier} --status {word}"));
        let change = SupplierChange { status: Some(status), ..SupplierChange::default() };
        self.house.app.set_supplier(supplier, change)?;
        Ok(())
    }

    /// Sends an account in its envelope.
    fn send(&self, account: &Generated, params: Value) -> Result<Reply, Error> {
        let body = json!({"payload": account.payload, "task_params": params});
        self.client.create(&body.to_string())
    }

    fn status(&self, number: &str) -> Result<Status, Error> {
        self.client.status(&self.house.supplier, number)
    }

    /// Waits until an account has a status.
    fn wait_for(&self, number: &str, status: &str) -> Result<Status, Error> {
        let begin = Instant::now();
        loop {
            let now = self.status(number)?;
            if now.status == status {
                return Ok(now);
            }
            if begin.elapsed() > PATIENCE {
                let is = now.status;
                return Err(Error::refused(format!(
                    "the account {number} is {is} and does not become {status}"
                )));
            }
            sleep(GLANCE);
        }
    }

    fn sleep_until(&self, at: DateTime<Utc>) {
        sleep((at - self.now()).to_std().unwrap_or_default());
    }

    fn now(&self) -> DateTime<Utc> {
        SystemClock.now()
    }
}

fn text(at: DateTime<Utc>) -> String {
    at.to_rfc3339_opts(SecondsFormat::Millis, true)
}
