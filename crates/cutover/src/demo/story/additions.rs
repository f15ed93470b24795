use super::Story;
use crate::error::Error;
use serde::Serialize;
use serde_json::{Value, json};

/// What was added to an account after its import, and its balance around it.
#[derive(Serialize)]
pub(in crate::demo) struct Additions {
    external_account_number: String,
    balance_before: String,
    balance_after: String,
}

impl Story<'_> {
    /// Notes, transactions and a statement for an imported account; what comes again is not added again.
    pub(in crate::demo) fn additions(&self, number: &str) -> Result<Additions, Error> {
        self.stage.chapter(&format!("9. After the import: what is added to {number}, and not added twice"));
        self.notes(number)?;
        let balance_before = self.balance(number)?;
        self.stage.row("balance", &balance_before);
        self.transactions(number)?;
        let balance_after = self.balance(number)?;
        self.stage.row("balance", &balance_after);
        self.too_late(number)?;
        self.statement(number)?;
        Ok(Additions { external_account_number: number.to_owned(), balance_before, balance_after })
    }

    fn notes(&self, number: &str) -> Result<(), Error> {
        let note = json!({"body": "Called on the day of the move; all is well.", "is_pinned": true});
        let body = self.of(number, "notes", json!([note]));
        for name in ["notes/create/", "the same again"] {
            let reply = self.client.add("notes/create/", &body)?.expect(201)?;
            self.stage.row(name, &format!("201  {}", reply.body[0]["status"].as_str().unwrap_or_default()));
        }
        Ok(())
    }

    /// A payment inside of the open statement period, and a charge of long ago, which is moved there.
    fn transactions(&self, number: &str) -> Result<(), Error> {
        let payment = json!({
            "transaction_id": "LATE-1", "transaction_date": self.day(0), "amount": "45.50",
            "type": "PAYMENT", "reason": "ACCOUNT_CHARGE_PAYMENT", "payment_type": "BPAY",
        });
        let sent = [payment, self.old_charge("LATE-2")];
        let body = self.of(number, "transactions", json!(sent));
        for name in ["transactions/create/", "the same again"] {
            let reply = self.client.add("transactions/create/", &body)?.expect(201)?;
            for (i, sent) in sent.iter().enumerate() {
                let name = if i == 0 { name } else { "" };
                self.stage.row(name, &format!("201  {}", outcome(&reply.body["results"][i], sent)));
            }
        }
        Ok(())
    }

    /// A charge that must not be moved.
    fn too_late(&self, number: &str) -> Result<(), Error> {
        let route = "transactions/create/?force_add_to_current_statement=false";
        let body = self.of(number, "transactions", json!([self.old_charge("LATE-3")]));
        self.tell_refusal("one not to be moved", self.client.add(route, &body)?)
    }

    fn old_charge(&self, id: &str) -> Value {
        json!({
            "transaction_id": id, "transaction_date": self.day(400), "amount": "10.10",
            "type": "CHARGE", "reason": "IMPORTED_CHARGE",
        })
    }

    fn statement(&self, number: &str) -> Result<(), Error> {
        let statement = json!({
            "statement_id": "H-1",
            "bill_period_from_date": self.day(800),
            "bill_period_to_date": self.day(711),
            "issued_date": self.day(705),
            "gross_amount": "118.20",
            "statement_path": format!("statements/{number}-H-1.pdf"),
        });
        self.write_statement(number, &statement)?;
        let body = self.of(number, "statements", json!([statement]));
        for name in ["historical-statements/…", "the same again"] {
            self.client.add("historical-statements/create/", &body)?.expect(201)?;
            self.stage.row(name, "201  H-1 and its PDF");
        }
        Ok(())
    }

    fn of(&self, number: &str, name: &str, items: Value) -> Value {
        json!({"import_supplier": self.house.supplier, "external_account_number": number, name: items})
    }

    /// The balance of the account's first ledger, as `process show` has it.
    fn balance(&self, number: &str) -> Result<String, Error> {
        let report = self.house.app.show_process(&self.house.supplier, number)?;
        let ledger = report.account.and_then(|imported| imported.account.ledgers?.into_iter().next());
        let balance = ledger.and_then(|ledger| ledger.ledger_balance);
        balance
            .map(|balance| balance.as_sent().to_owned())
            .ok_or_else(|| Error::refused(format!("the account {number} has no balance")))
    }
}

/// What became of a transaction, and whether its date is another one now.
fn outcome(result: &Value, sent: &Value) -> String {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let (status, id) = (text(&result["status"]), text(&sent["transaction_id"]));
    let (was, is) = (&sent["transaction_date"], &result["transaction_data"]["transaction_date"]);
    let moved = if was == is { String::new() } else { format!(", moved to {}", text(is)) };
    format!("{status}  {id} of {}{moved}", text(was))
}
