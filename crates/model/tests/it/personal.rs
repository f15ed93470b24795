//! `Debug` never prints personal members of payloads.

use cutover_model::{
    Account, AccountRequest, BusinessRequest, FieldSpec, HistoricalStatementsRequest, Kind, Limits,
    MeterPointCommon, NotesRequest, ObjectSpec, PaymentInstructionRequest, Text, TransactionsRequest,
    Variant, Zone, decode_account, decode_business, decode_historical_statements, decode_notes,
    decode_payment_instruction, decode_transactions,
};
use serde_json::Value;
use std::fmt::Debug;
use std::fs;
use std::path::Path;

/// The texts of a payload, by their declaration.
#[derive(Default)]
struct Texts {
    personal: Vec<String>,
    shown: Vec<String>,
}

impl Texts {
    fn of(spec: &'static ObjectSpec, body: &Value) -> Self {
        let mut texts = Self::default();
        texts.object(spec.fields, body, false);
        texts
    }

    fn object(&mut self, fields: &'static [FieldSpec], object: &Value, is_below: bool) {
        for field in fields {
            self.value(field, &object[field.name], is_below || field.is_personal);
        }
    }

    fn value(&mut self, field: &'static FieldSpec, value: &Value, is_personal: bool) {
        match (field.kind, value) {
            (_, Value::Null) => {}
            (Kind::Object(spec), _) => self.object(spec().fields, value, is_personal),
            (Kind::List { item, .. }, Value::Array(items)) => {
                items.iter().for_each(|value| self.value(item, value, is_personal));
            }
            (Kind::MeterPoint, _) => {
                self.object(MeterPointCommon::SPEC.fields, value, is_personal);
                for kind in Variant::SUPPLY_TYPES {
                    self.object(Variant::spec(*kind).fields, value, is_personal);
                }
            }
            (_, Value::String(text)) if is_personal => self.personal.push(text.clone()),
            (_, Value::String(text)) => self.shown.push(text.clone()),
            (_, Value::Number(number)) if is_personal => self.personal.push(number.to_string()),
            _ => {}
        }
    }

    /// Asserts that the output has no personal text, unless it is shown elsewhere in the payload or too short
    /// to tell, and that it has other texts.
    fn are_masked_in(&self, printed: &dyn Debug) {
        let printed = format!("{printed:?}");
        for text in self.personal.iter().filter(|text| text.chars().count() > 2) {
            let is_shown = self.shown.iter().any(|shown| shown.contains(text.as_str()));
            assert!(is_shown || !printed.contains(text.as_str()), "{text:?} in {printed}");
        }
        let is_there = |text: &&String| printed.contains(&format!("{text:?}"));
        assert!(self.shown.iter().filter(is_there).count() > 1, "nothing is shown of {printed}");
        assert!(self.personal.is_empty() || printed.contains("***"));
    }
}

/// The valid fixtures of a kind of request.
fn fixtures(kind: &str) -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures").join(kind).join("valid");
    let files = fs::read_dir(folder).unwrap();
    files.map(|file| fs::read_to_string(file.unwrap().path()).unwrap()).collect()
}

macro_rules! masked {
    ($kind:literal, $decode:ident, $spec:expr) => {
        for body in fixtures($kind) {
            let decoded = $decode(body.as_bytes(), Zone::UTC, Limits::default()).unwrap();
            let texts = Texts::of($spec, &serde_json::from_str(&body).unwrap());
            texts.are_masked_in(&decoded);
            texts.are_masked_in(&decoded.draft.unwrap().into_valid().unwrap());
        }
    };
}

#[test]
fn personal_members_of_accounts_are_masked() {
    let mut personal = 0;
    for body in fixtures("accounts") {
        let decoded = decode_account(body.as_bytes(), Zone::UTC).unwrap();
        let json: Value = serde_json::from_str(&body).unwrap();
        let texts = Texts::of(&Account::SPEC, json.get("payload").unwrap_or(&json));
        texts.are_masked_in(&decoded);
        let (account, params) = decoded.draft.and_then(AccountRequest::into_valid).unwrap();
        texts.are_masked_in(&(account, params));
        personal += texts.personal.len();
    }
    assert!(personal > 100, "{personal}");
}

#[test]
fn personal_members_of_other_requests_are_masked() {
    masked!("notes", decode_notes, &NotesRequest::SPEC);
    masked!("transactions", decode_transactions, &TransactionsRequest::SPEC);
    masked!("statements", decode_historical_statements, &HistoricalStatementsRequest::SPEC);
    masked!("payment_instructions", decode_payment_instruction, &PaymentInstructionRequest::SPEC);
    masked!("businesses", decode_business, &BusinessRequest::SPEC);
}

#[test]
fn debug_shows_the_presence_of_masked_members() {
    let body = br#"{"import_supplier":"ACME","external_account_number":7,"billing_name":"Jo","customers":[{"email":"jo@example.com"},null]}"#;
    let decoded = decode_account(body, Zone::UTC).unwrap();
    let draft = format!("{:?}", decoded.draft.unwrap().account);
    for part in [
        "import_supplier: \"ACME\"",
        "external_account_number: Faulty",
        "billing_name: ***",
        "billing_sub_name: Absent",
        "customers: ***",
    ] {
        assert!(draft.contains(part), "{part} in {draft}");
    }
    assert_eq!(format!("{:?}", Some(Text::from("Jo"))), "Some(***)");
}
