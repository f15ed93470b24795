//! What a migration meets, a chapter a file.

mod accounts;
mod additions;
mod business;
mod documents;
mod pause;
mod payments;
mod progress;

pub(super) use additions::Additions;
pub(super) use business::Business;
pub(super) use payments::Payments;
pub(super) use progress::Lists;

use super::client::{Client, Reply, Status};
use super::generate::{Generated, Generator};
use super::house::House;
use super::stage::Stage;
use crate::error::Error;
use crate::system::SystemClock;
use chrono::{DateTime, NaiveDate, SecondsFormat, Utc};
use cutover_app::operator::SupplierChange;
use cutover_app::port::Clock;
use cutover_core::State;
use serde_json::{Value, json};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// How long one account may take until the demo gives up on it.
const PATIENCE: Duration = Duration::from_secs(20);
const GLANCE: Duration = Duration::from_millis(25);

/// Who tells the story to whom.
pub(super) struct Story<'h> {
    pub(super) house: &'h House,
    pub(super) client: Client,
    pub(super) stage: Stage,
    pub(super) accounts: Generator,
}

impl Story<'_> {
    /// Sends an account and waits for its import; what to say of it.
    fn import(&self, account: &Generated) -> Result<String, Error> {
        self.client.create(&account.payload.to_string())?.expect(201)?;
        let done = self.wait_for(&account.number, State::Processed)?;
        Ok(format!("create 201  PROCESSED  {}", done.service_identifier.unwrap_or_default()))
    }

    /// Tells of a refusal, with its errors below.
    fn tell_refusal(&self, name: &str, reply: Reply) -> Result<(), Error> {
        let reply = reply.expect(400)?;
        self.stage.row(name, &format!("400  {}", reply.code()));
        self.stage.errors(&reply.errors());
        Ok(())
    }

    /// Changes the supplier, telling what the operator would type.
    fn set_supplier(&self, options: &str, change: SupplierChange) -> Result<(), Error> {
        let supplier = &self.house.supplier;
        self.stage.command(&format!("cutover supplier set {supplier} {options}"));
        self.house.app.set_supplier(supplier, change)?;
        Ok(())
    }

    /// Takes a pending account out, telling what the operator would type.
    fn cancel(&self, number: &str) -> Result<(), Error> {
        let supplier = &self.house.supplier;
        self.stage.command(&format!("cutover process cancel {supplier} {number}"));
        self.house.app.cancel_process(supplier, number)?;
        Ok(())
    }

    fn tell(&self, number: &str, text: &str) {
        self.stage.row(number, text);
    }

    /// Sends an account in its envelope.
    fn send(&self, account: &Generated, params: Value) -> Result<Reply, Error> {
        let body = json!({"payload": account.payload, "task_params": params});
        self.client.create(&body.to_string())
    }

    /// The parameters of an account that is for later.
    fn tonight(&self) -> Value {
        json!({"schedule_window_start": text(self.now() + chrono::Duration::hours(6))})
    }

    fn status(&self, number: &str) -> Result<Status, Error> {
        self.client.status(&self.house.supplier, number)
    }

    /// Waits until an account has a status.
    fn wait_for(&self, number: &str, status: State) -> Result<Status, Error> {
        let begin = Instant::now();
        loop {
            let now = self.status(number)?;
            if now.status == status.as_str() {
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

    /// The day where the supplier is, so many days back.
    fn day(&self, ago: u64) -> NaiveDate {
        let today = self.house.zone.local(self.now()).date_naive();
        today.checked_sub_days(chrono::Days::new(ago)).unwrap_or(today)
    }
}

fn text(at: DateTime<Utc>) -> String {
    at.to_rfc3339_opts(SecondsFormat::Millis, true)
}
