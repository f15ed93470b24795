use super::Story;
use crate::error::Error;
use serde::Serialize;
use serde_json::{Value, json};

/// A business and the accounts that are linked to its contracts.
#[derive(Serialize)]
pub(in crate::demo) struct Business {
    pub(super) external_business_identifier: String,
    service_business_id: Option<i64>,
    pub(super) accounts: Vec<String>,
}

impl Story<'_> {
    /// A business that is sent twice, accounts of its contracts, and one of a contract that nobody has.
    pub(in crate::demo) fn business(&mut self) -> Result<Business, Error> {
        self.stage.chapter("7. A business with two contracts, then the accounts that refer to them");
        // Contracts are the organisation's, and every run adds to the same one.
        let identifier = format!("{}-B1", self.house.supplier);
        let contracts = [1, 2].map(|n| format!("{}-K{n}", self.house.supplier));
        let body = self.northwind(&identifier, &contracts);
        let mut number = None;
        for name in ["POST …/business/", "the same again"] {
            let reply = self.client.add("business/", &body)?.expect(201)?;
            number = reply.body["service_business_id"].as_i64();
            self.stage.row(name, &format!("201  number {}", number.unwrap_or_default()));
        }
        let mut accounts = Vec::new();
        for contract in &contracts {
            let mut account = self.accounts.valid();
            account.payload["business"] = json!({"business_contract_identifier": contract});
            let text = self.import(&account)?;
            self.tell(&account.number, &format!("{text}, of contract {contract}"));
            accounts.push(account.number);
        }
        let mut stray = self.accounts.valid();
        stray.payload["business"] = json!({"business_contract_identifier": "NOBODYS-K1"});
        self.tell_refusal(&stray.number, self.client.validate(&stray.payload.to_string())?)?;
        Ok(Business { external_business_identifier: identifier, service_business_id: number, accounts })
    }

    fn northwind(&self, identifier: &str, contracts: &[String]) -> Value {
        let (from, signed) = (self.day(700), self.day(720));
        let contract = |identifier: &String| {
            json!({
                "identifier": identifier,
                "valid_from_date": from,
                "signed_at_date": signed,
                "versions": [{
                    "applicable_at_date": from,
                    "terms": [{"term_type": "BILL_DUE_DATE", "days": 21}],
                }],
            })
        };
        json!({
            "import_supplier_code": self.house.supplier,
            "external_business_identifier": identifier,
            "business": {
                "business_type": "PTY_LTD",
                "company_number": "004 085 616",
                "company_name": "Northwind Bakeries Pty Ltd",
                "details": [{"key": "abn", "value": "51 824 753 556"}],
                "business_contracts": contracts.iter().map(contract).collect::<Vec<_>>(),
            },
        })
    }
}
