use super::{Business, Story};
use crate::demo::house::VENDOR;
use crate::demo::vendor::{CARD, DEBIT};
use crate::error::Error;
use serde::Serialize;
use serde_json::{Value, json};

/// Who confirmed the payment instructions.
#[derive(Serialize)]
pub(in crate::demo) struct Payments {
    vendor: &'static str,
    base_url: String,
    /// How often it was asked.
    asked: usize,
}

impl Story<'_> {
    /// Payment instructions for an account and a business, which their vendor is asked for.
    pub(in crate::demo) fn payments(&self, number: &str, business: &Business) -> Result<Payments, Error> {
        let vendor = &self.house.vendor;
        self.stage.chapter(&format!("10. Payment instructions: {VENDOR} at {} is asked", vendor.base_url()));
        let named = json!({"import_supplier": self.house.supplier, "external_account_number": number});
        let route = "payment-instruction/create/";
        let card = |reference: &str| self.client.add(route, &instruction(&named, "CARD", reference));
        for name in ["of an account", "the same again"] {
            let reply = card(CARD)?.expect(201)?;
            let text = format!("201  {CARD} of {}", reply.text("service_account_number"));
            self.stage.row(name, &text);
        }
        self.tell_refusal("one it does not have", card("card-0000")?)?;
        self.tell_refusal("one of another type", card(DEBIT)?)?;
        self.pay_for(business)?;
        let asked = vendor.asked();
        let text = format!("was asked {asked} times for 5 requests: what it has confirmed stays confirmed");
        self.stage.row("the vendor", &text);
        Ok(Payments { vendor: VENDOR, base_url: vendor.base_url(), asked })
    }

    fn pay_for(&self, business: &Business) -> Result<(), Error> {
        let account = |number: &String| json!({"external_account_number": number});
        let named = json!({
            "import_supplier_code": self.house.supplier,
            "external_business_identifier": business.external_business_identifier,
            "accounts": business.accounts.iter().map(account).collect::<Vec<_>>(),
        });
        let debit = instruction(&named, "DIRECT_DEBIT", DEBIT);
        let reply = self.client.add("business-payment-instruction/create/", &debit)?.expect(201)?;
        let (business, count) = (reply.text("external_business_identifier"), business.accounts.len());
        self.stage.row("of the business", &format!("201  {DEBIT} of {business}, for {count} accounts"));
        Ok(())
    }
}

/// The request with what names an instruction at its vendor.
fn instruction(named: &Value, kind: &str, reference: &str) -> Value {
    let mut request = named.clone();
    request["vendor"] = json!(VENDOR);
    request["type"] = json!(kind);
    request["reference"] = json!(reference);
    request
}
