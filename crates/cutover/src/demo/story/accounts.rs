use super::Story;
use crate::demo::fixtures;
use crate::demo::generate::Generated;
use crate::error::Error;
use cutover_core::State;
use serde_json::json;

impl Story<'_> {
    /// Each variant of meter point from POST to PROCESSED.
    pub(in crate::demo) fn variants(&self) -> Result<(), Error> {
        self.stage.chapter("3. An account of each of the seven variants: validated, created, imported");
        let fixtures = fixtures::all(&self.house.supplier)?;
        let mut answers = Vec::new();
        for fixture in &fixtures {
            answers.push((self.client.validate(&fixture.body)?, self.client.create(&fixture.body)?));
        }
        for (fixture, (validated, created)) in fixtures.iter().zip(answers) {
            let done = self.wait_for(&fixture.number, State::Processed)?;
            let account = done.service_identifier.unwrap_or_default();
            let text =
                format!("validate {}  create {}  PROCESSED  {account}", validated.status, created.status);
            self.stage.row(fixture.variant, &text);
        }
        Ok(())
    }

    /// An account with several faults: all are named at once, nothing is stored.
    pub(in crate::demo) fn refusal(&mut self) -> Result<(), Error> {
        self.stage.chapter("4. A faulty account: everything wrong with it in one answer, nothing stored");
        let Generated { number, mut payload, .. } = self.accounts.valid();
        payload["custmers"] = json!([]);
        payload["customers"][0]["mobile"] = json!("0612345678");
        payload["customers"][0]["address"]["postal_code"] = json!("31A1");
        payload["ledgers"][0]["ledger_balance"] = json!("1000000.00");
        payload["transfer_balance"] = json!("1000000.00");
        let reply = self.client.validate(&payload.to_string())?;
        self.tell_refusal("POST …/validate/", reply)?;
        let created = self.client.create(&payload.to_string())?;
        self.stage.row("POST …/accounts/", &format!("{}  {}", created.status, created.code()));
        let read = self.client.read_status(&self.house.supplier, &number)?;
        self.stage.row("GET its status", &format!("{}  {}", read.status, read.code()));
        Ok(())
    }

    /// A dry run, and one that is scheduled for later and taken back.
    pub(in crate::demo) fn rehearsal(&mut self) -> Result<(), Error> {
        self.stage.chapter("5. A rehearsal, and one for tonight that is taken back");
        let rehearsed = self.accounts.valid();
        let reply = self.send(&rehearsed, json!({"is_dry_run": true}))?;
        let done = self.wait_for(&rehearsed.number, State::DryRunSucceeded)?;
        self.tell(&rehearsed.number, &format!("create {}  {}, nothing kept", reply.status, done.status));
        let tonight = self.accounts.valid();
        let reply = self.send(&tonight, self.tonight())?;
        let status = self.status(&tonight.number)?;
        self.tell(&tonight.number, &format!("create {}  {} for six hours", reply.status, status.status));
        self.cancel(&tonight.number)?;
        self.tell(&tonight.number, &self.status(&tonight.number)?.status);
        Ok(())
    }
}
