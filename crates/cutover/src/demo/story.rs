//! The situations of a migration, a function per chapter.

use super::accounts::Generated;
use super::client::text;
use super::installation::VENDOR;
use super::supplier::Supplier;
use super::vendor::{CARD, DEBIT};
use crate::error::Error;
use crate::system::SystemClock;
use chrono::{DateTime, Days, Duration, NaiveDate, SecondsFormat, Utc};
use cutover_app::operator::SupplierChange;
use cutover_app::port::Clock;
use cutover_core::SupplierStatus;
use serde_json::{Value, json};
use std::thread::sleep;

const BUSINESS: &str = include_str!("../../../../fixtures/businesses/valid/cold_storage.json");
/// A PDF of one page.
pub(super) const DOCUMENT: &[u8] = include_bytes!("document.pdf");

impl Supplier<'_> {
    /// Runs chapters 3 to 10. Returns the account that was added to, and results for the outcome.
    pub(super) fn tell(&mut self) -> Result<(String, Value), Error> {
        self.variants()?;
        self.faulty_account()?;
        self.dry_run()?;
        self.pause()?;
        let business = self.business()?;
        let account = self.documents()?;
        let additions = self.additions(&account)?;
        let payments = self.payments(&account, &business)?;
        Ok((account, json!({"business": business, "additions": additions, "payments": payments})))
    }

    fn variants(&self) -> Result<(), Error> {
        self.out.chapter("3. An account of each of the seven variants: validated, created, imported");
        let mut replies = Vec::new();
        for (variant, Generated { number, payload }) in self.accounts.variants() {
            let (validated, created) = (self.client.validate(&payload)?, self.client.create(&payload)?);
            replies.push((
                variant,
                number,
                format!("validate {}  create {}", validated.status, created.status),
            ));
        }
        for (variant, number, sent) in replies {
            let done = self.wait_for(&number, "PROCESSED")?;
            self.out.row(variant, &format!("{sent}  PROCESSED  {}", text(&done, "service_identifier")));
        }
        Ok(())
    }

    fn faulty_account(&mut self) -> Result<(), Error> {
        self.out.chapter("4. A faulty account: all faults in one answer, nothing stored");
        let Generated { number, mut payload } = self.accounts.valid();
        payload["custmers"] = json!([]);
        payload["customers"][0]["mobile"] = json!("0612345678");
        payload["supply_addresses"][0]["supply_address"]["postal_code"] = json!("31A1");
        payload["ledgers"][0]["ledger_balance"] = json!("1000000.00");
        payload["transfer_balance"] = json!("1000000.00");
        self.print_refusal("POST …/validate/", self.client.validate(&payload)?)?;
        let created = self.client.create(&payload)?;
        self.out.row("POST …/accounts/", &format!("{}  {}", created.status, created.code()));
        let read = self.client.get(&self.status_path(&number))?;
        self.out.row("GET its status", &format!("{}  {}", read.status, read.code()));
        Ok(())
    }

    fn dry_run(&mut self) -> Result<(), Error> {
        self.out.chapter("5. A dry run, and a scheduled account that is cancelled");
        let rehearsed = self.accounts.valid();
        let reply = self.create_with(&rehearsed, &json!({"is_dry_run": true}))?;
        self.wait_for(&rehearsed.number, "DRY_RUN_SUCCEEDED")?;
        self.out.row(&rehearsed.number, &format!("create {}  DRY_RUN_SUCCEEDED, nothing kept", reply.status));
        let tonight = self.accounts.valid();
        let window = json!({"schedule_window_start": as_text(now() + Duration::hours(6))});
        let reply = self.create_with(&tonight, &window)?;
        let status = self.status(&tonight.number)?;
        self.out.row(&tonight.number, &format!("create {}  {status} for six hours", reply.status));
        self.out.command(&format!("process cancel {} {}", self.code, tonight.number));
        self.app().as_command().cancel_process(&self.code, &tonight.number)?;
        self.out.row(&tonight.number, &self.status(&tonight.number)?);
        Ok(())
    }

    /// Pauses the supplier while accounts become due; the window of one of them closes meanwhile.
    fn pause(&mut self) -> Result<(), Error> {
        self.out.chapter("6. Paused and resumed: pending accounts wait, new ones are refused");
        let (waits, misses, late) = (self.accounts.valid(), self.accounts.valid(), self.accounts.valid());
        let (opens, closes) = (now() + Duration::seconds(4), now() + Duration::seconds(5));
        self.create_with(&waits, &json!({"schedule_window_start": as_text(opens)}))?;
        let window = json!({"schedule_window_start": as_text(opens), "schedule_window_end": as_text(closes)});
        self.create_with(&misses, &window)?;
        self.set_status(SupplierStatus::Paused)?;
        let refused = self.client.create(&late.payload)?;
        self.out.row(&late.number, &format!("create {}  {}", refused.status, refused.code()));
        sleep((closes + Duration::milliseconds(500) - now()).to_std().unwrap_or_default());
        self.out.row(&waits.number, &format!("due, {}", self.status(&waits.number)?));
        let status = self.status(&misses.number)?;
        self.out.row(&misses.number, &format!("due until its window closed, {status}"));
        self.set_status(SupplierStatus::Ongoing)?;
        self.wait_for(&waits.number, "PROCESSED")?;
        self.out.row(&waits.number, "PROCESSED");
        let missed = self.wait_for(&misses.number, "ERRORED")?;
        self.out.row(&misses.number, &format!("ERRORED  {}", text(&missed["latest_error"], "code")));
        Ok(())
    }

    /// Sends a business twice, an account for each of its contracts, and one with an unknown contract.
    fn business(&mut self) -> Result<Value, Error> {
        self.out.chapter("7. A business with two contracts, then the accounts that refer to them");
        // Contracts belong to the organisation, which all runs share.
        let supplier = &self.code;
        let identifier = format!("{supplier}-B1");
        let contracts = [1, 2].map(|n| format!("{supplier}-K{n}"));
        let mut body: Value = serde_json::from_str(BUSINESS).unwrap_or_default();
        body["import_supplier_code"] = json!(supplier);
        body["external_business_identifier"] = json!(identifier);
        for (i, contract) in contracts.iter().enumerate() {
            body["business"]["business_contracts"][i]["identifier"] = json!(contract);
        }
        let mut number = Value::Null;
        for name in ["POST …/business/", "the same again"] {
            number = self.add("business/", &body)?.expect(201)?.body["service_business_id"].take();
            self.out.row(name, &format!("201  number {number}"));
        }
        let mut accounts = Vec::new();
        for contract in &contracts {
            let mut account = self.accounts.valid();
            account.payload["business"] = json!({"business_contract_identifier": contract});
            let imported = self.import(&account)?;
            self.out.row(&account.number, &format!("{imported}, of contract {contract}"));
            accounts.push(account.number);
        }
        let mut stray = self.accounts.valid();
        stray.payload["business"] = json!({"business_contract_identifier": "NOBODYS-K1"});
        self.print_refusal(&stray.number, self.client.validate(&stray.payload)?)?;
        Ok(json!({
            "external_business_identifier": identifier,
            "service_business_id": number,
            "accounts": accounts,
        }))
    }

    /// Verifies documents from now on. Returns the number of an account whose documents exist.
    fn documents(&mut self) -> Result<String, Error> {
        self.out.chapter("8. Documents: those that a payload names must be in storage");
        self.verify_documents(true)?;
        let Generated { number, mut payload } = self.accounts.valid();
        let letter = format!("letters/{number}.pdf");
        payload["notes"] = json!([{
            "body": "The letter that welcomes the customer.",
            "document_paths": [{"document_path": letter}],
        }]);
        let statement = payload["statements"][0].clone();
        self.write(text(&statement, "statement_path"), DOCUMENT)?;
        self.write(&letter, DOCUMENT)?;
        self.out.line(&format!("    PDFs in {}", self.installation.documents_of(&self.code).display()));
        let imported = self.import(&Generated { number: number.clone(), payload })?;
        self.out.row(&number, &format!("{imported}, 2 documents found"));

        let mut faulty = self.accounts.valid();
        let plain = format!("statements/{}.txt", faulty.number);
        self.write(&plain, b"Not a PDF.\n")?;
        let named = |id: &str, path: &str| {
            let mut statement = statement.clone();
            (statement["statement_id"], statement["statement_path"]) = (json!(id), json!(path));
            statement
        };
        faulty.payload["statements"] = json!([named("ST-X", "statements/lost.pdf"), named("ST-Y", &plain)]);
        self.print_refusal(&faulty.number, self.client.validate(&faulty.payload)?)?;
        Ok(number)
    }

    /// Adds notes, transactions and a statement to an imported account.
    fn additions(&self, number: &str) -> Result<Value, Error> {
        self.out.chapter(&format!("9. After the import: additions to {number}"));
        let note = json!({"body": "Called on the day of the move; all is well.", "is_pinned": true});
        let note = self.addition(number, "notes", json!([note]));
        for name in ["notes/create/", "the same again"] {
            let reply = self.add("notes/create/", &note)?.expect(201)?;
            self.out.row(name, &format!("201  {}", text(&reply.body[0], "status")));
        }
        let balance_before = self.balance()?;
        self.out.row("balance of all", &balance_before);
        self.transactions(number)?;
        let balance_after = self.balance()?;
        self.out.row("balance of all", &balance_after);
        let route = "transactions/create/?force_add_to_current_statement=false";
        let body = self.addition(number, "transactions", json!([self.old_charge("LATE-3")]));
        self.print_refusal("one that must not move", self.add(route, &body)?)?;
        let path = format!("statements/{number}-H-1.pdf");
        self.write(&path, DOCUMENT)?;
        let statement = json!({
            "statement_id": "H-1",
            "bill_period_from_date": self.day(800),
            "bill_period_to_date": self.day(711),
            "issued_date": self.day(705),
            "gross_amount": "118.20",
            "statement_path": path,
        });
        let body = self.addition(number, "statements", json!([statement]));
        self.add("historical-statements/create/", &body)?.expect(201)?;
        self.out.row("historical-statements/…", "201  H-1 and its PDF");
        Ok(json!({
            "external_account_number": number,
            "balance_before": balance_before,
            "balance_after": balance_after,
        }))
    }

    /// Adds a payment in the open statement period, and an old charge, which is moved into that period.
    fn transactions(&self, number: &str) -> Result<(), Error> {
        let payment = json!({
            "transaction_id": "LATE-1", "transaction_date": self.day(0), "amount": "45.50",
            "type": "PAYMENT", "reason": "ACCOUNT_CHARGE_PAYMENT", "payment_type": "BPAY",
        });
        let sent = [payment, self.old_charge("LATE-2")];
        let body = self.addition(number, "transactions", json!(sent));
        for name in ["transactions/create/", "the same again"] {
            let reply = self.add("transactions/create/", &body)?.expect(201)?;
            for (sent, result) in sent.iter().zip(reply.body["results"].as_array().into_iter().flatten()) {
                let stored = &result["transaction_data"];
                let (status, id) = (text(result, "status"), text(stored, "transaction_id"));
                let (sent, date) = (text(sent, "transaction_date"), text(stored, "transaction_date"));
                self.out.row(name, &format!("201  {status}  {id} of {sent}, stored with {date}"));
            }
        }
        Ok(())
    }

    /// Adds payment instructions to an account and to a business; the vendor confirms them.
    fn payments(&self, number: &str, business: &Value) -> Result<Value, Error> {
        let vendor = &self.installation.vendor;
        self.out.chapter(&format!("10. Payment instructions, confirmed by {VENDOR}"));
        let card = |kind: &str, reference: &str| {
            let body = json!({
                "import_supplier": self.code, "external_account_number": number,
                "vendor": VENDOR, "type": kind, "reference": reference,
            });
            self.add("payment-instruction/create/", &body)
        };
        for name in ["of an account", "the same again"] {
            let reply = card("CARD", CARD)?.expect(201)?;
            self.out.row(name, &format!("201  {CARD} of {}", text(&reply.body, "service_account_number")));
        }
        self.print_refusal("an unknown card", card("CARD", "card-0000")?)?;
        self.print_refusal("one of another type", card("CARD", DEBIT)?)?;
        let accounts = business["accounts"].as_array().map(Vec::as_slice).unwrap_or_default();
        let accounts: Vec<_> = accounts.iter().map(|n| json!({"external_account_number": n})).collect();
        let body = json!({
            "import_supplier_code": self.code,
            "external_business_identifier": business["external_business_identifier"],
            "accounts": accounts,
            "vendor": VENDOR, "type": "DIRECT_DEBIT", "reference": DEBIT,
        });
        self.add("business-payment-instruction/create/", &body)?.expect(201)?;
        self.out.row("of the business", &format!("201  {DEBIT}, for {} accounts", accounts.len()));
        let asked = vendor.lookups();
        let row = format!("was called {asked} times for 5 requests: confirmed instructions stay confirmed");
        self.out.row("the vendor", &row);
        Ok(json!({"vendor": VENDOR, "base_url": vendor.base_url(), "asked": asked}))
    }

    fn set_status(&self, status: SupplierStatus) -> Result<(), Error> {
        let options = format!("--status {}", status.as_str().to_lowercase());
        self.set(&options, SupplierChange { status: Some(status), ..SupplierChange::default() })
    }

    fn addition(&self, number: &str, name: &str, items: Value) -> Value {
        json!({"import_supplier": self.code, "external_account_number": number, name: items})
    }

    fn old_charge(&self, id: &str) -> Value {
        json!({
            "transaction_id": id, "transaction_date": self.day(400), "amount": "10.10",
            "type": "CHARGE", "reason": "IMPORTED_CHARGE",
        })
    }

    /// The balance of all imported accounts.
    fn balance(&self) -> Result<String, Error> {
        Ok(text(&self.progress()?["totals"], "ledger_balance").to_owned())
    }

    /// The date in the supplier's zone a number of days ago.
    fn day(&self, ago: u64) -> NaiveDate {
        let today = self.installation.zone.local(now()).date_naive();
        today.checked_sub_days(Days::new(ago)).unwrap_or(today)
    }
}

fn now() -> DateTime<Utc> {
    SystemClock.now()
}

/// A time as it is sent.
fn as_text(at: DateTime<Utc>) -> String {
    at.to_rfc3339_opts(SecondsFormat::Millis, true)
}
